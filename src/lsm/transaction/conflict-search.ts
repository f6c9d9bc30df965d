import { assert } from "../../base/assert.ts";
import type { Sequence } from "../format/entry.ts";
import type { ReadViews, SharedView } from "../read/read-view.ts";
import { type Claims, refuse } from "./claims.ts";
import type { RecentWrites } from "./recent-writes.ts";
import type { TableWrites } from "./table-writes.ts";

/** Where writes are looked for. */
export interface WrittenPlaces {
  readonly views: ReadViews;
  readonly recent: RecentWrites;
  readonly tables: TableWrites;
  readonly lastSequence: () => Sequence;
}

/** Thrown by `check` where part of what was written meanwhile is no longer in memory. */
export const BEHIND: unique symbol = Symbol("behind");

/**
 * Looks for what others wrote to what one transaction claims. Tables are read ahead of the write,
 * which may take requests; what came since, all of it in memory, in the very turn of the write.
 */
export class ConflictSearch {
  readonly #places: WrittenPlaces;
  readonly #claims: Claims;
  readonly #snapshot: Sequence;
  /** No other has written to it up to here. */
  #judged: Sequence;

  constructor(places: WrittenPlaces, claims: Claims, snapshot: Sequence) {
    this.#places = places;
    this.#claims = claims;
    this.#snapshot = snapshot;
    this.#judged = snapshot;
  }

  /** Whether tables hold writes that are to be judged, and that memory no longer does. */
  get isBehind(): boolean {
    return this.#judged < this.#places.recent.floor;
  }

  /** Without any wait. @throws FirnError `Conflict`, code `LSM_CONFLICT`; `BEHIND`. */
  check(): void {
    if (this.isBehind) throw BEHIND;
    const { recent, lastSequence } = this.#places;
    if (lastSequence() === this.#judged) return;
    const clash = recent.after(this.#claims, this.#judged);
    if (clash !== undefined) refuse(clash, this.#snapshot);
  }

  /** Judges by tables what they hold by now. @throws as `check`; as `TableWrites.after`. */
  async readTables(): Promise<void> {
    const { views, tables, lastSequence } = this.#places;
    const view = views.current;
    const through = flushedThrough(view, lastSequence());
    assert(through >= this.#places.recent.floor, "what memory lacks lies in tables");
    const clash = await tables.after(view, this.#claims, this.#judged);
    if (clash !== undefined) refuse(clash, this.#snapshot);
    this.#judged = Math.max(this.#judged, through);
    assert(this.#judged >= this.#snapshot, "nothing is judged that the transaction reads");
  }
}

/** Everything up to it lies in the tables of a view. */
function flushedThrough({ active, frozen }: SharedView, last: Sequence): Sequence {
  const oldest = [active, ...frozen].findLast(({ isEmpty }) => !isEmpty);
  return oldest === undefined ? last : oldest.minSequence - 1;
}
