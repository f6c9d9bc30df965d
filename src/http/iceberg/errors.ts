import { unreachable } from "../../base/assert.ts";
import type { ErrorKind, FirnError } from "../../base/error.ts";
import { type Answer, errorText } from "../answer.ts";
import { overloaded } from "../failure.ts";
import { errorHeaders, httpStatus } from "../status.ts";

/** `{"error": {"message", "type", "code"}}`: clients choose an exception by `type` and `code`. */
export interface WireError {
  readonly status: number;
  readonly type: string;
  readonly message: string;
  readonly headers: Readonly<Record<string, string>>;
}

type Fact = (name: string) => string;

interface Wording {
  readonly type: string;
  /** Where clients take the status of its kind for something else. */
  readonly status?: number;
  readonly text: (fact: Fact) => string;
}

/** A name that is taken: the words say who has it and what was wanted of it. */
function taken(holder: "Table" | "View", name: string, fact: Fact): string {
  const from = fact("from");
  if (from !== "") return `Cannot rename ${from} to ${name}. ${holder} already exists`;
  return fact("wanted") === holder.toLowerCase()
    ? `${holder} already exists: ${name}`
    : `${holder} with same name already exists: ${name}`;
}

/**
 * What the Java reference server says: its clients, and the tests of its compatibility kit, read
 * these texts. Every other code speaks in our own words under the type of its kind.
 */
const WORDINGS: Readonly<Record<string, Wording>> = {
  CATALOG_NOT_FOUND: {
    type: "NoSuchWarehouseException",
    text: (fact) => `Warehouse does not exist: ${fact("catalog")}`,
  },
  NAMESPACE_NOT_FOUND: {
    type: "NoSuchNamespaceException",
    text: (fact) => `Namespace does not exist: ${fact("namespace")}`,
  },
  // A 409 would tell clients that a table of the name is there already.
  CATALOG_DELETING: {
    type: "NoSuchWarehouseException",
    status: 404,
    text: (fact) => `Warehouse is being deleted: ${fact("catalog")}`,
  },
  NAMESPACE_DELETING: {
    type: "NoSuchNamespaceException",
    status: 404,
    text: (fact) => `Namespace is being deleted: ${fact("namespace")}`,
  },
  TABLE_NOT_FOUND: {
    type: "NoSuchTableException",
    text: (fact) => `Table does not exist: ${fact("table")}`,
  },
  TABLE_NOT_ICEBERG: {
    type: "NoSuchTableException",
    text: (fact) => `Not an Iceberg table: ${fact("table")} has format ${fact("format")}`,
  },
  VIEW_NOT_FOUND: {
    type: "NoSuchViewException",
    text: (fact) => `View does not exist: ${fact("view")}`,
  },
  FUNCTION_NOT_FOUND: {
    type: "NoSuchFunctionException",
    text: (fact) => `Function does not exist: ${fact("function")}`,
  },
  METADATA_FILE_MISSING: {
    type: "NotFoundException",
    text: (fact) => `Failed to open input stream for file: ${fact("location")}`,
  },
  NAMESPACE_ALREADY_EXISTS: {
    type: "AlreadyExistsException",
    text: (fact) => `Namespace already exists: ${fact("namespace")}`,
  },
  TABLE_ALREADY_EXISTS: {
    type: "AlreadyExistsException",
    text: (fact) => taken("Table", fact("table"), fact),
  },
  VIEW_ALREADY_EXISTS: {
    type: "AlreadyExistsException",
    text: (fact) => taken("View", fact("view"), fact),
  },
  // Clients throw this very type where they would check the same before they ask.
  VIEW_DIALECT_REPEATED: {
    type: "IllegalArgumentException",
    text: (fact) =>
      `Invalid view version: Cannot add multiple queries for dialect ${fact("dialect")}`,
  },
  NAMESPACE_NOT_EMPTY: {
    type: "NamespaceNotEmptyException",
    text: (fact) => `Namespace ${fact("namespace")} is not empty`,
  },
  REQUIREMENT_FAILED: {
    type: "CommitFailedException",
    text: (fact) => `Requirement failed: ${fact("requirement")}`,
  },
  OPERATION_NOT_SUPPORTED: {
    type: "UnsupportedOperationException",
    text: (fact) => `Server does not support endpoint: ${fact("endpoint")}`,
  },
  IDEMPOTENCY_KEY_REUSED: {
    type: "UnprocessableEntityException",
    text: (fact) => `Idempotency-Key belongs to another request: ${fact("key")}`,
  },
  PROPERTIES_OVERLAP: {
    type: "UnprocessableEntityException",
    text: () => "The request cannot be processed as there is a key present multiple times",
  },
};

/**
 * The answer to any error, the one mapping of this protocol. `writes`: whether the operation could
 * have changed something, since clients do not clean up after a 5xx of a write.
 */
export function toWireError(error: FirnError, writes: boolean): WireError {
  const wording = WORDINGS[error.code];
  return {
    status: wording?.status ?? httpStatus(error, writes),
    type: wording?.type ?? typeOfKind(error.kind),
    message: wording?.text((name) => String(error.context[name] ?? "")) ?? errorText(error),
    headers: errorHeaders(error),
  };
}

function typeOfKind(kind: ErrorKind): string {
  switch (kind) {
    case "Invalid":
      return "BadRequestException";
    case "Unauthenticated":
      return "NotAuthorizedException";
    case "Forbidden":
      return "ForbiddenException";
    case "NotFound":
      return "NotFoundException";
    case "AlreadyExists":
      return "AlreadyExistsException";
    case "Conflict":
      return "CommitFailedException";
    case "Overloaded":
    case "Unavailable":
      return "SlowDownException";
    case "Unknown":
      return "CommitStateUnknownException";
    case "Corrupt":
    case "Internal":
      return "InternalServerError";
    default:
      return unreachable(kind);
  }
}

/** The same as an HTTP answer. HEAD has no body to carry one. */
export function errorAnswer(error: FirnError, method: string, writes: boolean): Answer {
  const { status, type, message, headers } = toWireError(error, writes);
  if (method === "HEAD") return { status, headers, body: undefined };
  return {
    status,
    headers: { "Content-Type": "application/json", ...headers },
    body: JSON.stringify({ error: { message, type, code: status } }),
  };
}

const SHED = errorAnswer(overloaded(), "GET", false);
const SHED_HEAD = errorAnswer(overloaded(), "HEAD", false);

/** The answer to who is refused before anything is known of the request: made once. */
export function overloadedAnswer(method: string): Answer {
  return method === "HEAD" ? SHED_HEAD : SHED;
}
