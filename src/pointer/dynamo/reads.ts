import { backoff } from "../../base/backoff.ts";
import type { Clock } from "../../base/clock.ts";
import { assertKeyFits } from "../../base/key-text.ts";
import type { Prng } from "../../base/prng.ts";
import type { KeyFamilies } from "../families.ts";
import type { Item } from "../port.ts";
import type { DynamoClient } from "./client.ts";
import { failureOf, unavailable } from "./failure.ts";
import { type Attributes, type ItemKey, itemKey, itemOf, keyOfItem } from "./item.ts";

/** Keys of one `BatchGetItem`, as the service allows. */
const BATCH_KEYS = 100;
/** Tries of a read. */
const TRIES = 6;
const CONSUMED = { ReturnConsumedCapacity: "TOTAL" } as const;

/** A key that is waited for. Who asks for it in the same turn waits for the same answer. */
interface Wanted {
  readonly at: ItemKey;
  readonly answered: PromiseWithResolvers<Item>;
}

/** What is to be sent together, by key. */
type Wants = Map<string, Wanted>;

export interface DynamoReadsOptions {
  readonly client: DynamoClient;
  readonly table: string;
  readonly families: KeyFamilies;
  readonly clock: Clock;
  readonly prng: Prng;
}

/**
 * Reads of items by key, strongly consistent. Keys that are asked for within one turn of the event
 * loop, by any callers, go out as one request, each key once. That keeps every read linearizable:
 * it joins only what has not been sent, so the service reads the item after it was asked for.
 *
 * Each key is answered for itself: one that the service leaves over (a partition that is busy)
 * keeps no other process waiting.
 */
export class DynamoReads {
  readonly #options: DynamoReadsOptions;
  #wants: Wants | undefined;

  constructor(options: DynamoReadsOptions) {
    this.#options = options;
  }

  /**
   * One item; no separate request where others are asked for in this turn.
   *
   * @throws FirnError `Invalid`, code `KEY_TOO_LONG`; `Unavailable`; what the service refuses.
   */
  async one(key: string): Promise<Item> {
    return this.#want(key, this.#place(key));
  }

  /** Several, in the order of the keys. @throws FirnError as `one` */
  async many(keys: readonly string[]): Promise<readonly Item[]> {
    // All of them first: a key that is none must not leave others behind that no caller waits for.
    const ats = keys.map((key) => this.#place(key));
    return Promise.all(ats.map((at, i) => this.#want(keys[i] ?? "", at)));
  }

  /**
   * Sends what may be repeated, until it is answered or was tried often enough.
   *
   * @throws FirnError `Unavailable`, or what the service refuses.
   */
  async retried<T>(request: () => Promise<T>): Promise<T> {
    const { clock, prng } = this.#options;
    for (let tries = 1; ; tries++) {
      try {
        return await request();
      } catch (error) {
        const failure = failureOf(error);
        if (failure.failure === "refused") throw failure.error;
        if (tries >= TRIES) {
          throw failure.failure === "unreachable" ? failure.error : unavailable(error);
        }
        await backoff(clock, prng, tries - 1);
      }
    }
  }

  /** Refused here, since the service would refuse all that goes with it. */
  #place(key: string): ItemKey {
    assertKeyFits(key);
    return itemKey(this.#options.families, key);
  }

  #want(key: string, at: ItemKey): Promise<Item> {
    const wants = this.#wants ?? this.#begin();
    let wanted = wants.get(key);
    if (wanted === undefined) {
      wanted = { at, answered: Promise.withResolvers() };
      wants.set(key, wanted);
    }
    return wanted.answered.promise;
  }

  /** What is asked for from now on is sent when this turn has gone as far as it gets. */
  #begin(): Wants {
    const wants: Wants = new Map();
    this.#wants = wants;
    // From a microtask, so that the other promises of the turn come first.
    queueMicrotask(() =>
      process.nextTick(() => {
        this.#wants = undefined;
        this.#send([...wants]);
      }),
    );
    return wants;
  }

  #send(wants: readonly (readonly [string, Wanted])[]): void {
    for (let at = 0; at < wants.length; at += BATCH_KEYS) {
      const slice: Wants = new Map(wants.slice(at, at + BATCH_KEYS));
      const sent = slice.size === 1 ? this.#readOne(slice) : this.#readAll(slice);
      sent.catch((error: unknown) => {
        for (const { answered } of slice.values()) answered.reject(error);
      });
    }
  }

  /** Of the one key of a map. */
  async #readOne(wants: Wants): Promise<void> {
    const { client, table } = this.#options;
    for (const [key, { at, answered }] of wants) {
      const input = { TableName: table, Key: at, ConsistentRead: true, ...CONSUMED };
      const answer = await this.retried(() => client.send("GetItem", input));
      answered.resolve(itemOf(key, answer.Item));
    }
  }

  /** Answers each key as it comes; what throws is for those that are still waiting. */
  async #readAll(wants: Wants): Promise<void> {
    const { client, table, clock, prng } = this.#options;
    let rest: Attributes[] = [...wants.values()].map(({ at }) => at);
    for (let idle = 0; ; ) {
      const input = {
        RequestItems: { [table]: { Keys: rest, ConsistentRead: true } },
        ...CONSUMED,
      };
      const answer = await this.retried(() => client.send("BatchGetItem", input));
      const left = answer.UnprocessedKeys?.[table]?.Keys ?? [];
      answerThose(wants, answer.Responses?.[table] ?? [], left);
      if (left.length === 0) return;
      idle = left.length < rest.length ? 0 : idle + 1;
      if (idle >= TRIES) throw unavailable({ name: "UnprocessedKeys" });
      rest = left;
      await backoff(clock, prng, idle);
    }
  }
}

/** Answers what was found, and what is neither found nor left over: nothing stands there. */
function answerThose(
  wants: Wants,
  found: readonly Attributes[],
  left: readonly Attributes[],
): void {
  const waiting = new Set(left.map(keyOfItem));
  const items = new Map(found.map((attributes) => [keyOfItem(attributes), attributes]));
  for (const [key, { answered }] of wants) {
    if (waiting.has(key)) continue;
    try {
      answered.resolve(itemOf(key, items.get(key)));
    } catch (error) {
      answered.reject(error);
    }
  }
}
