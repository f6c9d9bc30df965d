/** The most of a key or a value that is shown. */
const SHOWN_UNITS = 64;

/** Bytes as a text that fits a line and a terminal: `\xNN` for what does not print. */
export function printable(bytes: string | Uint8Array): string {
  const text =
    typeof bytes === "string"
      ? bytes.slice(0, SHOWN_UNITS)
      : Buffer.from(bytes.subarray(0, SHOWN_UNITS)).toString("latin1");
  const shown = text.replace(/[^\x20-\x7e]|["\\]/g, escaped);
  const left = bytes.length - text.length;
  return left > 0 ? `"${shown}" and ${left} bytes` : `"${shown}"`;
}

/** All of a key (one character a byte) as a text that `keyOfText` reads. */
export function textOfKey(key: string): string {
  return key.replace(/[^\x20-\x7e]|["\\]/g, escaped);
}

/** The bytes of a text of `textOfKey`; undefined where it is none: `\xNN`, `\"`, `\\`, ASCII. */
export function keyOfText(text: string): Uint8Array | undefined {
  const plain = text.replace(/\\(?:x[0-9a-fA-F]{2}|["\\])/g, "");
  if (/[^\x20-\x7e]|\\/.test(plain)) return undefined;
  const key = text.replace(/\\(?:x([0-9a-fA-F]{2})|(["\\]))/g, (_, hex: string, unit: string) =>
    hex === undefined ? unit : String.fromCharCode(Number.parseInt(hex, 16)),
  );
  return Buffer.from(key, "latin1");
}

function escaped(unit: string): string {
  if (unit === '"' || unit === "\\") return `\\${unit}`;
  return `\\x${unit.charCodeAt(0).toString(16).padStart(2, "0")}`;
}
