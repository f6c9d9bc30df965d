import type { Interval } from "../../rows/datum.ts";
import { SqlError } from "../error.ts";

const INT4_MAX = 2_147_483_647;
const INT8_MAX = 0x7fff_ffff_ffff_ffffn;

export function intervalOutOfRange(): SqlError {
  return new SqlError("22008", "interval out of range");
}

/** @throws SqlError 22008 where a part does not fit. */
export function makeInterval(months: number, days: number, micros: bigint): Interval {
  const isOver = (value: number): boolean => value > INT4_MAX || value < -INT4_MAX - 1;
  if (isOver(months) || isOver(days) || micros > INT8_MAX || micros < -INT8_MAX - 1n) {
    throw intervalOutOfRange();
  }
  return { months: months === 0 ? 0 : months, days: days === 0 ? 0 : days, micros };
}
