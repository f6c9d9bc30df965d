import { assert } from "../../base/assert.ts";
import { type Clock, Stopwatch } from "../../base/clock.ts";
import { FirnError } from "../../base/error.ts";
import type { Manifest } from "../format/manifest.ts";
import type { Checkpoint } from "../format/manifest-records.ts";
import { LSM_LIMITS } from "../limits.ts";
import type { Change } from "../manifest/log.ts";
import { assertAlive, noShard } from "../manifest/shard-files.ts";
import type { ManifestStore } from "../manifest/store.ts";
import { certainly, hasEnded, tooMany, without } from "./checkpoints.ts";

/** Which state is to be kept; undefined where that cannot be said any more. */
export type Choice = (newest: Manifest) => Pick<Checkpoint, "manifestId" | "sequence"> | undefined;

/** Which manifests go on being kept. */
export type Stays = (manifestId: number) => boolean;

const NONE: Stays = () => false;
/** Each lost race means that another process published; so many in a row are something else. */
const RACES = 1_000;

/**
 * Publishes a change of the newest state as one who does not own the shard. Three requests.
 *
 * @throws FirnError `NotFound`, codes `LSM_NO_SHARD`, `LSM_SHARD_DELETED`; `Unavailable`, code
 *   `LSM_MANIFEST_CONTENDED`; what the store throws.
 */
export async function amend(store: ManifestStore, change: Change): Promise<Manifest> {
  return await certainly(async (once) => {
    for (let race = 0; ; race++) {
      const newest = await store.latest();
      if (newest === undefined) throw noShard("");
      assertAlive(newest);
      const state = once(newest);
      if (state === undefined) return newest;
      const published = await store.publish(state, newest.id);
      if (published !== undefined) return published;
      if (race === RACES) throw contended(newest.id);
    }
  }, change);
}

/**
 * What a reader keeps from being collected: its own checkpoints, with a life, which it renews as
 * long as it lives. One that ended without a word keeps nothing for longer than that.
 */
export class Pin {
  readonly #store: ManifestStore;
  readonly #clock: Clock;
  readonly #name: string;
  readonly #lifeMs: number;
  #renewed: Stopwatch;

  /** @param name no other reader's, ever. */
  constructor(store: ManifestStore, clock: Clock, name: string, lifeMs: number) {
    this.#store = store;
    this.#clock = clock;
    this.#name = name;
    assert(lifeMs > 0 && name !== "", "a pin ends by itself, and is told from others");
    this.#lifeMs = lifeMs;
    this.#renewed = new Stopwatch(clock);
  }

  /** Until it is renewed it may be counted on for so long. */
  get leftMs(): number {
    return this.#lifeMs - this.#renewed.elapsedMs();
  }

  /**
   * Keeps a state. Three requests.
   *
   * @param choose called with each state that may come before; its choice stands in the next one.
   * @param stays which of the manifests that it keeps already are kept in addition.
   * @returns what it chose last; undefined where that was nothing, and nothing is kept.
   * @throws what the store throws.
   */
  async keep(choose: Choice, stays: Stays = NONE): Promise<ReturnType<Choice>> {
    const began = new Stopwatch(this.#clock);
    let made: Checkpoint | undefined;
    let kept: ReturnType<Choice>;
    await amend(this.#store, (manifest) => {
      const { checkpoints } = manifest;
      // The answer to an attempt was lost.
      if (made !== undefined && checkpoints.some((one) => this.#isSame(one, made)))
        return undefined;
      kept = choose(manifest);
      if (kept === undefined) return undefined;
      const { manifestId } = kept;
      assert(manifestId <= manifest.id, "only a state that is stored is kept");
      made = this.#checkpoint(kept);
      const left = checkpoints.filter(
        (one) => !this.#isOwn(one) || (stays(one.manifestId) && one.manifestId !== manifestId),
      );
      if (left.length >= LSM_LIMITS.checkpoints) throw tooMany();
      return { ...manifest, checkpoints: [...left, made] };
    });
    if (kept !== undefined) this.#renewed = began;
    return kept;
  }

  /** Begins its life anew. Three requests. @returns false where it had been given up. */
  async renew(stays: Stays): Promise<boolean> {
    const began = new Stopwatch(this.#clock);
    const expiresAtMs = this.#clock.nowMs() + this.#lifeMs;
    let stands = false;
    await amend(this.#store, (manifest) => {
      const own = manifest.checkpoints.filter((one) => this.#isOwn(one));
      stands = own.length > 0;
      if (own.every((one) => (one.expiresAtMs ?? 0) >= expiresAtMs)) return undefined;
      const checkpoints = manifest.checkpoints
        .filter((one) => !this.#isOwn(one) || stays(one.manifestId))
        .map((one) => (this.#isOwn(one) ? { ...one, expiresAtMs } : one));
      return { ...manifest, checkpoints };
    });
    if (stands) this.#renewed = began;
    return stands;
  }

  /** Lets go of everything. Three requests. */
  async release(): Promise<void> {
    await amend(this.#store, (manifest) => without(manifest, (one) => this.#isOwn(one)));
  }

  /** What a state keeps for this reader of a manifest, whether its life is over or not. */
  keptIn({ checkpoints }: Manifest, manifestId: number): Checkpoint | undefined {
    return checkpoints.find((one) => this.#isOwn(one) && one.manifestId === manifestId);
  }

  /** Whether a state says that it keeps something for this reader. */
  standsIn({ checkpoints }: Manifest): boolean {
    const nowMs = this.#clock.nowMs();
    return checkpoints.some((one) => this.#isOwn(one) && !hasEnded(one, nowMs));
  }

  #isOwn({ kind, name }: Checkpoint): boolean {
    return kind === "reader" && name === this.#name;
  }

  #isSame(one: Checkpoint, other: Checkpoint | undefined): boolean {
    if (other === undefined || !this.#isOwn(one)) return false;
    return one.manifestId === other.manifestId && one.createdAtMs === other.createdAtMs;
  }

  #checkpoint({ manifestId, sequence }: NonNullable<ReturnType<Choice>>): Checkpoint {
    const createdAtMs = this.#clock.nowMs();
    const life = { createdAtMs, expiresAtMs: createdAtMs + this.#lifeMs };
    return { name: this.#name, manifestId, sequence, ...life, kind: "reader", unknown: [] };
  }
}

function contended(manifest: number): FirnError {
  const message = "other processes keep publishing manifests: try again";
  return new FirnError("Unavailable", "LSM_MANIFEST_CONTENDED", message, { manifest });
}
