import type { Clock } from "../../base/clock.ts";
import { FirnError, invalid } from "../../base/error.ts";
import type { BatchOp } from "../wal/batch.ts";

/** What an operator lets through below a prefix, for a while. */
export interface Throttle {
  readonly prefix: Uint8Array;
  /** Batches that write below it, of all callers together. */
  readonly writesPerSecond: number;
  readonly forMs: number;
}

/** One that is in force. */
export interface ThrottleState extends Throttle {
  readonly leftMs: number;
  /** Batches that it has refused. */
  readonly refused: number;
}

interface Entry {
  readonly throttle: Throttle;
  readonly endMs: number;
  /** Batches that may pass at once, as of a time; a second's worth at most. */
  tokens: number;
  atMs: number;
  refused: number;
}

/** More are a policy, which belongs above the engine. */
const MAX_THROTTLES = 64;
/** A day: one that is forgotten ends by itself. */
const MAX_MS = 86_400_000;
const MAX_PER_SECOND = 1_000_000;
/** Who waits longer holds a place that others need: it asks again, or gives up. */
const MAX_RETRY_MS = 1_000;

/**
 * Holds writes below prefixes back: batches beyond the rate are refused whole, before they leave a
 * trace, so that those who write elsewhere are served. Reads are not held back: what is read often
 * is in memory, and whether a server is asked too much is for the server to say.
 *
 * In memory only: who opens the shard next knows of none.
 */
export class Throttles {
  readonly #clock: Clock;
  #entries: Entry[] = [];
  #refused = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Batches that were refused, by all that there were. */
  get refused(): number {
    return this.#refused;
  }

  /**
   * Puts one in force, in place of that of the same prefix; `forMs` 0 ends that.
   *
   * @throws FirnError `Invalid`, code `LSM_THROTTLE_INVALID`.
   */
  set(throttle: Throttle): void {
    const { prefix, writesPerSecond, forMs } = throttle;
    assertWithin({ writesPerSecond, most: MAX_PER_SECOND });
    assertWithin({ forMs, most: MAX_MS });
    const nowMs = this.#clock.monotonicMs();
    const others = this.#live(nowMs).filter((one) => !equals(one.throttle.prefix, prefix));
    if (forMs > 0) {
      if (others.length === MAX_THROTTLES) {
        throw invalid("LSM_THROTTLE_INVALID", "too many rate limits", { most: MAX_THROTTLES });
      }
      const kept = { ...throttle, prefix: Uint8Array.from(prefix) };
      const tokens = mostTokens(throttle);
      others.push({ throttle: kept, endMs: nowMs + forMs, tokens, atMs: nowMs, refused: 0 });
    }
    this.#entries = others;
  }

  /** Whether there may be any. */
  get areSet(): boolean {
    return this.#entries.length > 0;
  }

  /** Those in force. */
  get states(): readonly ThrottleState[] {
    const nowMs = this.#clock.monotonicMs();
    return this.#live(nowMs).map(({ throttle, endMs, refused }) => {
      return { ...throttle, leftMs: endMs - nowMs, refused };
    });
  }

  /** @throws FirnError `Overloaded`, code `LSM_THROTTLED`, with `retryAfterMs`. */
  check(ops: readonly BatchOp[]): void {
    const nowMs = this.#clock.monotonicMs();
    this.#entries = this.#live(nowMs) as Entry[];
    const met = this.#entries.filter(({ throttle }) => ops.some((op) => isBelow(op, throttle)));
    for (const entry of met) {
      const gained = ((nowMs - entry.atMs) / 1_000) * entry.throttle.writesPerSecond;
      entry.tokens = Math.min(mostTokens(entry.throttle), entry.tokens + gained);
      entry.atMs = nowMs;
    }
    const spent = met.find(({ tokens }) => tokens < 1);
    if (spent === undefined) for (const entry of met) entry.tokens--;
    else {
      this.#refused++;
      spent.refused++;
      throw throttled(spent, nowMs);
    }
  }

  #live(nowMs: number): Entry[] {
    return this.#entries.filter(({ endMs }) => endMs > nowMs);
  }
}

/** A slow one saves up to a whole batch all the same. */
function mostTokens({ writesPerSecond }: Throttle): number {
  return writesPerSecond === 0 ? 0 : Math.max(1, writesPerSecond);
}

function assertWithin({ most, ...named }: Readonly<Record<string, number>>): void {
  for (const [name, value] of Object.entries(named)) {
    if (Number.isFinite(value) && value >= 0 && value <= (most ?? 0)) continue;
    throw invalid("LSM_THROTTLE_INVALID", "rate limit out of range", { name, most: most ?? 0 });
  }
}

/** Its key is, or where its range begins. */
function isBelow(op: BatchOp, { prefix }: Throttle): boolean {
  return startsWith(op.op === "deleteRange" ? op.from : op.key, prefix);
}

function startsWith(key: Uint8Array, prefix: Uint8Array): boolean {
  return key.length >= prefix.length && equals(key.subarray(0, prefix.length), prefix);
}

function equals(a: Uint8Array, b: Uint8Array): boolean {
  return Buffer.compare(a, b) === 0;
}

function throttled({ throttle, endMs, tokens }: Entry, nowMs: number): FirnError {
  const { writesPerSecond } = throttle;
  // At 0 a second it is never: then the shortest of the others counts.
  const nextMs = ((1 - tokens) / writesPerSecond) * 1_000;
  const retryAfterMs = Math.max(1, Math.ceil(Math.min(nextMs, endMs - nowMs, MAX_RETRY_MS)));
  const message = "an operator rate-limits writes below this prefix: try again later";
  return new FirnError("Overloaded", "LSM_THROTTLED", message, {
    writesPerSecond,
    retryAfterMs,
  });
}
