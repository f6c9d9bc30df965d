import type { Datum } from "../../rows/datum.ts";
import { vector } from "../types/arrays.ts";
import { type CallTypes, type Family, typed } from "./implementation.ts";

function places(call: CallTypes): ReadonlyMap<Datum, number> {
  const { labels = [] } = call.types.get(call.types.baseOf(call.arguments[0] ?? 0));
  return new Map(labels.map((label, place) => [label, place]));
}

function ordered(holds: (order: number) => boolean): Family[string] {
  return typed((call) => {
    const place = places(call);
    return (a: Datum, b: Datum) => holds((place.get(a) ?? 0) - (place.get(b) ?? 0));
  });
}

function chosen(isFirst: (order: number) => boolean): Family[string] {
  return typed((call) => {
    const place = places(call);
    return (a: Datum, b: Datum) => (isFirst((place.get(a) ?? 0) - (place.get(b) ?? 0)) ? a : b);
  });
}

export const enumFamily: Family = {
  enum_eq: (a: string, b: string) => a === b,
  enum_ne: (a: string, b: string) => a !== b,
  enum_lt: ordered((order) => order < 0),
  enum_le: ordered((order) => order <= 0),
  enum_gt: ordered((order) => order > 0),
  enum_ge: ordered((order) => order >= 0),
  enum_larger: chosen((order) => order > 0),
  enum_smaller: chosen((order) => order < 0),
  enum_first: typed((call) => {
    const [first] = [...places(call).keys()];
    return () => first ?? null;
  }),
  enum_last: typed((call) => {
    const last = [...places(call).keys()].at(-1);
    return () => last ?? null;
  }),
  enum_range_bounds: typed((call) => {
    const labels = [...places(call).keys()];
    return (from: Datum, to: Datum) => {
      const first = from === null ? 0 : labels.indexOf(from);
      const last = to === null ? labels.length : labels.indexOf(to);
      return vector(labels.slice(first, last + 1));
    };
  }),
  enum_range_all: typed((call) => {
    const labels = vector([...places(call).keys()]);
    return () => labels;
  }),
};
