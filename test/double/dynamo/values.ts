import { compareUtf8, utf8Length } from "../../../src/base/bytes.ts";
import { addDecimals, canonical, compareDecimals, decimalBytes } from "./decimal.ts";
import { invalid } from "./refusal.ts";
import type { Item, Value } from "./value-types.ts";

export type TypeName = "S" | "N" | "B" | "BOOL" | "NULL" | "SS" | "NS" | "BS" | "L" | "M";

const TYPES: ReadonlySet<string> = new Set([
  ...["S", "N", "B", "BOOL", "NULL", "SS", "NS", "BS", "L", "M"],
]);

export function typeOf(value: Value): TypeName {
  return Object.keys(value)[0] as TypeName;
}

/** A value of the wire, numbers in canonical form. @throws Refused `ValidationException` */
export function readValue(raw: unknown): Value {
  const members = Object.entries(isObject(raw) ? raw : {});
  const [type, content] = members[0] ?? ["", undefined];
  if (members.length !== 1 || !TYPES.has(type)) {
    throw invalid("Supplied AttributeValue is empty, must contain exactly one of the supported");
  }
  switch (type as TypeName) {
    case "S":
      return { S: text(content) };
    case "N":
      return { N: canonical(text(content)) };
    case "B":
      return { B: Buffer.from(text(content), "base64").toString("base64") };
    case "BOOL":
      return { BOOL: content === true };
    case "NULL":
      return { NULL: true };
    case "SS":
      return { SS: array(content).map(text) };
    case "NS":
      return { NS: array(content).map((each) => canonical(text(each))) };
    case "BS":
      return { BS: array(content).map(text) };
    case "L":
      return { L: array(content).map(readValue) };
    case "M":
      return { M: readItem(content) };
  }
}

export function readItem(raw: unknown): Item {
  if (!isObject(raw)) throw invalid("An item is a map of attributes");
  return Object.fromEntries(Object.entries(raw).map(([name, value]) => [name, readValue(value)]));
}

export function isObject(raw: unknown): raw is Record<string, unknown> {
  return typeof raw === "object" && raw !== null && !Array.isArray(raw);
}

function text(content: unknown): string {
  if (typeof content !== "string") throw invalid("A value has another type than its name says");
  return content;
}

function array(content: unknown): readonly unknown[] {
  if (!Array.isArray(content)) throw invalid("A value has another type than its name says");
  return content;
}

/** Order of two values of one type that has an order; undefined for all others. */
export function compareValues(a: Value, b: Value): number | undefined {
  if ("S" in a && "S" in b) return compareUtf8(a.S, b.S);
  if ("N" in a && "N" in b) return compareDecimals(a.N, b.N);
  if ("B" in a && "B" in b) return Buffer.compare(binary(a.B), binary(b.B));
  return undefined;
}

export function equalValues(a: Value, b: Value): boolean {
  const order = compareValues(a, b);
  return order === undefined ? JSON.stringify(a) === JSON.stringify(b) : order === 0;
}

/** Whether a text or bytes begin with others. */
export function startsWith(value: Value, prefix: Value): boolean {
  if ("S" in value && "S" in prefix) return value.S.startsWith(prefix.S);
  if (!("B" in value && "B" in prefix)) return false;
  const start = binary(prefix.B);
  return binary(value.B).subarray(0, start.length).equals(start);
}

/** The sum of two numbers, or their difference. */
export function sum(a: Value, b: Value, sign: 1 | -1): Value {
  if ("N" in a && "N" in b) return { N: addDecimals(a.N, b.N, sign) };
  throw invalid("An operand in the update expression has an incorrect data type");
}

/** Bytes of an item as the service counts them: names in UTF-8, and each value by its type. */
export function itemBytes(item: Item): number {
  let bytes = 0;
  for (const [name, value] of Object.entries(item)) bytes += utf8Length(name) + valueBytes(value);
  return bytes;
}

const CONTAINER_BYTES = 3;
const MEMBER_BYTES = 1;

/** What the function `size` answers: of a container its members, of all else its bytes. */
export function sizeOf(value: Value): number {
  if ("L" in value) return value.L.length;
  if ("M" in value) return Object.keys(value.M).length;
  if ("SS" in value) return value.SS.length;
  return valueBytes(value);
}

function valueBytes(value: Value): number {
  if ("S" in value) return utf8Length(value.S);
  if ("N" in value) return decimalBytes(value.N);
  if ("B" in value) return binary(value.B).length;
  if ("BOOL" in value || "NULL" in value) return 1;
  if ("SS" in value) return total(value.SS, utf8Length);
  if ("NS" in value) return total(value.NS, decimalBytes);
  if ("BS" in value) return total(value.BS, (each) => binary(each).length);
  if ("L" in value) {
    return CONTAINER_BYTES + total(value.L, (each) => MEMBER_BYTES + valueBytes(each));
  }
  return CONTAINER_BYTES + MEMBER_BYTES * Object.keys(value.M).length + itemBytes(value.M);
}

function total<T>(all: readonly T[], bytes: (each: T) => number): number {
  return all.reduce((whole, each) => whole + bytes(each), 0);
}

function binary(base64: string): Buffer {
  return Buffer.from(base64, "base64");
}
