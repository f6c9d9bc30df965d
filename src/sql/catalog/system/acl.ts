import type { Privilege } from "../../../api/privileges.ts";
import type { ArrayDatum } from "../../../rows/datum.ts";
import { SqlError } from "../../error.ts";
import { vector } from "../../types/arrays.ts";
import { quoteIdentifier } from "../../types/identifier.ts";
import type { Held } from "../held.ts";
import type { ListedRole } from "../roles.ts";

/** Kinds of objects that PostgreSQL has privileges on. */
export type AclKind = "table" | "sequence" | "schema" | "database";

const READS: readonly Privilege[] = ["read-data"];
const WRITES: readonly Privilege[] = ["write-data"];

/** What PostgreSQL's privileges are here, by kind: each is held where all of these are. */
export const SQL_PRIVILEGES: Readonly<
  Record<AclKind, Readonly<Record<string, readonly Privilege[]>>>
> = {
  table: {
    SELECT: READS,
    INSERT: WRITES,
    UPDATE: WRITES,
    DELETE: WRITES,
    TRUNCATE: WRITES,
    REFERENCES: ["read-data", "alter"],
    TRIGGER: ["admin"],
  },
  sequence: { USAGE: WRITES, SELECT: READS, UPDATE: WRITES },
  schema: { CREATE: ["create"], USAGE: ["see"] },
  database: { CREATE: ["create"], CONNECT: ["see"], TEMPORARY: ["admin"], TEMP: ["admin"] },
};

/** Letters of access control lists, in PostgreSQL's order. */
const LETTERS: Readonly<Record<AclKind, readonly (readonly [string, string])[]>> = {
  table: [
    ["INSERT", "a"],
    ["SELECT", "r"],
    ["UPDATE", "w"],
    ["DELETE", "d"],
    ["TRUNCATE", "D"],
    ["REFERENCES", "x"],
  ],
  sequence: [
    ["SELECT", "r"],
    ["UPDATE", "w"],
    ["USAGE", "U"],
  ],
  schema: [
    ["USAGE", "U"],
    ["CREATE", "C"],
  ],
  database: [
    ["CREATE", "C"],
    ["CONNECT", "c"],
  ],
};

/**
 * Who was granted what on an object, or on what it lies in, as `aclitem[]`; NULL for nothing. Who
 * granted it is not kept: the owner stands for them.
 */
export function aclOf(
  roles: readonly ListedRole[],
  kind: AclKind,
  held: Held | undefined,
  owner: string,
): ArrayDatum | null {
  if (held?.path === undefined) return null;
  const items = roles.flatMap((role) => {
    const granted = new Set(role.granted(held));
    // Administrators are to the list what superusers are to PostgreSQL's: not in it.
    if (granted.has("admin")) return [];
    const grants = granted.has("manage-grants") ? "*" : "";
    const letters = LETTERS[kind].flatMap(([word, letter]) => {
      const needs = SQL_PRIVILEGES[kind][word] ?? [];
      return needs.every((need) => granted.has(need)) ? [`${letter}${grants}`] : [];
    });
    const name = role.isPublic ? "" : quoteIdentifier(role.name);
    return letters.length === 0 ? [] : [`${name}=${letters.join("")}/${quoteIdentifier(owner)}`];
  });
  return items.length === 0 ? null : vector(items);
}

/** What PostgreSQL grants everybody, and the owner, by the letter of each kind of object. */
const DEFAULTS: Readonly<Record<string, readonly [everybody: string, owner: string]>> = {
  c: ["", ""],
  r: ["", "arwdDxt"],
  s: ["", "rwU"],
  d: ["Tc", "CTc"],
  f: ["X", "X"],
  l: ["U", "U"],
  L: ["", "rw"],
  n: ["", "UC"],
  p: ["", "sA"],
  t: ["", "C"],
  F: ["", "U"],
  S: ["", "U"],
  T: ["U", "U"],
};

/** What `acldefault` answers. @throws SqlError XX000. */
export function defaultAcl(kind: string, owner: string): ArrayDatum {
  const letters = Object.hasOwn(DEFAULTS, kind) ? DEFAULTS[kind] : undefined;
  if (letters === undefined) {
    throw new SqlError("XX000", `unrecognized object type abbreviation: ${kind}`);
  }
  const name = quoteIdentifier(owner);
  const names = ["", name];
  return vector(letters.flatMap((each, i) => (each === "" ? [] : [`${names[i]}=${each}/${name}`])));
}

/** The privileges of a text such as `SELECT, INSERT`: any of them is asked for. */
export function askedPrivileges(kind: AclKind, text: string): readonly (readonly Privilege[])[] {
  return text.split(",").map((part) => {
    const [, word = "", option] = /^\s*(.*?)(\s+WITH\s+GRANT\s+OPTION)?\s*$/i.exec(part) ?? [];
    const known = SQL_PRIVILEGES[kind];
    const name = word.toUpperCase();
    const needs = Object.hasOwn(known, name) ? known[name] : undefined;
    if (needs === undefined) {
      throw new SqlError("22023", `unrecognized privilege type: "${word}"`);
    }
    return option === undefined ? needs : [...needs, "manage-grants" as const];
  });
}
