import type { Manifest } from "../format/manifest.ts";

/** A manifest without what its store gives it. */
export type ManifestState = Omit<Manifest, "id" | "writtenAtMs">;

/**
 * The states of one shard, each under the next id. Nothing is ever overwritten, so that of two that
 * publish after the same state exactly one wins.
 */
export interface ManifestStore {
  /** The newest state; undefined where the shard has none. @throws `Unavailable`, `Corrupt`. */
  latest(): Promise<Manifest | undefined>;
  /**
   * The newest state above `id`, or undefined where `id` is the newest. One request, if it is.
   *
   * @param sinceMs how long before this call `id` was known to be the newest: after a long time,
   *   that of the look itself among it, what would tell may have been deleted, and more must be
   *   looked at.
   */
  newerThan(id: number, sinceMs: number): Promise<Manifest | undefined>;
  /**
   * Publishes a state as the successor of `previous` (0: the first one).
   *
   * @returns undefined where another state stands there: nothing was published.
   * @throws FirnError `Unavailable` (nothing was published) or `Unknown` (it may have been, and
   *   may be yet: the same state, no other).
   */
  publish(state: ManifestState, previous: number): Promise<Manifest | undefined>;
}
