import type { Datum } from "../../rows/datum.ts";
import { OID } from "../types/oids.ts";
import { type Family, typed } from "./implementation.ts";

/** Fields are compared by their own types, and NULL is equal to NULL. */
function comparison(holds: (order: number) => boolean): Family[string] {
  return typed(({ types }) => {
    const { compare } = types.get(OID.record).codec;
    return (a: Datum, b: Datum) => holds(compare?.(a, b) ?? 0);
  });
}

export const recordFamily: Family = {
  record_eq: comparison((order) => order === 0),
  record_ne: comparison((order) => order !== 0),
  record_lt: comparison((order) => order < 0),
  record_le: comparison((order) => order <= 0),
  record_gt: comparison((order) => order > 0),
  record_ge: comparison((order) => order >= 0),
};
