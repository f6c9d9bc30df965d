import type { VisibleCursor } from "./merge-visible.ts";

/** A batch of a scan while it is filled. */
export interface Filling<Rows> {
  readonly length: number;
  /** Takes the row that a cursor stands on; false where the batch has to end before it. */
  add(cursor: VisibleCursor, passed: number): boolean;
  /** Takes what can be had at once of the rows behind it. */
  fill(cursor: VisibleCursor): void;
  rows(): Rows;
}
