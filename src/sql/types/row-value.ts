import type { Datum } from "../../rows/datum.ts";
import { notSupported, SqlError } from "../error.ts";
import { type TypeCodec, utf8 } from "./codec.ts";
import type { SqlContext } from "./context.ts";

/** A row as one value. It is made by an expression, and stored in no table. */
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

type CodecOf = (oid: number) => TypeCodec<Datum>;

const MUST_QUOTE = /[",()\\\s]/;

function rowText({ fields, columns }: RowValue, codecOf: CodecOf, at: SqlContext): string {
  const texts = columns.map(({ oid }, i) => {
    const field = fields[i] ?? null;
    if (field === null) return "";
    const text = codecOf(oid).output(field, at);
    if (text !== "" && !MUST_QUOTE.test(text)) return text;
    return `"${text.replaceAll("\\", "\\\\").replaceAll('"', '""')}"`;
  });
  return `(${texts.join(",")})`;
}

function rowBytes({ fields, columns }: RowValue, codecOf: CodecOf, at: SqlContext): Uint8Array {
  const count = Buffer.alloc(4);
  count.writeInt32BE(columns.length);
  const parts: Uint8Array[] = [count];
  for (const [i, { oid }] of columns.entries()) {
    const field = fields[i] ?? null;
    const sent = field === null ? undefined : codecOf(oid).send(field, at);
    const head = Buffer.alloc(8);
    head.writeUInt32BE(oid);
    head.writeInt32BE(sent?.length ?? -1, 4);
    parts.push(head, sent ?? utf8(""));
  }
  return Buffer.concat(parts);
}

/** @throws SqlError 42883 for a field without an equality. */
function rowHash({ fields, columns }: RowValue, codecOf: CodecOf): string {
  const keys = columns.map(({ oid }, i) => {
    const field = fields[i] ?? null;
    if (field === null) return "n";
    const { hash } = codecOf(oid);
    if (hash === undefined) {
      throw new SqlError("42883", "could not identify an equality operator for a field of a row");
    }
    const text = String(hash(field));
    return `${text.length}:${text}`;
  });
  return keys.join(";");
}

/** Field by field, NULL last. @throws SqlError 42804, 42883. */
function compareRows(left: RowValue, right: RowValue, codecOf: CodecOf): number {
  const most = Math.min(left.columns.length, right.columns.length);
  for (let i = 0; i < most; i++) {
    const oid = left.columns[i]?.oid ?? 0;
    if (oid !== right.columns[i]?.oid) {
      throw new SqlError("42804", `cannot compare dissimilar column types at column ${i + 1}`);
    }
    const [mine, theirs] = [left.fields[i] ?? null, right.fields[i] ?? null];
    if (mine === null && theirs === null) continue;
    if (mine === null) return 1;
    if (theirs === null) return -1;
    const { compare } = codecOf(oid);
    if (compare === undefined) {
      throw new SqlError("42883", "could not identify a comparison function for a field of a row");
    }
    const order = compare(mine, theirs);
    if (order !== 0) return order;
  }
  if (left.columns.length === right.columns.length) return 0;
  throw new SqlError("42804", "cannot compare record types with different numbers of columns");
}

/** Rows of any fields: they are written and compared, and never read. */
export function rowCodec(codecOf: CodecOf): TypeCodec<Datum> {
  const refuse = (): never => {
    throw notSupported("input of a row");
  };
  const codec: TypeCodec<RowValue> = {
    input: refuse,
    receive: refuse,
    output: (value, at) => rowText(value, codecOf, at),
    send: (value, at) => rowBytes(value, codecOf, at),
    compare: (left, right) => compareRows(left, right, codecOf),
    hash: (value) => rowHash(value, codecOf),
  };
  return codec as unknown as TypeCodec<Datum>;
}
