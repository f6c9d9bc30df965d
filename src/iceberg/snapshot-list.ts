import { modelInvalid } from "./errors.ts";
import type { Snapshot } from "./snapshot.ts";

/**
 * The snapshots of one table metadata, in the file's order. Lists that grew out of each other share
 * one index from id to position: a position holds for a list only if that list has that snapshot
 * there, so that appending costs no copy of the index and an older list stays as it was.
 */
export class SnapshotList {
  readonly items: readonly Snapshot[];
  readonly #positions: Map<bigint, number>;

  private constructor(items: readonly Snapshot[], positions: Map<bigint, number>) {
    this.items = items;
    this.#positions = positions;
  }

  /** @throws CatalogError `Invalid` `SNAPSHOT_INVALID`: an id stands twice. */
  static of(items: readonly Snapshot[]): SnapshotList {
    const positions = new Map<bigint, number>();
    for (const [position, { snapshotId }] of items.entries()) {
      if (positions.has(snapshotId)) {
        throw modelInvalid("SNAPSHOT_INVALID", "snapshot id is used twice", { snapshotId });
      }
      positions.set(snapshotId, position);
    }
    return new SnapshotList(items, positions);
  }

  find(snapshotId: bigint): Snapshot | undefined {
    const position = this.#positions.get(snapshotId);
    if (position === undefined) return undefined;
    const item = this.items[position];
    if (item?.snapshotId === snapshotId) return item;
    // Another list that grew out of the same one may have put this id elsewhere.
    return this.items.find((snapshot) => snapshot.snapshotId === snapshotId);
  }

  has(snapshotId: bigint): boolean {
    return this.find(snapshotId) !== undefined;
  }

  /** @throws CatalogError `Invalid` `SNAPSHOT_INVALID`: the id is in the list. */
  append(snapshot: Snapshot): SnapshotList {
    const { snapshotId } = snapshot;
    if (this.has(snapshotId)) {
      throw modelInvalid("SNAPSHOT_INVALID", "snapshot already exists", { snapshotId });
    }
    this.#positions.set(snapshotId, this.items.length);
    return new SnapshotList([...this.items, snapshot], this.#positions);
  }

  /**
   * The snapshots of this list that another one lacks: by id and time, since an id may come back.
   * Costs what differs behind the part that both share, and nothing for two lists of which one
   * grew out of the other.
   */
  lacking(from: SnapshotList): readonly Snapshot[] {
    let shared = 0;
    while (shared < this.items.length && this.items[shared] === from.items[shared]) shared++;
    if (shared === this.items.length) return [];
    const rest = shared === from.items.length ? undefined : from;
    return this.items
      .slice(shared)
      .filter((item) => rest?.find(item.snapshotId)?.timestampMs !== item.timestampMs);
  }

  without(snapshotIds: ReadonlySet<bigint>): SnapshotList {
    return SnapshotList.of(this.items.filter((item) => !snapshotIds.has(item.snapshotId)));
  }
}
