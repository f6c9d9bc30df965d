import type { Clock } from "../base/clock.ts";
import type { AccountId } from "../base/ids.ts";
import { LIMITS } from "../base/limits.ts";
import type { BlobStore } from "../blob/port.ts";

/*
 * A pin keeps the history of an account from a time on, for a reader that takes longer than the
 * retention: garbage collection forgets no change record of a minute that is pinned, so no payload
 * goes that one names. A pin is an empty blob whose path says everything; renewing it writes the
 * next path. A reader that dies renews nothing, and its pin ends `PIN_LEASE_MS` later.
 */

const PREFIX = "pins/";
const PINNED = /\/(-?\d+)_(\d+)$/;
/** How long a pin lasts from its last sign of life. */
export const PIN_LEASE_MS: number = 10 * 60_000;
const PIN_RENEW_MS = 60_000;

interface Pinned {
  readonly sinceMs: number;
  readonly untilMs: number;
}

const pathOf = (account: AccountId, id: string, { sinceMs, untilMs }: Pinned): string =>
  `${PREFIX}${account}/${id}/${sinceMs}_${untilMs}`;

/** A pin that this process holds. */
export class HistoryPin {
  readonly #blobs: BlobStore;
  readonly #clock: Clock;
  readonly #account: AccountId;
  readonly #id: string;
  readonly #sinceMs: number;
  #path = "";
  #renewedMs = 0;

  private constructor(
    blobs: BlobStore,
    clock: Clock,
    account: AccountId,
    own: { readonly id: string; readonly sinceMs: number },
  ) {
    this.#blobs = blobs;
    this.#clock = clock;
    this.#account = account;
    this.#id = own.id;
    this.#sinceMs = own.sinceMs;
  }

  /**
   * Once it answers, no change record since `sinceMs` is forgotten that is there. One write.
   *
   * @param own an id that no other pin has, and the time.
   */
  static async take(
    blobs: BlobStore,
    clock: Clock,
    account: AccountId,
    own: { readonly id: string; readonly sinceMs: number },
  ): Promise<HistoryPin> {
    const pin = new HistoryPin(blobs, clock, account, own);
    await pin.#renew();
    return pin;
  }

  /** Between two steps: a sign of life, once a minute. Two writes. */
  keep(): Promise<void> | undefined {
    const isFresh = this.#clock.monotonicMs() - this.#renewedMs < PIN_RENEW_MS;
    return isFresh ? undefined : this.#renew();
  }

  /** Ends it. */
  async release(): Promise<void> {
    await this.#blobs.delete(this.#path);
  }

  async #renew(): Promise<void> {
    const before = this.#path;
    const renewedMs = this.#clock.monotonicMs();
    const untilMs = this.#clock.nowMs() + PIN_LEASE_MS;
    const path = pathOf(this.#account, this.#id, { sinceMs: this.#sinceMs, untilMs });
    await this.#blobs.put(path, new Uint8Array());
    this.#path = path;
    this.#renewedMs = renewedMs;
    if (before !== "" && before !== path) await this.#blobs.delete(before);
  }
}

/**
 * The earliest time that a living pin keeps; Infinity without one. Ended ones are deleted. One
 * list.
 */
export async function pinnedSince(
  blobs: BlobStore,
  clock: Clock,
  account: AccountId,
): Promise<number> {
  const nowMs = clock.nowMs();
  let sinceMs = Number.POSITIVE_INFINITY;
  const ended: string[] = [];
  const prefix = `${PREFIX}${account}/`;
  for (let after: string | undefined; ; ) {
    const page = await blobs.list(prefix, after === undefined ? {} : { after });
    for (const { path } of page) {
      const [, since, until] = (PINNED.exec(path) ?? []).map(Number);
      if (since === undefined || until === undefined) continue;
      // The clock of its holder may be behind.
      if (until + LIMITS.clockSkewMs <= nowMs) ended.push(path);
      else sinceMs = Math.min(sinceMs, since);
    }
    after = page.at(-1)?.path;
    if (after === undefined) break;
  }
  if (ended.length > 0) await blobs.deleteMany(ended);
  return sinceMs;
}
