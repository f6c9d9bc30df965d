import { IdMap, IdSet } from "../base/id-map.ts";
import type { Steps } from "../base/steps.ts";
import type { Snapshot } from "./snapshot.ts";
import type { SnapshotList } from "./snapshot-list.ts";
import type { SnapshotRef } from "./snapshot-ref.ts";

/**
 * The snapshots of a table while the updates of one request are applied: each update costs what it
 * changes, and the list is made anew once, from what is left of it and what came.
 */
export class DraftSnapshots {
  readonly #base: SnapshotList;
  readonly #removed: IdSet<bigint> = new IdSet();
  readonly #added: IdMap<bigint, Snapshot> = new IdMap();

  constructor(base: SnapshotList) {
    this.#base = base;
  }

  find(id: bigint): Snapshot | undefined {
    return this.#added.get(id) ?? (this.#removed.has(id) ? undefined : this.#base.find(id));
  }

  has(id: bigint): boolean {
    return this.find(id) !== undefined;
  }

  /** Adds a snapshot whose id is not there. */
  append(snapshot: Snapshot): void {
    this.#added.set(snapshot.snapshotId, snapshot);
  }

  /** Says whether it was there. */
  remove(id: bigint): boolean {
    if (this.#added.delete(id)) return true;
    if (this.#removed.has(id) || !this.#base.has(id)) return false;
    this.#removed.add(id);
    return true;
  }

  *toList(): Steps<SnapshotList> {
    const kept =
      this.#removed.size === 0 ? this.#base : yield* this.#base.withoutSteps(this.#removed);
    return this.#added.size === 0 ? kept : kept.appendAll([...this.#added.values()]);
  }
}

/** Branches and tags while updates are applied, by name and by the snapshot that they name. */
export class DraftRefs {
  readonly #base: ReadonlyMap<string, SnapshotRef>;
  #own: Map<string, SnapshotRef> | undefined;
  #names: IdMap<bigint, Set<string>> | undefined;

  constructor(base: ReadonlyMap<string, SnapshotRef>) {
    this.#base = base;
  }

  get(name: string): SnapshotRef | undefined {
    return this.toMap().get(name);
  }

  set(name: string, ref: SnapshotRef): void {
    this.#forget(name);
    this.#mine().set(name, ref);
    if (this.#names !== undefined) note(this.#names, name, ref);
  }

  /** Says whether it was there. */
  delete(name: string): boolean {
    this.#forget(name);
    return this.toMap().has(name) && this.#mine().delete(name);
  }

  /** Those that name a snapshot. */
  namesOf(snapshotId: bigint): readonly string[] {
    if (this.#names === undefined) {
      this.#names = new IdMap();
      for (const [name, ref] of this.toMap()) note(this.#names, name, ref);
    }
    return [...(this.#names.get(snapshotId) ?? [])];
  }

  toMap(): ReadonlyMap<string, SnapshotRef> {
    return this.#own ?? this.#base;
  }

  #forget(name: string): void {
    const ref = this.get(name);
    if (ref !== undefined) this.#names?.get(ref.snapshotId)?.delete(name);
  }

  #mine(): Map<string, SnapshotRef> {
    this.#own ??= new Map(this.#base);
    return this.#own;
  }
}

function note(names: IdMap<bigint, Set<string>>, name: string, { snapshotId }: SnapshotRef): void {
  const there = names.get(snapshotId);
  if (there === undefined) names.set(snapshotId, new Set([name]));
  else there.add(name);
}
