import type { Datum } from "../../rows/datum.ts";
import type { SqlContext } from "../types/context.ts";

/** What an aggregate has seen of one group. */
export interface AggregateState {
  /** The arguments of one row, NULL included. */
  add(values: readonly Datum[], context: SqlContext): void;
  /** May be called more than once, and between rows. */
  result(context: SqlContext): Datum;
}

/** An aggregate bound to the types of its call: one state a group. */
export interface Aggregate {
  create(): AggregateState;
}
