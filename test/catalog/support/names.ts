import fc from "fast-check";
import { utf8Length } from "../../../src/base/bytes.ts";
import { FirnError } from "../../../src/base/error.ts";
import { LIMITS } from "../../../src/base/limits.ts";
import { checkName } from "../../../src/catalog/names.ts";

function isLegal(text: string): boolean {
  try {
    return checkName(text, "test") === text;
  } catch (error) {
    if (error instanceof FirnError && error.kind === "Invalid") return false;
    throw error;
  }
}

/** As much of a text as a name may hold. */
function cut(text: string): string {
  let out = "";
  for (const point of text) {
    if (utf8Length(out) + utf8Length(point) > LIMITS.nameBytes) break;
    out += point;
  }
  return out;
}

/** Any name that is legal as it stands: short and long, of one script or all. */
export const legalName: fc.Arbitrary<string> = fc
  .oneof(
    fc.string({ unit: "grapheme", minLength: 1, maxLength: 20 }),
    fc.string({ unit: "binary", minLength: 1, maxLength: 255 }),
    fc.string({ unit: fc.constantFrom("a", "ä", "漢", "🧊", "/", "%", "~"), minLength: 80 }),
    fc.constantFrom("~", "~a", ".", "..", "%2F", "a/b", "x".repeat(255), "ß".repeat(127)),
  )
  .map((text) => cut(text.normalize("NFC")))
  .filter(isLegal);
