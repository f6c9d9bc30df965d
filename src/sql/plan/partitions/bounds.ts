import type { ColumnType, Datum, PartitionBound, PartitionEdge } from "../../../rows/index.ts";
import type { TypeCodec } from "../../types/codec.ts";
import type { SqlContext } from "../../types/context.ts";
import { contextWithoutSession } from "../../types/no-session.ts";
import type { TypeRegistry } from "../../types/registry.ts";
import { orderingOf } from "../output.ts";

/** A part of a partition key, as values of it are compared. */
export interface KeyType {
  readonly oid: number;
  readonly typmod: number;
  readonly codec: TypeCodec<Datum>;
  readonly compare: (left: Datum, right: Datum) => number;
}

/** @throws SqlError 42883. */
export function keyType(types: TypeRegistry, type: ColumnType): KeyType {
  const { oid, typmod } = types.fromColumnType(type);
  const { codec } = types.get(oid);
  return { oid, typmod, codec, compare: orderingOf(types, oid) };
}

/** One bound of a range: below all values, a value, or above all. */
export interface EdgeValue {
  readonly rank: -1 | 0 | 1;
  readonly value: Datum;
}

export interface ReadRange {
  readonly from: readonly EdgeValue[];
  readonly to: readonly EdgeValue[];
}

/** Bounds are written and read by the settings of no session: they mean the same to all. */
export const BOUND_CONTEXT: SqlContext = contextWithoutSession(
  { nowMs: () => 0 } as never,
  undefined as never,
  0n,
);

export function writeValue({ codec }: KeyType, value: Datum): string {
  return codec.output(value, BOUND_CONTEXT);
}

export function readValue({ codec, typmod }: KeyType, text: string): Datum {
  return codec.input(text, typmod, BOUND_CONTEXT);
}

function readEdge(type: KeyType, edge: PartitionEdge): EdgeValue {
  if (edge === "minvalue") return { rank: -1, value: null };
  if (edge === "maxvalue") return { rank: 1, value: null };
  return { rank: 0, value: readValue(type, edge.value) };
}

export function readRange(
  keys: readonly KeyType[],
  { from, to }: Extract<PartitionBound, { readonly kind: "range" }>,
): ReadRange {
  const read = (edges: readonly PartitionEdge[]): readonly EdgeValue[] =>
    edges.map((edge, i) => readEdge(keys[i] as KeyType, edge));
  return { from: read(from), to: read(to) };
}

/** A bound against a value; 0: equal. */
export function compareEdge({ compare }: KeyType, edge: EdgeValue, value: Datum): number {
  return edge.rank === 0 ? compare(edge.value, value) : edge.rank;
}

/** A bound against a whole key. */
export function compareEdges(
  keys: readonly KeyType[],
  edges: readonly EdgeValue[],
  key: readonly Datum[],
): number {
  for (const [i, edge] of edges.entries()) {
    const order = compareEdge(keys[i] as KeyType, edge, key[i] as Datum);
    if (order !== 0) return order;
  }
  return 0;
}

/** Two bounds: what follows MINVALUE or MAXVALUE says nothing. */
export function compareBounds(
  keys: readonly KeyType[],
  left: readonly EdgeValue[],
  right: readonly EdgeValue[],
): number {
  for (const [i, { compare }] of keys.entries()) {
    const [mine, theirs] = [left[i] as EdgeValue, right[i] as EdgeValue];
    if (mine.rank !== theirs.rank) return mine.rank - theirs.rank;
    if (mine.rank !== 0) return 0;
    const order = compare(mine.value, theirs.value);
    if (order !== 0) return order;
  }
  return 0;
}
