import { backoff } from "../../base/backoff.ts";
import type { Clock } from "../../base/clock.ts";
import { FirnError } from "../../base/error.ts";
import type { Prng } from "../../base/prng.ts";
import type { BlobStore } from "../../blob/port.ts";
import type { PointerStore } from "../../pointer/port.ts";

/*
 * A backup makes thousands of calls, and one that is refused must not end it: a store that
 * throttles, or is away for a moment, is asked again, with the waits of every other writer. Each
 * call may be made twice: reads, puts of bytes that are named by their hash or stand at a path of
 * the backup's own, and deletes.
 */

/** A store that refuses one call so often, or for so long, is down. */
const TRIES = 100;
const PATIENCE_MS = 120_000;

/** What a wait does not mend. */
const LASTING: ReadonlySet<string> = new Set([
  "DISK_FULL",
  "DISK_READ_ONLY",
  "BLOB_STORE_DENIED",
  "BLOB_BUCKET_MISSING",
  "DYNAMODB_DENIED",
  "DYNAMODB_TABLE_MISSING",
  "DYNAMODB_UNCONFIGURED",
  "LSM_CLOSED",
  "LSM_FAILED",
  "LSM_FENCED",
  "WAL_DEAD",
  "WAL_FENCED",
]);

/** Time, and chance for the waits. */
export interface Waiting {
  readonly clock: Clock;
  readonly prng: Prng;
}

/** Whether the same call may come through later. */
function isPassing(error: unknown): error is FirnError {
  if (!(error instanceof FirnError) || LASTING.has(error.code)) return false;
  return error.kind === "Overloaded" || error.kind === "Unavailable" || error.kind === "Unknown";
}

/** Whether a call that began then was tried often enough. */
export function isInVain({ clock }: Waiting, tries: number, begunMs: number): boolean {
  return tries >= TRIES || clock.monotonicMs() - begunMs >= PATIENCE_MS;
}

/** What the store asked to wait for. */
function floorOf({ context }: FirnError): number {
  const { retryAfterMs } = context;
  return typeof retryAfterMs === "number" ? retryAfterMs : 0;
}

/** Makes a call again while it is refused. @throws what it threw last, when that is in vain. */
export async function insist<T>(waiting: Waiting, call: () => Promise<T>): Promise<T> {
  const { clock, prng } = waiting;
  const begunMs = clock.monotonicMs();
  for (let tries = 1; ; tries++) {
    try {
      return await call();
    } catch (error) {
      if (!isPassing(error) || isInVain(waiting, tries, begunMs)) throw error;
      await backoff(clock, prng, tries, floorOf(error));
    }
  }
}

/** Blobs that are asked again. Streams are not: what they send is gone. */
export function patientBlobs(store: BlobStore, waiting: Waiting): BlobStore {
  const again = <T>(call: () => Promise<T>): Promise<T> => insist(waiting, call);
  return {
    get: (path) => again(() => store.get(path)),
    getRange: (path, offset, length) => again(() => store.getRange(path, offset, length)),
    getSuffix: (path, length) => again(() => store.getSuffix(path, length)),
    head: (path) => again(() => store.head(path)),
    put: (path, bytes, condition) => again(() => store.put(path, bytes, condition)),
    putStream: (path, source) => store.putStream(path, source),
    delete: (path) => again(() => store.delete(path)),
    deleteMany: (paths) => again(() => store.deleteMany(paths)),
    list: (prefix, options) => again(() => store.list(prefix, options)),
  };
}

/** Pointers that are asked again. A sweep goes on behind what it has shown. */
export function patientPointers(store: PointerStore, waiting: Waiting): PointerStore {
  const { clock, prng } = waiting;
  const again = <T>(call: () => Promise<T>): Promise<T> => insist(waiting, call);
  return {
    get: (key) => again(() => store.get(key)),
    getMany: (keys) => again(() => store.getMany(keys)),
    // It throws only where nothing was applied; all else is the caller's to judge.
    commit: (batch) => again(() => store.commit(batch)),
    list: (directory, options) => again(() => store.list(directory, options)),
    sweep: async function* (prefix, options = {}) {
      let { after } = options;
      for (let [tries, begunMs] = [1, clock.monotonicMs()]; ; tries++) {
        try {
          for await (const item of store.sweep(prefix, after === undefined ? {} : { after })) {
            yield item;
            ({ key: after } = item);
            [tries, begunMs] = [1, clock.monotonicMs()];
          }
          return;
        } catch (error) {
          if (!isPassing(error) || isInVain(waiting, tries, begunMs)) throw error;
          await backoff(clock, prng, tries, floorOf(error));
        }
      }
    },
    forget: (key, version) => again(() => store.forget(key, version)),
  };
}
