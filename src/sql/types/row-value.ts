import type { Datum } from "../../rows/datum.ts";
import { SqlError } from "../error.ts";
import type { TypeRow } from "../signatures/tables.ts";
import { type TypeCodec, utf8 } from "./codec.ts";
import type { SqlContext } from "./context.ts";
import { OID } from "./oids.ts";
import { sqlTypeName } from "./regtype.ts";

/** A row of no declared type, as one value: it tells of its fields. */
export interface RowValue {
  readonly fields: readonly Datum[];
  readonly columns: readonly RowColumn[];
}

export interface RowColumn {
  readonly name: string;
  readonly oid: number;
  /** -1 where absent. */
  readonly typmod?: number;
}

export interface FieldType extends TypeRow {
  readonly codec: TypeCodec<Datum>;
  /** Of a domain. */
  readonly base?: { readonly oid: number; readonly typmod: number };
  readonly constraint?: { readonly check: (value: Datum, context: SqlContext) => void } | undefined;
}

/** The type of an OID; a domain is what it rests on. */
export type TypeOf = (oid: number) => FieldType;

const MUST_QUOTE = /[",()\\\s]/;

function rowText({ fields, columns }: RowValue, typeOf: TypeOf, at: SqlContext): string {
  const texts = columns.map(({ oid }, i) => {
    const field = fields[i] ?? null;
    if (field === null) return "";
    const text = typeOf(oid).codec.output(field, at);
    if (text !== "" && !MUST_QUOTE.test(text)) return text;
    return `"${text.replaceAll("\\", "\\\\").replaceAll('"', '""')}"`;
  });
  return `(${texts.join(",")})`;
}

function rowBytes({ fields, columns }: RowValue, typeOf: TypeOf, at: SqlContext): Uint8Array {
  const count = Buffer.alloc(4);
  count.writeInt32BE(columns.length);
  const parts: Uint8Array[] = [count];
  for (const [i, { oid }] of columns.entries()) {
    const field = fields[i] ?? null;
    const sent = field === null ? undefined : typeOf(oid).codec.send(field, at);
    const head = Buffer.alloc(8);
    head.writeUInt32BE(oid);
    head.writeInt32BE(sent?.length ?? -1, 4);
    parts.push(head, sent ?? utf8(""));
  }
  return Buffer.concat(parts);
}

function missing(what: string, type: FieldType): SqlError {
  return new SqlError("42883", `could not identify ${what} for type ${sqlTypeName(type)}`);
}

/** @throws SqlError 42883 for a field without an equality. */
function rowHash({ fields, columns }: RowValue, typeOf: TypeOf): string {
  const keys = columns.map(({ oid }, i) => {
    const type = typeOf(oid);
    const { hash } = type.codec;
    if (hash === undefined || oid === OID.unknown) throw missing("a hash function", type);
    const field = fields[i] ?? null;
    if (field === null) return "n";
    const text = String(hash(field));
    return `${text.length}:${text}`;
  });
  return keys.join(";");
}

/** Field by field, NULL last. @throws SqlError 42804, 42883. */
function compareRows(left: RowValue, right: RowValue, typeOf: TypeOf): number {
  const most = Math.min(left.columns.length, right.columns.length);
  for (let i = 0; i < most; i++) {
    const [type, other] = [left, right].map(({ columns }) => typeOf(columns[i]?.oid ?? 0)) as [
      FieldType,
      FieldType,
    ];
    if (type.oid !== other.oid) {
      const names = `${sqlTypeName(type)} and ${sqlTypeName(other)}`;
      const what = `cannot compare dissimilar column types ${names}`;
      throw new SqlError("42804", `${what} at record column ${i + 1}`);
    }
    const { compare } = type.codec;
    if (compare === undefined || type.oid === OID.unknown) {
      throw missing("a comparison function", type);
    }
    const [mine, theirs] = [left.fields[i] ?? null, right.fields[i] ?? null];
    if (mine === null && theirs === null) continue;
    if (mine === null) return 1;
    if (theirs === null) return -1;
    const order = compare(mine, theirs);
    if (order !== 0) return order;
  }
  if (left.columns.length === right.columns.length) return 0;
  throw new SqlError("42804", "cannot compare record types with different numbers of columns");
}

/** Rows of any fields: they are written and compared, and never read. */
export function rowCodec(typeOf: TypeOf): TypeCodec<Datum> {
  const refuse = (): never => {
    throw new SqlError("0A000", "input of anonymous composite types is not implemented");
  };
  const codec: TypeCodec<RowValue> = {
    input: refuse,
    receive: refuse,
    output: (value, at) => rowText(value, typeOf, at),
    send: (value, at) => rowBytes(value, typeOf, at),
    compare: (left, right) => compareRows(left, right, typeOf),
    hash: (value) => rowHash(value, typeOf),
  };
  return codec as unknown as TypeCodec<Datum>;
}
