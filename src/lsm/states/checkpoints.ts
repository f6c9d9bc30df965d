import { assert } from "../../base/assert.ts";
import type { Clock } from "../../base/clock.ts";
import { FirnError, invalid } from "../../base/error.ts";
import { LIMITS } from "../../base/limits.ts";
import type { Sequence } from "../format/entry.ts";
import type { Manifest } from "../format/manifest.ts";
import type { Checkpoint } from "../format/manifest-records.ts";
import { LSM_LIMITS } from "../limits.ts";
import type { Change } from "../manifest/log.ts";
import type { ManifestState } from "../manifest/store.ts";

/** A state under a name. Garbage collection leaves what it needs until its end. */
export interface NamedState {
  readonly name: string;
  /** Everything up to it is in the state, and nothing beyond. */
  readonly sequence: Sequence;
  readonly createdAtMs: number;
  /** Wall time, ms; undefined: until it is deleted. */
  readonly expiresAtMs: number | undefined;
}

/** Publishes a change of the newest state. @throws as `ManifestLog.update`. */
type Update = (change: Change) => Promise<Manifest>;

/** More tries than answers get lost in a row. */
const TRIES = 5;

/**
 * The named checkpoints of a shard. Each is a manifest that stays, and with it the tables that it
 * names: no data is copied, and compactions go on as if it were not there.
 */
export class Checkpoints {
  readonly #clock: Clock;
  readonly #update: Update;
  readonly #current: () => Manifest;

  /** @param current the newest state that is known. */
  constructor(clock: Clock, update: Update, current: () => Manifest) {
    this.#clock = clock;
    this.#update = update;
    this.#current = current;
  }

  /**
   * Keeps the newest manifest under a name. Two requests.
   *
   * @param ttlMs how long; until it is deleted if undefined.
   * @throws FirnError `AlreadyExists`, code `LSM_CHECKPOINT_EXISTS`; `Invalid`, code
   *   `LSM_CHECKPOINT_INVALID`; `Unavailable`, code `LSM_FENCED`; what the store throws.
   */
  async create(name: string, ttlMs: number | undefined): Promise<NamedState> {
    const made = await keepNewest(this.#update, this.#clock, { name, ttlMs }, () => true);
    return made as NamedState;
  }

  /** Those that have not ended, in the order of their making. No request. */
  list(): readonly NamedState[] {
    return liveStates(this.#current(), this.#clock.nowMs());
  }

  /**
   * Lets go of a state: the next collection may delete what only it needs. Two requests.
   *
   * @throws FirnError `NotFound`, code `LSM_CHECKPOINT_NOT_FOUND`; else as `create`.
   */
  async delete(name: string): Promise<void> {
    let attempted = false;
    await certainly(this.#update, (manifest) => {
      const standing = named(manifest, name);
      if (standing === undefined) {
        if (attempted) return undefined;
        throw notFound(name);
      }
      attempted = true;
      return without(manifest, (one) => one === standing);
    });
  }
}

/**
 * Keeps the newest manifest under a name.
 *
 * @param isDue whether a manifest is one that may be kept.
 * @returns undefined where the newest one may not.
 * @throws as `Checkpoints.create`.
 */
export async function keepNewest(
  update: Update,
  clock: Clock,
  { name, ttlMs }: { readonly name: string; readonly ttlMs: number | undefined },
  isDue: (manifest: Manifest) => boolean,
): Promise<NamedState | undefined> {
  assertCheckpoint(name, ttlMs);
  const createdAtMs = clock.nowMs();
  const expiresAtMs = ttlMs === undefined ? undefined : createdAtMs + ttlMs;
  let made: Checkpoint | undefined;
  const attempted: Checkpoint[] = [];
  await certainly(update, (manifest) => {
    const { id: manifestId, lastSequence: sequence } = manifest;
    const standing = named(manifest, name);
    // The answer to an attempt of ours was lost.
    made = attempted.find((one) => standing !== undefined && same(standing, one));
    if (made !== undefined || !isDue(manifest)) return undefined;
    assert(manifestId > 0, "a checkpoint keeps a state that is stored");
    made = {
      name,
      manifestId,
      sequence,
      createdAtMs,
      expiresAtMs,
      kind: "named",
      unknown: [],
    };
    attempted.push(made);
    return { ...manifest, checkpoints: withNamed(manifest, made, clock.nowMs()) };
  });
  return made === undefined ? undefined : shown(made);
}

/**
 * The checkpoints of a state with one more, in the place of one of its name that has ended.
 *
 * @throws FirnError `AlreadyExists`, code `LSM_CHECKPOINT_EXISTS`; `Invalid`, code
 *   `LSM_CHECKPOINTS_FULL`.
 */
export function withNamed(
  manifest: Manifest,
  made: Checkpoint,
  nowMs: number,
): readonly Checkpoint[] {
  const standing = named(manifest, made.name);
  if (standing !== undefined && !hasEnded(standing, nowMs)) throw exists(made.name);
  const others = manifest.checkpoints.filter((one) => one !== standing);
  if (others.length >= LSM_LIMITS.checkpoints) throw tooMany();
  assert(named({ ...manifest, checkpoints: others }, made.name) === undefined, "names are unique");
  return [...others, made];
}

/**
 * Makes a change again where it is unknown whether it was made: it must find that it was.
 *
 * @throws as `update`, `Unknown` among it where the store goes on losing answers.
 */
export function certainly(update: Update, change: Change): Promise<Manifest> {
  return persistently(() => update(change));
}

/**
 * Does something again where it is unknown whether it was done: it must find that it was.
 *
 * @throws what `work` throws; where another attempt may have done it, or may do it yet, `Unknown`
 *   in place of what says that nothing has happened.
 */
export async function persistently<T>(work: () => Promise<T>): Promise<T> {
  let doubt: FirnError | undefined;
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof FirnError)) throw error;
      const isOfThis = error.kind === "Unavailable" || error.kind === "Overloaded";
      if (error.kind === "Unknown" && attempt < TRIES) doubt = error;
      else throw isOfThis ? (doubt ?? error) : error;
    }
  }
}

/** The state under a name, whether it has ended or not. */
export function named({ checkpoints }: Manifest, name: string): Checkpoint | undefined {
  return checkpoints.find((one) => one.kind === "named" && one.name === name);
}

/** Named states that have not ended by a time. */
export function liveStates({ checkpoints }: Manifest, nowMs: number): readonly NamedState[] {
  return checkpoints
    .filter((one) => one.kind === "named" && !hasEnded(one, nowMs))
    .map((one) => shown(one));
}

/** Whether the life of a checkpoint is over. What it kept may be deleted from then on. */
export function hasEnded({ expiresAtMs }: Checkpoint, nowMs: number): boolean {
  return expiresAtMs !== undefined && expiresAtMs <= nowMs;
}

/** The state without some checkpoints; undefined where there is none of them. */
export function without(
  manifest: Manifest,
  isOver: (checkpoint: Checkpoint) => boolean,
): ManifestState | undefined {
  const checkpoints = manifest.checkpoints.filter((one) => !isOver(one));
  if (checkpoints.length === manifest.checkpoints.length) return undefined;
  return { ...manifest, checkpoints };
}

/** `NotFound`, code `LSM_CHECKPOINT_NOT_FOUND`. */
export function notFound(name: string): FirnError {
  const message = "checkpoint not found, or expired";
  return new FirnError("NotFound", "LSM_CHECKPOINT_NOT_FOUND", message, { name });
}

/** What callers see of a checkpoint. */
export function shown({ name, sequence, createdAtMs, expiresAtMs }: Checkpoint): NamedState {
  return { name, sequence, createdAtMs, expiresAtMs };
}

function same(a: Checkpoint, b: Checkpoint): boolean {
  return (
    a.manifestId === b.manifestId &&
    a.createdAtMs === b.createdAtMs &&
    a.expiresAtMs === b.expiresAtMs
  );
}

/** @throws FirnError `Invalid`, code `LSM_CHECKPOINT_INVALID`. */
export function assertCheckpoint(name: string, ttlMs: number | undefined): void {
  const bytes = Buffer.byteLength(name);
  const isLife = ttlMs === undefined || (Number.isSafeInteger(ttlMs) && ttlMs > 0);
  if (bytes > 0 && bytes <= LIMITS.nameBytes && isLife) return;
  const message =
    "invalid checkpoint: the name must have 1 to 255 bytes, ttlMs must be a positive integer";
  throw invalid("LSM_CHECKPOINT_INVALID", message, { bytes });
}

function exists(name: string): FirnError {
  const message = "a checkpoint of this name exists";
  return new FirnError("AlreadyExists", "LSM_CHECKPOINT_EXISTS", message, { name });
}

/** `Invalid`, code `LSM_CHECKPOINTS_FULL`, with the limit. */
export function tooMany(): FirnError {
  const message = "too many checkpoints: delete one first";
  return invalid("LSM_CHECKPOINTS_FULL", message, { most: LSM_LIMITS.checkpoints });
}
