import { FirnError, invalid } from "../base/error.ts";

/** A value that its column cannot hold. @returns `Invalid` `KEY_VALUE_INVALID`. */
export function unfit(type: string, wanted: string, value: unknown): FirnError {
  return invalid("KEY_VALUE_INVALID", `a key column of type ${type} takes ${wanted}`, {
    type,
    value: shown(value),
  });
}

/** Bytes that no encoder wrote. @returns `Corrupt` `KEY_MALFORMED`. */
export function malformed(what: string, at: number): FirnError {
  return new FirnError("Corrupt", "KEY_MALFORMED", `not an ordered key: ${what}`, { at });
}

const SHOWN_CHARACTERS = 40;

function shown(value: unknown): string {
  if (typeof value === "string") return JSON.stringify(value.slice(0, SHOWN_CHARACTERS));
  if (typeof value === "object" && value !== null) return value.constructor?.name ?? "object";
  return String(value).slice(0, SHOWN_CHARACTERS);
}
