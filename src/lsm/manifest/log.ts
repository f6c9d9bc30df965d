import { assert } from "../../base/assert.ts";
import { FirnError } from "../../base/error.ts";
import { fenced, isFileGone } from "../errors.ts";
import type { Manifest } from "../format/manifest.ts";
import type { ManifestState, ManifestStore } from "./store.ts";

/** Makes the next state of the last one; undefined: there is nothing to change. */
export type Change = (manifest: Manifest) => ManifestState | undefined;

/** Rivals publish a state a second at most; so many lost races in a row are something else. */
const ATTEMPTS = 100;

/**
 * The states of a shard as its writer sees them: who may be stale, but never publishes what is. A
 * lost race is not a fence, as the compactor and checkpoints publish too: the change is made again
 * of what won. Only a grown epoch means that another writer took over.
 */
export class ManifestLog {
  readonly #store: ManifestStore;
  readonly #epoch: number;
  readonly #onChange: (manifest: Manifest) => void;
  #current: Manifest;
  #turn: Promise<unknown> = Promise.resolve();

  /** @param onChange told of every state that this log sees, its own among them, in order. */
  constructor(store: ManifestStore, current: Manifest, onChange: (manifest: Manifest) => void) {
    this.#store = store;
    this.#current = current;
    this.#epoch = current.writerEpoch;
    this.#onChange = onChange;
  }

  /** The newest state that is known. */
  get current(): Manifest {
    return this.#current;
  }

  /**
   * Publishes a change, after those that came before. Two requests where no other process
   * publishes. A change may throw: that is answered only once nothing newer is there, as other
   * processes, and successors that this one does not know of, keep and delete checkpoints too.
   *
   * @throws FirnError `Unavailable`, code `LSM_FENCED`; what the change throws; what the store
   *   throws, `Unknown` among it: then the same change may be made again, and must find that it
   *   has been made.
   */
  update(change: Change): Promise<Manifest> {
    return this.#alone(async () => {
      for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
        const { state, refusal } = tried(change, this.#current);
        if (refusal !== undefined) {
          const newer = await this.#store.newerThan(this.#current.id, Number.POSITIVE_INFINITY);
          if (newer === undefined) throw refusal;
          this.#accept(newer);
          continue;
        }
        if (state === undefined) return this.#current;
        const { id } = this.#current;
        const published = await this.#store.publish(state, id);
        if (published !== undefined) {
          assert(published.id === id + 1, "a state is published behind the one it was made of");
          return this.#accept(published);
        }
        const newer = await this.#store.newerThan(this.#current.id, Number.POSITIVE_INFINITY);
        if (newer !== undefined) this.#accept(newer);
      }
      throw fenced(this.#epoch, this.#current.writerEpoch);
    });
  }

  /** Looks for newer states. One request where there is none. @throws as `update`. */
  async check(sinceMs: number): Promise<void> {
    const { id } = this.#current;
    const newer = await this.#store.newerThan(id, sinceMs);
    if (newer !== undefined) this.#accept(newer);
  }

  /**
   * What it means that a table could not be read. Any process that was overtaken misses what its
   * successor has collected: that is not damage. One request where a table is missing, else none.
   */
  async explain(error: unknown): Promise<unknown> {
    if (!isFileGone(error)) return error;
    try {
      await this.check(Number.POSITIVE_INFINITY);
      return error;
    } catch (overtaken) {
      return overtaken;
    }
  }

  #accept(manifest: Manifest): Manifest {
    if (manifest.writerEpoch !== this.#epoch) throw fenced(this.#epoch, manifest.writerEpoch);
    // A check may have seen what an update publishes, or more, before the update itself.
    if (manifest.id <= this.#current.id) return this.#current;
    const { lastSequence, walFrom, compactorEpoch } = this.#current;
    assert(manifest.lastSequence >= lastSequence, "no state of an epoch forgets a sequence");
    assert(manifest.walFrom >= walFrom, "the log is never asked for again where it was let go");
    assert(manifest.compactorEpoch >= compactorEpoch, "epochs of compactors ascend");
    this.#current = manifest;
    this.#onChange(manifest);
    return manifest;
  }

  #alone<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.#turn.then(work);
    this.#turn = turn.catch(() => undefined);
    return turn;
  }
}

interface Tried {
  readonly state?: ManifestState | undefined;
  /** What the change threw. */
  readonly refusal?: FirnError;
}

function tried(change: Change, current: Manifest): Tried {
  try {
    return { state: change(current) };
  } catch (error) {
    if (error instanceof FirnError) return { refusal: error };
    throw error;
  }
}
