import { IdMap, type IdSet } from "../base/id-map.ts";
import { atOnce, type Steps } from "../base/steps.ts";
import { ChunkedList } from "./chunked-list.ts";
import { modelInvalid } from "./errors.ts";
import type { Snapshot } from "./snapshot.ts";

/** The error of a snapshot whose id is taken. */
export function snapshotExists(snapshotId: bigint): Error {
  return modelInvalid("SNAPSHOT_INVALID", "snapshot already exists", { snapshotId });
}

/** Positions that an id stands at in some list: almost always one. */
type Positions = IdMap<bigint, number | readonly number[]>;

/**
 * The snapshots of one table metadata, in the file's order. Lists that grew out of each other share
 * one index from id to position. It says every position that an id has in any of them, so a
 * position holds for a list only if that list has that snapshot there: appending copies no index,
 * and an older list stays as it was.
 */
export class SnapshotList {
  readonly items: ChunkedList<Snapshot>;
  readonly #positions: Positions;

  private constructor(items: ChunkedList<Snapshot>, positions: Positions) {
    this.items = items;
    this.#positions = positions;
  }

  /** @throws FirnError `Invalid` `SNAPSHOT_INVALID`: an id stands twice. */
  static of(items: readonly Snapshot[]): SnapshotList {
    return atOnce(SnapshotList.#indexSteps(ChunkedList.of(items)));
  }

  /** A list whose ids were found distinct before, and indexed by position in a map given up. */
  static indexed(items: ChunkedList<Snapshot>, positions: Positions): SnapshotList {
    return new SnapshotList(items, positions);
  }

  static *#indexSteps(list: ChunkedList<Snapshot>): Steps<SnapshotList> {
    const positions: Positions = new IdMap();
    let position = 0;
    for (const { items } of list.chunks) {
      for (const { snapshotId } of items) {
        if (positions.has(snapshotId)) {
          throw modelInvalid("SNAPSHOT_INVALID", "duplicate snapshot id", { snapshotId });
        }
        positions.set(snapshotId, position++);
      }
      yield;
    }
    return new SnapshotList(list, positions);
  }

  find(snapshotId: bigint): Snapshot | undefined {
    const positions = this.#positions.get(snapshotId);
    if (positions === undefined) return undefined;
    if (typeof positions === "number") return this.#foundAt(positions, snapshotId);
    for (const position of positions) {
      const found = this.#foundAt(position, snapshotId);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  #foundAt(position: number, snapshotId: bigint): Snapshot | undefined {
    const item = this.items.at(position);
    return item?.snapshotId === snapshotId ? item : undefined;
  }

  has(snapshotId: bigint): boolean {
    return this.find(snapshotId) !== undefined;
  }

  /** @throws FirnError `Invalid` `SNAPSHOT_INVALID`: the id is in the list. */
  append(snapshot: Snapshot): SnapshotList {
    const { snapshotId } = snapshot;
    if (this.has(snapshotId)) {
      throw snapshotExists(snapshotId);
    }
    this.#note(snapshotId, this.items.length);
    return new SnapshotList(this.items.append(snapshot), this.#positions);
  }

  /** With others behind it, whose ids are not in the list and differ. */
  appendAll(snapshots: readonly Snapshot[]): SnapshotList {
    let position = this.items.length;
    for (const { snapshotId } of snapshots) this.#note(snapshotId, position++);
    return new SnapshotList(this.items.appendAll(snapshots), this.#positions);
  }

  /** Another list that grew out of the same one may have put the id elsewhere. */
  #note(snapshotId: bigint, position: number): void {
    const known = this.#positions.get(snapshotId);
    const others = known === undefined ? [] : typeof known === "number" ? [known] : known;
    if (others.includes(position)) return;
    this.#positions.set(snapshotId, others.length === 0 ? position : [...others, position]);
  }

  /**
   * The snapshots of this list that another one lacks: by id and time, since an id may come back.
   * Costs the chunks that the two do not share.
   */
  *lackingSteps(from: SnapshotList): Steps<readonly Snapshot[]> {
    const lacking: Snapshot[] = [];
    for (const { items } of this.items.notShared(from.items)) {
      for (const item of items) {
        if (from.find(item.snapshotId)?.timestampMs !== item.timestampMs) lacking.push(item);
      }
      yield;
    }
    return lacking;
  }

  /** Those that are to stay. Costs a new index, which is as long as the list. */
  *filterSteps(stays: (snapshot: Snapshot) => boolean): Steps<SnapshotList> {
    const items = yield* this.items.filterSteps(stays);
    return items === this.items ? this : yield* SnapshotList.#indexSteps(items);
  }

  withoutSteps(snapshotIds: IdSet<bigint>): Steps<SnapshotList> {
    return this.filterSteps((item) => !snapshotIds.has(item.snapshotId));
  }
}
