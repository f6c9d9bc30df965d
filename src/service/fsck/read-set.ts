import type { Clock } from "../../base/clock.ts";
import { FirnError } from "../../base/error.ts";
import { sha256Hex } from "../../base/hash.ts";
import type { IdSource } from "../../base/ids.ts";
import { Pauses } from "../../base/pauses.ts";
import type { Blob, BlobStore } from "../../blob/port.ts";
import { shaOfPath } from "../../catalog/paths.ts";
import type { Item, PointerStore } from "../../pointer/port.ts";
import type { FindingCode } from "./findings.ts";

/** What a check reads from. Without a cache: what is on the store is what is judged. */
export interface FsckStores {
  readonly pointers: PointerStore;
  readonly blobs: BlobStore;
  readonly clock: Clock;
  readonly ids: IdSource;
}

/** Keys of one request. */
const KEYS_AT_ONCE = 100;
/** Payloads that are hashed between two turns of the event loop, at most. */
const PAYLOADS_A_TURN = 256;

/** A payload, or what is wrong with it. */
export type ReadPayload =
  | { readonly bytes: Uint8Array }
  | { readonly wrong: Extract<FindingCode, "PAYLOAD_MISSING" | "PAYLOAD_HASH_MISMATCH"> };

/**
 * The read set of one comparison, as in optimistic concurrency control. It reads every pointer
 * once, in batches, and remembers the versions, to tell whether all of them held at one instant.
 */
export class ReadSet {
  readonly #stores: FsckStores;
  readonly #known = new Map<string, Item>();
  readonly #pauses: Pauses;
  readonly #asked = new Map<string, Promise<Item>>();
  #waiting: { readonly key: string; readonly resolve: (item: Item) => void }[] = [];
  #fail: (error: unknown) => void = () => undefined;
  #flush: Promise<never> | undefined;

  constructor(stores: FsckStores, known: readonly Item[] = []) {
    this.#stores = stores;
    this.#pauses = new Pauses(stores.clock, PAYLOADS_A_TURN);
    for (const item of known) this.#known.set(item.key, item);
  }

  get nowMs(): number {
    return this.#stores.clock.nowMs();
  }

  async getMany(keys: readonly string[]): Promise<readonly Item[]> {
    return Promise.all(keys.map((key) => this.get(key)));
  }

  async get(key: string): Promise<Item> {
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    let asked = this.#asked.get(key);
    if (asked === undefined) {
      asked = Promise.race([this.#ask(key), this.#flushing()]);
      this.#asked.set(key, asked);
    }
    return asked;
  }

  /** What was read here of a listing, without its own request. */
  learn(items: readonly Item[]): void {
    for (const item of items) if (!this.#known.has(item.key)) this.#known.set(item.key, item);
  }

  async list(directory: string, after: string | undefined): Promise<readonly Item[]> {
    const page = await this.#stores.pointers.list(directory, after === undefined ? {} : { after });
    this.learn(page);
    return page;
  }

  async payload(path: string): Promise<ReadPayload> {
    const blob = await this.#blob(path);
    const pause = this.#pauses.step();
    if (pause !== undefined) await pause;
    if (blob === "corrupt") return { wrong: "PAYLOAD_HASH_MISMATCH" };
    if (blob === undefined) return { wrong: "PAYLOAD_MISSING" };
    if (sha256Hex(blob.bytes) !== shaOfPath(path)) return { wrong: "PAYLOAD_HASH_MISMATCH" };
    return { bytes: blob.bytes };
  }

  /** A store may know by itself that it holds other bytes than were put. */
  async #blob(path: string): Promise<Blob | "corrupt" | undefined> {
    try {
      return await this.#stores.blobs.get(path);
    } catch (error) {
      if (error instanceof FirnError && error.kind === "Corrupt") return "corrupt";
      throw error;
    }
  }

  /** Validates the read set: if nothing changed, all of it held when the last pointer was read. */
  async isUnchanged(): Promise<boolean> {
    const items = [...this.#known.values()];
    for (let at = 0; at < items.length; at += KEYS_AT_ONCE) {
      const some = items.slice(at, at + KEYS_AT_ONCE);
      const again = await this.#stores.pointers.getMany(some.map(({ key }) => key));
      if (some.some((item, i) => !same(item, again[i]))) return false;
    }
    return true;
  }

  #ask(key: string): Promise<Item> {
    return new Promise((resolve) => {
      this.#waiting.push({ key, resolve });
    });
  }

  /** Rejects where a request fails: any caller that waits for a key learns of it. */
  #flushing(): Promise<never> {
    this.#flush ??= new Promise<never>((_, reject) => {
      this.#fail = reject;
      queueMicrotask(() => {
        queueMicrotask(() => {
          const [waiting, fail] = [this.#waiting, this.#fail];
          this.#waiting = [];
          this.#flush = undefined;
          this.#read(waiting).catch(fail);
        });
      });
    });
    return this.#flush;
  }

  async #read(
    waiting: readonly { readonly key: string; readonly resolve: (item: Item) => void }[],
  ): Promise<void> {
    for (let at = 0; at < waiting.length; at += KEYS_AT_ONCE) {
      const some = waiting.slice(at, at + KEYS_AT_ONCE);
      const items = await this.#stores.pointers.getMany(some.map(({ key }) => key));
      const pause = this.#pauses.step();
      if (pause !== undefined) await pause;
      for (const [i, item] of items.entries()) {
        this.#known.set(item.key, item);
        some[i]?.resolve(item);
      }
    }
  }
}

function same(item: Item, again: Item | undefined): boolean {
  return again?.version === item.version && again.state === item.state;
}
