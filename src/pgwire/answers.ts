import type { Column } from "../sql/session/started.ts";
import type { ErrorFields } from "./error-fields.ts";
import { BACKEND } from "./message-types.ts";
import type { MessageWriter } from "./message-writer.ts";

/** Text, or the type's binary form. */
export type Format = 0 | 1;

export function authenticationOk(out: MessageWriter): void {
  out.begin(BACKEND.authentication).int32(0).end();
}

/** Asks for a proof by one of some SASL mechanisms. */
export function authenticationSasl(out: MessageWriter, mechanisms: readonly string[]): void {
  out.begin(BACKEND.authentication).int32(10);
  for (const mechanism of mechanisms) out.text(mechanism);
  out.byte(0).end();
}

export function authenticationSaslContinue(out: MessageWriter, text: string): void {
  out.begin(BACKEND.authentication).int32(11).raw(Buffer.from(text)).end();
}

export function authenticationSaslFinal(out: MessageWriter, text: string): void {
  out.begin(BACKEND.authentication).int32(12).raw(Buffer.from(text)).end();
}

export function authenticationCleartext(out: MessageWriter): void {
  out.begin(BACKEND.authentication).int32(3).end();
}

export function parameterStatus(out: MessageWriter, name: string, value: string): void {
  out.begin(BACKEND.parameterStatus).text(name).text(value).end();
}

export function backendKeyData(out: MessageWriter, pid: number, secret: number): void {
  out.begin(BACKEND.backendKeyData).int32(pid).int32(secret).end();
}

/** Told to clients that ask for a newer minor version, or for options that there are not. */
export function negotiateProtocolVersion(out: MessageWriter, unknown: readonly string[]): void {
  out.begin(BACKEND.negotiateProtocolVersion).int32(0).int32(unknown.length);
  for (const name of unknown) out.text(name);
  out.end();
}

export function readyForQuery(out: MessageWriter, status: "I" | "T" | "E"): void {
  out.begin(BACKEND.readyForQuery).byte(status.charCodeAt(0)).end();
}

/** A message without fields. */
export function bare(out: MessageWriter, type: number): void {
  out.begin(type).end();
}

export function commandComplete(out: MessageWriter, tag: string): void {
  out.begin(BACKEND.commandComplete).text(tag).end();
}

export function parameterDescription(out: MessageWriter, types: readonly number[]): void {
  out.begin(BACKEND.parameterDescription).int16(types.length);
  for (const oid of types) out.int32(oid);
  out.end();
}

export function rowDescription(
  out: MessageWriter,
  columns: readonly Column[],
  formatOf: (column: number) => Format,
): void {
  out.begin(BACKEND.rowDescription).int16(columns.length);
  columns.forEach((column, index) => {
    out.text(column.name).int32(column.tableOid).int16(column.attribute);
    out.int32(column.type.oid).int16(column.type.length).int32(column.typmod);
    out.int16(formatOf(index));
  });
  out.end();
}

/** `copyIn` or `copyOut`: all columns in one format. */
export function copyResponse(
  out: MessageWriter,
  type: number,
  format: Format,
  columns: number,
): void {
  out.begin(type).byte(format).int16(columns);
  for (let i = 0; i < columns; i++) out.int16(format);
  out.end();
}

export function errorResponse(out: MessageWriter, fields: ErrorFields): void {
  fieldsOf(out.begin(BACKEND.errorResponse), fields.severity, fields);
}

/** Something to tell that is not an error. */
export interface Notice extends Omit<ErrorFields, "severity"> {
  readonly severity: "NOTICE" | "WARNING" | "INFO";
}

export function noticeResponse(out: MessageWriter, notice: Notice): void {
  fieldsOf(out.begin(BACKEND.noticeResponse), notice.severity, notice);
}

function fieldsOf(
  out: MessageWriter,
  severity: string,
  fields: Omit<ErrorFields, "severity">,
): void {
  const field = (type: string, value: string | undefined): void => {
    if (value !== undefined) out.byte(type.charCodeAt(0)).text(value);
  };
  field("S", severity);
  field("V", severity);
  field("C", fields.sqlState);
  field("M", fields.message);
  field("D", fields.detail);
  field("H", fields.hint);
  field("P", fields.position?.toString());
  field("W", fields.where);
  field("s", fields.schema);
  field("t", fields.table);
  field("c", fields.column);
  field("d", fields.dataType);
  field("n", fields.constraint);
  out.byte(0).end();
}
