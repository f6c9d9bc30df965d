import type { Clock } from "../../base/clock.ts";
import { FirnError } from "../../base/error.ts";
import type { BlobStore } from "../../blob/port.ts";
import { isForeign, type Manifest } from "../format/manifest.ts";
import type { Checkpoint, Parent } from "../format/manifest-records.ts";
import { ManifestObjects } from "../manifest/objects.ts";
import type { ManifestStore } from "../manifest/store.ts";
import { without } from "./checkpoints.ts";
import { amend } from "./pin.ts";

/*
 * What a clone and its parent owe each other. A clone names tables where they lie, with the parent
 * or with one of the parent's own parents. They stay because the parent keeps the manifest that
 * named them when the clone was made: by a checkpoint, the pin, whose name no other clone ever has.
 *
 *   pinned with a life   the clone's first manifest is about to be put, or was, a moment ago
 *   pinned for good      the clone was acknowledged, or opened
 *   not pinned           it never was, or no manifest of the clone needs anything of the parent
 *
 * The first becomes the second by any process that opens the clone, and the third by the parent's
 * collector. Both publish states of the parent, of which one comes first: so no clock is asked
 * whether a pin may still be had. Once it is gone it never comes back.
 */

/** Where the states of another shard of the store are published, by its prefix. */
export type ManifestsOf = (prefix: string) => ManifestStore;

/** Numbered objects below each prefix. */
export function objectsOf(store: BlobStore, clock: Clock, gcMinAgeMs: number): ManifestsOf {
  return (prefix) => new ManifestObjects({ store, clock, prefix, gcMinAgeMs });
}

/** What a state keeps for the clone of that name. */
export function pinnedIn({ checkpoints }: Manifest, name: string): Checkpoint | undefined {
  return checkpoints.find((one) => one.kind === "clone" && one.name === name);
}

/**
 * Makes sure that what a state names of others stays, for good. No request where it names nothing;
 * three, and three more the first time.
 *
 * @throws FirnError `NotFound`, code `LSM_CLONE_UNFINISHED`: the parent keeps nothing for it;
 *   as `amend`.
 */
export async function holdParent(manifestsOf: ManifestsOf, clone: Manifest): Promise<void> {
  const { parent } = clone;
  if (parent === undefined || !isForeign(clone)) return;
  await amend(manifestsOf(parent.prefix), (newest) => {
    const pin = pinnedIn(newest, parent.pin);
    if (pin === undefined) throw unfinished(parent);
    if (pin.expiresAtMs === undefined) return undefined;
    const others = newest.checkpoints.filter((one) => one !== pin);
    return { ...newest, checkpoints: [...others, { ...pin, expiresAtMs: undefined }] };
  }).catch((error: unknown) => {
    throw isGone(error) ? unfinished(parent) : error;
  });
}

/** Whether the parent keeps what a state names of it. @throws what the store throws. */
export async function isHeld(manifestsOf: ManifestsOf, clone: Manifest): Promise<boolean> {
  const { parent } = clone;
  if (parent === undefined || !isForeign(clone)) return true;
  const newest = await manifestsOf(parent.prefix).latest();
  return newest !== undefined && pinnedIn(newest, parent.pin) !== undefined;
}

/**
 * Whether a state that a newer one came behind is of a clone that was never made, in the same
 * place: no checkpoint keeps the tables it names. Collectors treat it as any older state.
 */
export function isAbandoned(state: Manifest, newer: Manifest): boolean {
  return isForeign(state) && state.parent?.pin !== newer.parent?.pin;
}

/** Nothing of the parent is needed any more. May be said again. @throws as `amend`. */
export async function letGoOfParent(manifestsOf: ManifestsOf, parent: Parent): Promise<void> {
  const { prefix, pin } = parent;
  await amend(manifestsOf(prefix), (newest) => {
    const standing = pinnedIn(newest, pin);
    return standing && without(newest, (one) => one === standing);
  }).catch((error: unknown) => {
    if (!isGone(error)) throw error;
  });
}

function isGone(error: unknown): boolean {
  if (!(error instanceof FirnError)) return false;
  return error.code === "LSM_NO_SHARD" || error.code === "LSM_SHARD_DELETED";
}

function unfinished({ prefix, pin }: Parent): FirnError {
  const message = "unfinished clone: its parent retains nothing for it; clone again";
  return new FirnError("NotFound", "LSM_CLONE_UNFINISHED", message, { parent: prefix, pin });
}
