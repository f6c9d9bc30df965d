import type { SqlContext } from "./context.ts";

/** Equal for equal values and different for others, so that a `Map` can group by it. */
export type HashKey = string | number | bigint | boolean;

/**
 * Text and binary forms of one type, its order and its equality. Types without an order in
 * PostgreSQL have none here. `typmod` is PostgreSQL's, -1 where the type has no modifier.
 */
export interface TypeCodec<Value> {
  /** @throws SqlError 22P02, 22003, 22007, 22008, 22001 … as PostgreSQL's input function. */
  input(text: string, typmod: number, context: SqlContext): Value;
  output(value: Value, context: SqlContext): string;
  /** @throws SqlError 22P03 where the bytes are not the type's. */
  receive(bytes: Buffer, typmod: number, context: SqlContext): Value;
  send(value: Value, context: SqlContext): Uint8Array;
  compare?(left: Value, right: Value): number;
  hash?(value: Value): HashKey;
}

/** Order of numbers, strings of code units, booleans and bigints. */
export function order(left: number | bigint, right: number | bigint): -1 | 0 | 1 {
  return left < right ? -1 : left > right ? 1 : 0;
}

export function utf8(text: string): Uint8Array {
  return Buffer.from(text, "utf8");
}

/** What PostgreSQL's `isspace` skips around values. */
export const SPACE = " \t\n\r\v\f";

export function trimSpace(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && SPACE.includes(text[start] as string)) start++;
  while (end > start && SPACE.includes(text[end - 1] as string)) end--;
  return start === 0 && end === text.length ? text : text.slice(start, end);
}
