import { backoff } from "../../base/backoff.ts";
import { bytesEqual } from "../../base/bytes.ts";
import { type Clock, Stopwatch } from "../../base/clock.ts";
import { FirnError } from "../../base/error.ts";
import { LIMITS } from "../../base/limits.ts";
import type { Prng } from "../../base/prng.ts";
import type { BlobEntry, BlobStore } from "../../blob/port.ts";
import { walId, walName } from "./names.ts";
import { decodeObject, encodeObject, PUT_ID_BYTES, type WalObject } from "./object-format.ts";

/** What the logs under one prefix share. */
export interface ObjectWorld {
  readonly blobs: BlobStore;
  /** Ends with `/`. */
  readonly prefix: string;
  readonly clock: Clock;
  readonly prng: Prng;
  readonly attemptMs: number;
  /** No object is deleted that is younger. */
  readonly minAgeMs: number;
}

/**
 * What became of a put. `taken`: another writer's object has the number. `gone`: an object had it
 * that a new owner has released since; perhaps ours, which it has read.
 */
export type PutOutcome =
  | { readonly outcome: "ours"; readonly bytes: number }
  | { readonly outcome: "taken" | "gone" };

/** An object that was put. */
type Own = Pick<WalObject, "id" | "epoch">;

const PAGE = 1_000;

/** The numbered objects of one log, as requests to the store. */
export class ObjectLog {
  readonly #world: ObjectWorld;

  constructor(world: ObjectWorld) {
    this.#world = world;
  }

  pathOf(id: number): string {
    return this.#world.prefix + walName(id);
  }

  /** Objects with a number above `after`, in order. One request for each thousand. */
  async *list(after: number): AsyncGenerator<BlobEntry & { readonly id: number }> {
    const { blobs, prefix } = this.#world;
    for (let last = this.pathOf(after); ; ) {
      const page = await this.#patiently(() => blobs.list(prefix, { after: last, limit: PAGE }));
      for (const entry of page) {
        const id = walId(entry.path.slice(prefix.length));
        if (id !== undefined) yield { ...entry, id };
      }
      const next = page.at(-1);
      if (next === undefined || page.length < PAGE) return;
      last = next.path;
    }
  }

  /** @throws FirnError `Corrupt`. Undefined where there is no such object. */
  async get(id: number): Promise<WalObject | undefined> {
    const blob = await this.#patiently(() => this.#world.blobs.get(this.pathOf(id)));
    return blob && decodeObject(blob.bytes, id);
  }

  /**
   * Whether another writer came after this object of ours. An id is free again once its object was
   * deleted, at the earliest `minAgeMs` after it was put: so a put proves something only if it
   * ended sooner after its writer last knew what stood there. Else what comes after it is listed,
   * and read: one of ours may be there already, or a stray.
   *
   * @param known begun before the writer last knew.
   */
  async isOvertaken({ id, epoch }: Own, known: Stopwatch): Promise<boolean> {
    const slackMs = LIMITS.clockSkewMs + LIMITS.marginMs;
    if (known.elapsedMs() < this.#world.minAgeMs - slackMs) return false;
    for await (const later of this.list(id)) {
      const object = await this.get(later.id);
      // Only a later writer deletes what stands behind ours.
      if (object === undefined || object.epoch > epoch) return true;
    }
    return false;
  }

  async remove(ids: readonly number[]): Promise<void> {
    const paths = ids.map((id) => this.pathOf(id));
    for (let at = 0; at < paths.length; at += PAGE) {
      await this.#world.blobs.deleteMany(paths.slice(at, at + PAGE));
    }
  }

  /**
   * Puts an object where nothing stands, once: an answer that was lost is settled by sending the
   * same bytes again and comparing the put-id of what stands there.
   *
   * @throws FirnError of the store after `attemptMs`: `Unknown` once any put of it may have
   *   happened or may happen still, `Unavailable` where none can have.
   */
  async put(content: Omit<WalObject, "putId">): Promise<PutOutcome> {
    const { blobs, clock, prng, attemptMs } = this.#world;
    const putId = prng.bytes(PUT_ID_BYTES);
    const bytes = encodeObject({ ...content, putId });
    const waited = new Stopwatch(clock);
    let unsettled: unknown;
    for (let attempt = 0; ; attempt++) {
      try {
        const put = await blobs.put(this.pathOf(content.id), bytes, "absent");
        if (put.outcome === "stored") return { outcome: "ours", bytes: bytes.length };
        return await this.#whose(content.id, putId, bytes.length);
      } catch (error) {
        if (!mayPass(error)) throw error;
        if (error.kind === "Unknown") unsettled = error;
        if (waited.elapsedMs() >= attemptMs) throw unsettled ?? error;
      }
      await this.#backOff(attempt);
    }
  }

  async #whose(id: number, putId: Uint8Array, bytes: number): Promise<PutOutcome> {
    const found = await this.get(id);
    if (found === undefined) return { outcome: "gone" };
    return bytesEqual(found.putId, putId) ? { outcome: "ours", bytes } : { outcome: "taken" };
  }

  /** Repeats a read that the store does not answer. */
  async #patiently<T>(read: () => Promise<T>): Promise<T> {
    const waited = new Stopwatch(this.#world.clock);
    for (let attempt = 0; ; attempt++) {
      try {
        return await read();
      } catch (error) {
        if (!mayPass(error) || waited.elapsedMs() >= this.#world.attemptMs) throw error;
      }
      await this.#backOff(attempt);
    }
  }

  #backOff(attempt: number): Promise<void> {
    return backoff(this.#world.clock, this.#world.prng, attempt);
  }
}

/** What another attempt may mend. */
function mayPass(error: unknown): error is FirnError {
  if (!(error instanceof FirnError)) return false;
  return error.kind === "Unknown" || error.kind === "Unavailable" || error.kind === "Overloaded";
}
