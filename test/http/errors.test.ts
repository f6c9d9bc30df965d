import { describe, expect, it } from "vitest";
import { type ErrorContext, type ErrorKind, FirnError } from "../../src/base/error.ts";
import { asFirnError } from "../../src/http/failure.ts";
import { errorAnswer, toWireError } from "../../src/http/iceberg/errors.ts";

function error(kind: ErrorKind, code = "SOME_CODE", context: ErrorContext = {}): FirnError {
  return new FirnError(kind, code, "our own words", context);
}

/** [status of a read, status of a write, type] of every kind: the compiler finds a missing one. */
const KINDS: Readonly<Record<ErrorKind, readonly [number, number, string]>> = {
  Invalid: [400, 400, "BadRequestException"],
  Unauthenticated: [401, 401, "NotAuthorizedException"],
  Forbidden: [403, 403, "ForbiddenException"],
  NotFound: [404, 404, "NotFoundException"],
  AlreadyExists: [409, 409, "AlreadyExistsException"],
  Conflict: [409, 409, "CommitFailedException"],
  Overloaded: [429, 429, "SlowDownException"],
  Unavailable: [503, 429, "SlowDownException"],
  Unknown: [500, 500, "CommitStateUnknownException"],
  Corrupt: [500, 500, "InternalServerError"],
  Internal: [500, 500, "InternalServerError"],
};

/** What the compatibility kit of the reference implementation compares. */
const WIRE: readonly [ErrorKind, string, ErrorContext, number, string, string][] = [
  [
    "NotFound",
    "NAMESPACE_NOT_FOUND",
    { namespace: "a.b" },
    404,
    "NoSuchNamespaceException",
    "Namespace does not exist: a.b",
  ],
  [
    "NotFound",
    "TABLE_NOT_FOUND",
    { table: "ns.t" },
    404,
    "NoSuchTableException",
    "Table does not exist: ns.t",
  ],
  [
    "NotFound",
    "VIEW_NOT_FOUND",
    { view: "ns.v" },
    404,
    "NoSuchViewException",
    "View does not exist: ns.v",
  ],
  [
    "NotFound",
    "CATALOG_NOT_FOUND",
    { catalog: "c" },
    404,
    "NoSuchWarehouseException",
    "Warehouse does not exist: c",
  ],
  [
    "NotFound",
    "METADATA_FILE_MISSING",
    { location: "file:///m.json" },
    404,
    "NotFoundException",
    "Failed to open input stream for file: file:///m.json",
  ],
  [
    "AlreadyExists",
    "NAMESPACE_ALREADY_EXISTS",
    { namespace: "a.b" },
    409,
    "AlreadyExistsException",
    "Namespace already exists: a.b",
  ],
  [
    "AlreadyExists",
    "TABLE_ALREADY_EXISTS",
    { table: "ns.tbl", wanted: "table" },
    409,
    "AlreadyExistsException",
    "Table already exists: ns.tbl",
  ],
  [
    "AlreadyExists",
    "VIEW_ALREADY_EXISTS",
    { view: "ns.view", wanted: "table" },
    409,
    "AlreadyExistsException",
    "View with same name already exists: ns.view",
  ],
  [
    "AlreadyExists",
    "TABLE_ALREADY_EXISTS",
    { table: "ns.view", wanted: "view" },
    409,
    "AlreadyExistsException",
    "Table with same name already exists: ns.view",
  ],
  [
    "AlreadyExists",
    "VIEW_ALREADY_EXISTS",
    { view: "ns.view", wanted: "view" },
    409,
    "AlreadyExistsException",
    "View already exists: ns.view",
  ],
  [
    "AlreadyExists",
    "VIEW_ALREADY_EXISTS",
    { view: "ns.view", wanted: "table", from: "ns.table" },
    409,
    "AlreadyExistsException",
    "Cannot rename ns.table to ns.view. View already exists",
  ],
  [
    "AlreadyExists",
    "TABLE_ALREADY_EXISTS",
    { table: "ns.table", wanted: "view", from: "ns.view" },
    409,
    "AlreadyExistsException",
    "Cannot rename ns.view to ns.table. Table already exists",
  ],
  [
    "Invalid",
    "VIEW_DIALECT_REPEATED",
    { dialect: "trino" },
    400,
    "IllegalArgumentException",
    "Invalid view version: Cannot add multiple queries for dialect trino",
  ],
  [
    "Conflict",
    "NAMESPACE_NOT_EMPTY",
    { namespace: "a.b" },
    409,
    "NamespaceNotEmptyException",
    "Namespace a.b is not empty",
  ],
  [
    "Conflict",
    "REQUIREMENT_FAILED",
    { requirement: "table already exists" },
    409,
    "CommitFailedException",
    "Requirement failed: table already exists",
  ],
];

describe("errors of the Iceberg protocol", () => {
  it.each(Object.entries(KINDS))("answer %s", (kind, [read, write, type]) => {
    const failed = error(kind as ErrorKind);
    expect(toWireError(failed, false)).toMatchObject({ status: read, type });
    expect(toWireError(failed, true)).toMatchObject({ status: write, type });
    expect(toWireError(failed, true).headers["X-Firn-Error"]).toBe("SOME_CODE");
  });

  it.each(WIRE)("%s %s has the words of the reference server", (...row) => {
    const [kind, code, context, status, type, message] = row;
    expect(toWireError(error(kind, code, context), true)).toMatchObject({ status, type, message });
  });

  it("answers 422 for a key that is both set and removed", () => {
    const answer = toWireError(error("Invalid", "PROPERTIES_OVERLAP"), true);
    expect(answer).toMatchObject({ status: 422, type: "UnprocessableEntityException" });
  });

  it("answers 501 for what is not served, the one number that Java clients take for it", () => {
    const answer = toWireError(
      error("Invalid", "OPERATION_NOT_SUPPORTED", { endpoint: "E" }),
      true,
    );
    expect(answer).toMatchObject({
      status: 501,
      type: "UnsupportedOperationException",
      message: "Server does not support endpoint: E",
    });
  });

  it("says when to come back", () => {
    const busy = error("Overloaded", "BUSY", { retryAfterMs: 1_200 });
    expect(toWireError(busy, true).headers["Retry-After"]).toBe("2");
    expect(toWireError(error("Unavailable"), true).headers["Retry-After"]).toBe("1");
  });

  it("keeps what went wrong inside to itself", () => {
    for (const kind of ["Corrupt", "Internal"] as const) {
      const failed = new FirnError(kind, "C", "secret-a", { path: "secret-b" }, new Error("c"));
      expect(JSON.stringify(errorAnswer(failed, "GET", false))).not.toContain("secret");
    }
    const foreign = asFirnError(new TypeError("secret-d"));
    expect(foreign.kind).toBe("Internal");
    expect(JSON.stringify(errorAnswer(foreign, "GET", false))).not.toContain("secret");
  });

  it("has a body as the contract draws it, and none for HEAD", () => {
    const failed = error("NotFound", "TABLE_NOT_FOUND", { table: 'n."s' });
    const { body, status } = errorAnswer(failed, "GET", false);
    expect(JSON.parse(String(body))).toEqual({
      error: { message: 'Table does not exist: n."s', type: "NoSuchTableException", code: 404 },
    });
    expect(errorAnswer(failed, "HEAD", false)).toMatchObject({ status, body: undefined });
  });
});
