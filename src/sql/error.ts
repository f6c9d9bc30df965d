import { type ErrorKind, FirnError } from "../base/error.ts";

/** What PostgreSQL's error fields carry beyond SQLSTATE and message. */
export interface SqlErrorFields {
  readonly hint?: string;
  readonly detail?: string;
  /** Place in the statement's text, in characters from 1. */
  readonly position?: number;
  readonly table?: string;
  readonly column?: string;
  readonly constraint?: string;
  readonly dataType?: string;
  /** What was under way, as a line of a COPY. */
  readonly where?: string;
}

/** An error with PostgreSQL's SQLSTATE. Its code is `SQL_` and the SQLSTATE. */
export class SqlError extends FirnError {
  readonly sqlState: string;
  readonly fields: SqlErrorFields;

  constructor(sqlState: string, message: string, fields: SqlErrorFields = {}, cause?: unknown) {
    super(kindOf(sqlState), `SQL_${sqlState}`, message, { sqlState, ...fields }, cause);
    this.sqlState = sqlState;
    this.fields = fields;
  }

  get hint(): string | undefined {
    return this.fields.hint;
  }

  get detail(): string | undefined {
    return this.fields.detail;
  }

  get position(): number | undefined {
    return this.fields.position;
  }

  /** The same error at a place of the statement; what already has a place keeps it. */
  at(position: number | undefined): SqlError {
    if (position === undefined || this.position !== undefined) return this;
    return new SqlError(this.sqlState, this.message, { ...this.fields, position }, this.cause);
  }
}

/** The kind by SQLSTATE's class: what the caller should do next. */
function kindOf(sqlState: string): ErrorKind {
  switch (sqlState.slice(0, 2)) {
    case "40":
      return "Conflict";
    case "28":
      return "Unauthenticated";
    case "53":
      return "Overloaded";
    case "08":
    case "57":
      return "Unavailable";
    case "58":
    case "XX":
      return sqlState === "XX001" || sqlState === "XX002" ? "Corrupt" : "Internal";
    default:
      return KINDS[sqlState] ?? "Invalid";
  }
}

const KINDS: Readonly<Record<string, ErrorKind>> = {
  "42501": "Forbidden",
  "42P01": "NotFound",
  "42704": "NotFound",
  "3F000": "NotFound",
  "42P07": "AlreadyExists",
  "42710": "AlreadyExists",
  "23505": "AlreadyExists",
  "55P03": "Conflict",
  "40P01": "Conflict",
};

/** SQLSTATE of any error: of SQL's, or of one that carries it in its context. */
export function sqlStateOf(error: unknown): string | undefined {
  if (!(error instanceof FirnError)) return undefined;
  const { sqlState } = error.context;
  return typeof sqlState === "string" ? sqlState : undefined;
}

/** 0A000: PostgreSQL has it and this server does not. The hint says what there is instead. */
export function notSupported(what: string, hint?: string): SqlError {
  const fields = hint === undefined ? {} : { hint };
  return new SqlError("0A000", `${what} is not supported`, fields);
}

/** 22P02, as PostgreSQL words it for the input of a type. */
export function invalidSyntax(type: string, text: string, detail?: string): SqlError {
  const message = `invalid input syntax for type ${type}: "${text}"`;
  return new SqlError("22P02", message, detail === undefined ? {} : { detail });
}

/** 22003: a value of an integer or float type that is too large. */
export function outOfRange(type: string): SqlError {
  return new SqlError("22003", `${type} out of range`);
}

/** 22003, for a text that is a number and too large for its type. */
export function textOutOfRange(type: string, text: string): SqlError {
  return new SqlError("22003", `value "${text}" is out of range for type ${type}`);
}

/** 22012. */
export function divisionByZero(): SqlError {
  return new SqlError("22012", "division by zero");
}

/** 22023: an argument outside what the function takes. */
export function invalidParameter(message: string, fields?: SqlErrorFields): SqlError {
  return new SqlError("22023", message, fields);
}

/** 22P03: bytes that are not the binary form of a type. */
export function invalidBinary(type: string): SqlError {
  return new SqlError("22P03", `incorrect binary data format for type ${type}`);
}
