import type { Datum, RowDatum } from "../../rows/datum.ts";
import { SqlError } from "../error.ts";
import type { TypeCodec } from "./codec.ts";
import type { SqlContext } from "./context.ts";
import { readRecordLiteral } from "./record-literal.ts";
import { sqlTypeName } from "./regtype.ts";
import {
  type FieldType,
  type RowColumn,
  type RowValue,
  rowCodec,
  type TypeOf,
} from "./row-value.ts";

/** A field that its domain, where it has one, has judged. NULL is judged too. */
function met(value: Datum, { constraint }: FieldType, at: SqlContext): Datum {
  constraint?.check(value, at);
  return value;
}

/** How a field is read: a domain as what it rests on. */
function readAs(
  { oid, typmod = -1 }: RowColumn,
  declared: TypeOf,
): { readonly type: FieldType; readonly typmod: number; readonly own: FieldType } {
  const own = declared(oid);
  let [type, modifier] = [own, typmod];
  for (let { base } = own; base !== undefined; { base } = type) {
    [type, modifier] = [declared(base.oid), base.typmod];
  }
  return { type, typmod: modifier, own };
}

function wrongFormat(message: string, sqlState = "42804"): SqlError {
  return new SqlError(sqlState, message);
}

/** PostgreSQL's `record_recv`: the number of fields, then the type, length and bytes of each. */
function receiveRow(
  bytes: Buffer,
  columns: readonly RowColumn[],
  declared: TypeOf,
  at: SqlContext,
): RowDatum {
  const short = (sqlState = "08P01"): SqlError =>
    wrongFormat("insufficient data left in message", sqlState);
  if (bytes.length < 4) throw short();
  const count = bytes.readInt32BE(0);
  if (count !== columns.length) {
    throw wrongFormat(`wrong number of columns: ${count}, expected ${columns.length}`);
  }
  let from = 4;
  const fields = columns.map((column, i): Datum => {
    const { oid } = column;
    if (bytes.length < from + 8) throw short();
    const [given, length] = [bytes.readUInt32BE(from), bytes.readInt32BE(from + 4)];
    from += 8;
    if (given !== oid) throw otherType(given, oid, i, declared);
    const { type, typmod, own } = readAs(column, declared);
    if (length === -1) return met(null, own, at);
    if (length < -1 || from + length > bytes.length) throw short("22P03");
    const value = type.codec.receive(bytes.subarray(from, from + length), typmod, at);
    from += length;
    return met(value, own, at);
  });
  if (from !== bytes.length) throw wrongFormat("incorrect binary data format", "22P03");
  return { fields };
}

function otherType(given: number, oid: number, place: number, declared: TypeOf): SqlError {
  const shown = (one: number): string => {
    try {
      return `${one} (${sqlTypeName(declared(one))})`;
    } catch {
      return `${one} (???)`;
    }
  };
  const message = `binary data has type ${shown(given)} instead of expected ${shown(oid)}`;
  return wrongFormat(`${message} in record column ${place + 1}`);
}

/**
 * Values of one composite type. Its type tells of their fields, whatever a value says itself.
 *
 * @param declared the type of an OID as it is: a domain has its constraint.
 * @param typeOf the type of an OID; a domain is what it rests on.
 */
export function compositeCodec(
  columns: readonly RowColumn[],
  declared: TypeOf,
  typeOf: TypeOf,
): TypeCodec<Datum> {
  const rows = rowCodec(typeOf) as unknown as TypeCodec<RowValue>;
  const { compare, hash } = rows;
  const typed = (value: Datum): RowValue => ({ fields: (value as RowDatum).fields, columns });
  return {
    input: (text, _typmod, at) => {
      const texts = readRecordLiteral(text, columns.length, (i, field) => {
        const { type, typmod, own } = readAs(columns[i] as RowColumn, declared);
        return met(field === null ? null : type.codec.input(field, typmod, at), own, at);
      });
      return { fields: texts };
    },
    receive: (bytes, _typmod, at) => receiveRow(bytes, columns, declared, at),
    output: (value, at) => rows.output(typed(value), at),
    send: (value, at) => rows.send(typed(value), at),
    ...(compare && { compare: (left, right) => compare(typed(left), typed(right)) }),
    ...(hash && { hash: (value) => hash(typed(value)) }),
  };
}
