import { type ErrorKind, FirnError } from "../base/error.ts";

/** An error as the protocol words it. */
export interface ErrorFields {
  readonly severity: "ERROR" | "FATAL";
  readonly sqlState: string;
  readonly message: string;
  readonly detail?: string | undefined;
  readonly hint?: string | undefined;
  /** Of the statement, in characters, from 1 on. */
  readonly position?: number | undefined;
  readonly where?: string | undefined;
  readonly schema?: string | undefined;
  readonly table?: string | undefined;
  readonly column?: string | undefined;
  readonly dataType?: string | undefined;
  readonly constraint?: string | undefined;
}

/** What an error says of itself where it knows SQL: see `sql/error.ts`. */
interface Told {
  readonly sqlState?: unknown;
  readonly detail?: unknown;
  readonly hint?: unknown;
  readonly position?: unknown;
}

/** The one function from our errors to the protocol's: total, and nothing of a stack gets out. */
export function errorFields(thrown: unknown): ErrorFields {
  if (!(thrown instanceof FirnError)) return fieldsOfDefect(thrown);
  const { context } = thrown;
  const own = thrown as FirnError & Told;
  const told = (name: string): string | undefined => {
    const value = (own as unknown as Record<string, unknown>)[name] ?? context[name];
    return typeof value === "string" ? value : undefined;
  };
  const position = Number(own.position ?? context["position"] ?? 0);
  return {
    severity: context["fatal"] === true ? "FATAL" : "ERROR",
    sqlState: told("sqlState") ?? stateOf(thrown.kind),
    message: thrown.message,
    detail: told("detail"),
    hint: told("hint"),
    position: position > 0 ? position : undefined,
    where: told("where"),
    schema: told("schema"),
    table: told("table"),
    // PostgreSQL names a column where no constraint is named.
    column: told("constraint") === undefined ? told("column") : undefined,
    dataType: told("dataType"),
    constraint: told("constraint"),
  };
}

function fieldsOfDefect(thrown: unknown): ErrorFields {
  // The platform ran out of stack: the statement nests too deep, wherever it was found.
  if (thrown instanceof RangeError && /call stack/.test(thrown.message)) {
    const message = "stack depth limit exceeded";
    const hint = "Nest the statement less deeply.";
    return { severity: "ERROR", sqlState: "54001", message, hint };
  }
  return { severity: "ERROR", sqlState: "XX000", message: "internal error" };
}

/** The SQLSTATE of an error that does not name one. */
function stateOf(kind: ErrorKind): string {
  switch (kind) {
    case "Invalid":
      return "22023";
    case "NotFound":
      return "42704";
    case "AlreadyExists":
      return "42710";
    case "Conflict":
      return "40001";
    case "Forbidden":
      return "42501";
    case "Unauthenticated":
      return "28000";
    case "Overloaded":
      return "53000";
    case "Unavailable":
      return "57P03";
    case "Unknown":
      return "08007";
    case "Corrupt":
      return "XX001";
    case "Internal":
      return "XX000";
  }
}
