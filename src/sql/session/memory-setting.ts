import { SqlError } from "../error.ts";

const UNITS: Readonly<Record<string, number>> = {
  B: 1,
  kB: 1_024,
  MB: 1_048_576,
  GB: 1_073_741_824,
  TB: 1_099_511_627_776,
};

/** Bytes of a setting as `memory` keeps it. */
export function memoryBytes(kept: string): number {
  const [, number = "0", unit = "kB"] = /^(\d+)(\w+)?$/.exec(kept) ?? [];
  return Number(number) * (UNITS[unit] ?? 1);
}

/**
 * A setting of kilobytes, with or without a unit.
 *
 * @throws SqlError 22023. @returns it in the largest unit of which it is a whole number.
 */
export function memory(name: string, least: number, most: number): (value: string) => string {
  return (value) => {
    const found = /^\s*([+-]?(?:\d+\.?\d*|\.\d+))\s*([a-zA-Z]*)\s*$/.exec(value);
    if (found === null) throw invalid(name, value);
    const [, number = "", unit = ""] = found;
    const size = UNITS[unit === "" ? "kB" : unit];
    if (size === undefined) {
      const hint = 'Valid units for this parameter are "B", "kB", "MB", "GB", and "TB".';
      throw invalid(name, value, hint);
    }
    const kilobytes = Math.round((Number(number) * size) / 1_024);
    if (kilobytes < least || kilobytes > most) {
      const message =
        `${kilobytes} kB is outside the valid range for parameter "${name}" ` +
        `(${least} kB .. ${most} kB)`;
      throw new SqlError("22023", message);
    }
    return shown(kilobytes);
  };
}

function shown(kilobytes: number): string {
  if (kilobytes === 0) return "0";
  for (const unit of ["TB", "GB", "MB"]) {
    const each = (UNITS[unit] as number) / 1_024;
    if (kilobytes % each === 0) return `${kilobytes / each}${unit}`;
  }
  return `${kilobytes}kB`;
}

function invalid(name: string, value: string, hint?: string): SqlError {
  const message = `invalid value for parameter "${name}": "${value}"`;
  return new SqlError("22023", message, hint === undefined ? {} : { hint });
}
