import type { Datum } from "../../rows/index.ts";
import { SqlError } from "../error.ts";
import type { SqlContext } from "../types/context.ts";
import type { TypeRegistry } from "../types/registry.ts";

/** A value as the wire takes it: text, or the bytes of its binary form. */
export type FieldWriter = (value: Exclude<Datum, null>) => string | Uint8Array;

/** @throws SqlError 0A000 for a type that has no values here. */
export function fieldWriter(
  types: TypeRegistry,
  oid: number,
  isBinary: boolean,
  context: SqlContext,
): FieldWriter {
  const { codec } = types.get(oid);
  if (isBinary) return (value) => codec.send(value, context);
  return (value) => codec.output(value, context);
}

/** A parameter in its text form. @throws SqlError 22P02 and others. */
export function readText(
  types: TypeRegistry,
  oid: number,
  text: string,
  context: SqlContext,
): Datum {
  return types.get(oid).codec.input(text, -1, context);
}

/** A parameter in its binary form. @throws SqlError 22P03 and others. */
export function readBinary(
  types: TypeRegistry,
  oid: number,
  bytes: Uint8Array,
  parameter: number,
  context: SqlContext,
): Datum {
  try {
    return types.get(oid).codec.receive(Buffer.from(bytes), -1, context);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    const message = `incorrect binary data format in bind parameter ${parameter + 1}`;
    throw new SqlError("22P03", message);
  }
}
