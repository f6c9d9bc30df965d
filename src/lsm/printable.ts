import type { Key } from "./format/entry.ts";

/** The most of a key or a value that is shown. */
const SHOWN_UNITS = 64;

/** Bytes as a text that fits a line and a terminal: `\xNN` for what does not print. */
export function printable(bytes: Key | Uint8Array): string {
  const text =
    typeof bytes === "string"
      ? bytes.slice(0, SHOWN_UNITS)
      : Buffer.from(bytes.subarray(0, SHOWN_UNITS)).toString("latin1");
  const shown = text.replace(/[^\x20-\x7e]|["\\]/g, escaped);
  const left = bytes.length - text.length;
  return left > 0 ? `"${shown}" and ${left} bytes` : `"${shown}"`;
}

function escaped(unit: string): string {
  if (unit === '"' || unit === "\\") return `\\${unit}`;
  return `\\x${unit.charCodeAt(0).toString(16).padStart(2, "0")}`;
}
