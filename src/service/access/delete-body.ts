import type { FirnError } from "../../base/error.ts";
import { sha256Hex } from "../../base/hash.ts";
import { signRefused } from "./sign-refused.ts";

/*
 * The body of a deletion of several objects, as S3 reads it: keys of the current versions, and
 * nothing else. What is signed is the hash of the very bytes that were read here.
 */

const MOST_KEYS = 1_000;
const DECLARATION = String.raw`(?:<\?xml version="1\.0"(?: encoding="UTF-8")?\s*\?>)?`;
const NAMESPACE = String.raw`(?: xmlns="http://s3\.amazonaws\.com/doc/2006-03-01/")?`;
const OPENING = new RegExp(String.raw`^${DECLARATION}\s*<Delete${NAMESPACE}>`);
const CLOSING = "</Delete>";
const PART =
  /\s*(?:<Object>\s*<Key>([^<]*)<\/Key>\s*<\/Object>|<Quiet>(?:true|false)<\/Quiet>)\s*/y;
const ENTITIES: Readonly<Record<string, string>> = {
  amp: "&",
  lt: "<",
  gt: ">",
  quot: '"',
  apos: "'",
};

/**
 * Keys that a body deletes, and the hash of it.
 *
 * @throws FirnError `Forbidden` `SIGN_REFUSED`.
 */
export function keysToDelete(body: string | undefined): {
  readonly keys: readonly string[];
  readonly sha256: string;
} {
  if (body === undefined) throw signRefused("a deletion of several objects comes with its body");
  if (!body.isWellFormed() || body.includes("<!")) throw notAList();
  const opening = OPENING.exec(body)?.[0];
  const text = body.trimEnd();
  if (opening === undefined || !text.endsWith(CLOSING)) throw notAList();
  const end = text.length - CLOSING.length;
  const keys: string[] = [];
  let at = opening.length;
  while (at < end) {
    PART.lastIndex = at;
    const found = PART.exec(text);
    if (found === null) throw notAList();
    if (found[1] !== undefined) keys.push(textOf(found[1]));
    if (keys.length > MOST_KEYS) throw notAList();
    at = PART.lastIndex;
  }
  if (keys.length === 0 || at !== end) throw notAList();
  return { keys, sha256: sha256Hex(Buffer.from(body)) };
}

function notAList(): FirnError {
  return signRefused(`its body is not a list of 1 to ${MOST_KEYS} keys, each without a version`);
}

function textOf(escaped: string): string {
  return escaped.replace(/&([^;]*)(;?)/g, (_whole, name: string, end: string) => {
    const known = ENTITIES[name] ?? characterOf(name);
    if (known === undefined || end === "") throw notAList();
    return known;
  });
}

function characterOf(name: string): string | undefined {
  const [, hex, decimal] = /^#(?:x([0-9a-fA-F]{1,6})|([0-9]{1,7}))$/.exec(name) ?? [];
  const code = hex === undefined ? Number(decimal ?? Number.NaN) : Number.parseInt(hex, 16);
  const isCharacter = code > 0 && code <= 0x10ffff && !(code >= 0xd800 && code <= 0xdfff);
  return isCharacter ? String.fromCodePoint(code) : undefined;
}
