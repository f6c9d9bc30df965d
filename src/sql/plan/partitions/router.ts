import type { Datum, Partitioned } from "../../../rows/index.ts";
import { rowKey } from "../../exec/row-key.ts";
import { hashOf, keyHash } from "../../functions/partition-hash.ts";
import type { TypeRegistry } from "../../types/registry.ts";
import { compareBounds, compareEdges, type KeyType, readRange, readValue } from "./bounds.ts";

/** The place of the partition that a key belongs to, among the members; undefined for none. */
export type Router = (key: readonly Datum[]) => number | undefined;

/** @throws SqlError 0A000, 42883: keys of a type that cannot be told apart. */
export function routerOf(
  types: TypeRegistry,
  { strategy, members }: Pick<Partitioned, "strategy" | "members">,
  keys: readonly KeyType[],
): Router {
  const found = members.findIndex(({ bound }) => bound.kind === "default");
  const fallback = found < 0 ? undefined : found;
  switch (strategy) {
    case "range":
      return rangeRouter(members, keys, fallback);
    case "list":
      return listRouter(types, members, keys, fallback);
    case "hash":
      return hashRouter(members, keys);
  }
}

type Members = Partitioned["members"];

function rangeRouter(members: Members, keys: readonly KeyType[], fallback: number | undefined) {
  const ranges = members
    .flatMap(({ bound }, place) =>
      bound.kind === "range" ? [{ place, ...readRange(keys, bound) }] : [],
    )
    .sort((a, b) => compareBounds(keys, a.from, b.from));
  return (key: readonly Datum[]): number | undefined => {
    if (keys.some((_, i) => (key[i] ?? null) === null)) return fallback;
    let [low, high] = [0, ranges.length];
    // The first range that begins behind the key.
    while (low < high) {
      const middle = (low + high) >> 1;
      const range = ranges[middle] as (typeof ranges)[0];
      if (compareEdges(keys, range.from, key) > 0) high = middle;
      else low = middle + 1;
    }
    const range = ranges[low - 1];
    if (range === undefined || compareEdges(keys, range.to, key) <= 0) return fallback;
    return range.place;
  };
}

function listRouter(
  types: TypeRegistry,
  members: Members,
  keys: readonly KeyType[],
  fallback: number | undefined,
): Router {
  const [key] = keys as readonly [KeyType];
  const name = rowKey(types, [key.oid]);
  const places = new Map<string, number>();
  for (const [place, { bound }] of members.entries()) {
    if (bound.kind !== "list") continue;
    for (const text of bound.values) {
      places.set(name([text === null ? null : readValue(key, text)]), place);
    }
  }
  return (values) => places.get(name(values)) ?? fallback;
}

function hashRouter(members: Members, keys: readonly KeyType[]): Router {
  const hashes = keys.map(({ oid }) => hashOf(oid));
  const parts = members.flatMap(({ bound }, place) =>
    bound.kind === "hash"
      ? [{ place, modulus: BigInt(bound.modulus), remainder: BigInt(bound.remainder) }]
      : [],
  );
  return (key) => {
    const hash = keyHash(hashes, key);
    return parts.find(({ modulus, remainder }) => hash % modulus === remainder)?.place;
  };
}
