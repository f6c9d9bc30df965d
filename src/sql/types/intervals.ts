import type { Interval } from "../../rows/datum.ts";
import { invalidBinary } from "../error.ts";
import { order, type TypeCodec } from "./codec.ts";
import { roundMicros } from "./dates.ts";
import { ALL_FIELDS, FIELDS, readInterval } from "./interval-input.ts";
import { intervalText } from "./interval-text.ts";

export const MONTH_DAYS = 30;
const DAY_MICROS = 86_400_000_000n;

/** The fields that a modifier keeps (`YEAR TO MONTH`) and the digits of its seconds. */
export function applyIntervalModifier(value: Interval, typmod: number): Interval {
  if (typmod < 0) return value;
  const range = rangeOf(typmod);
  const precision = typmod & 0xffff;
  const kept = range === ALL_FIELDS ? value : restrict(value, range);
  return precision > 6 ? kept : { ...kept, micros: roundMicros(kept.micros, precision) };
}

function rangeOf(typmod: number): number {
  return typmod < 0 ? ALL_FIELDS : (typmod >> 16) & ALL_FIELDS;
}

function restrict(value: Interval, range: number): Interval {
  const { months, days, micros } = value;
  const cut = (unit: bigint): bigint => (micros / unit) * unit;
  if ((range & FIELDS.second) !== 0) return value;
  if ((range & FIELDS.minute) !== 0) return { months, days, micros: cut(60_000_000n) };
  if ((range & FIELDS.hour) !== 0) return { months, days, micros: cut(3_600_000_000n) };
  if ((range & FIELDS.day) !== 0) return { months, days, micros: 0n };
  if ((range & FIELDS.month) !== 0) return { months, days: 0, micros: 0n };
  return { months: Math.trunc(months / 12) * 12, days: 0, micros: 0n };
}

/** Days of 24 hours and months of 30 days: what comparisons look at. */
function span({ months, days, micros }: Interval): bigint {
  return (BigInt(months) * BigInt(MONTH_DAYS) + BigInt(days)) * DAY_MICROS + micros;
}

export const interval: TypeCodec<Interval> = {
  input: (text, typmod, { settings }) =>
    applyIntervalModifier(readInterval(text, rangeOf(typmod), settings.intervalStyle), typmod),
  output: (value, { settings }) => intervalText(value, settings.intervalStyle),
  receive(bytes, typmod) {
    if (bytes.length !== 16) throw invalidBinary("interval");
    const value = {
      months: bytes.readInt32BE(12),
      days: bytes.readInt32BE(8),
      micros: bytes.readBigInt64BE(0),
    };
    return applyIntervalModifier(value, typmod);
  },
  send({ months, days, micros }) {
    const bytes = Buffer.allocUnsafe(16);
    bytes.writeBigInt64BE(micros, 0);
    bytes.writeInt32BE(days, 8);
    bytes.writeInt32BE(months, 12);
    return bytes;
  },
  compare: (left, right) => order(span(left), span(right)),
  hash: span,
};
