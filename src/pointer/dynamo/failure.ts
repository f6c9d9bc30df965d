import { neverSent } from "../../aws/never-sent.ts";
import { type ErrorContext, FirnError } from "../../base/error.ts";
import type { Attributes } from "./item.ts";

/** One operation's part in a cancelled transaction, in the order of the operations. */
export interface Reason {
  /** `None` where the operation was not at fault. */
  readonly code: string;
  /** What stood there, where a condition failed; absent where nothing did. */
  readonly item: Attributes | undefined;
}

/** What a failed request says of itself. Only `doubt` and `inProgress` leave it in doubt. */
export type Failure =
  /** The condition of a single write did not hold of this item. */
  | { readonly failure: "condition"; readonly item: Attributes | undefined }
  /** A transaction was refused whole. */
  | { readonly failure: "cancelled"; readonly reasons: readonly Reason[] }
  /** Turned away before it was looked at. */
  | { readonly failure: "throttled" }
  /** A transaction had its hand on the item. */
  | { readonly failure: "contended" }
  /** An earlier copy of this very transaction is still under way. */
  | { readonly failure: "inProgress" }
  /** Certainly not applied, and would not be the next time. */
  | { readonly failure: "refused"; readonly error: FirnError }
  /** No connection came about, so nothing was sent. */
  | { readonly failure: "unreachable"; readonly error: FirnError }
  /** Anything else: a broken or silent connection, an error of the server's, a proxy's answer. */
  | { readonly failure: "doubt"; readonly cause: unknown };

const THROTTLED: ReadonlySet<string> = new Set([
  "ProvisionedThroughputExceededException",
  "ThrottlingException",
  "RequestLimitExceeded",
]);
const DENIED: ReadonlySet<string> = new Set([
  "AccessDeniedException",
  "ExpiredTokenException",
  "IncompleteSignatureException",
  "InvalidClientTokenId",
  "InvalidSignatureException",
  "MissingAuthenticationTokenException",
  "UnrecognizedClientException",
]);
const NO_CREDENTIALS: ReadonlySet<string> = new Set([
  "CredentialsProviderError",
  "TokenProviderError",
]);
/** A request that was not understood: a defect of ours, or a server that is not DynamoDB's like. */
const MALFORMED: ReadonlySet<string> = new Set([
  "IdempotentParameterMismatchException",
  "SerializationException",
  "UnknownOperationException",
  "ValidationException",
]);
interface Thrown {
  readonly name?: unknown;
  readonly code?: unknown;
  readonly message?: unknown;
  readonly Item?: Attributes;
  readonly CancellationReasons?: readonly { readonly Code?: string; readonly Item?: Attributes }[];
}

/**
 * Reads an error of a transport's. Only what the service documents as "not applied" counts as that:
 * every name that is not listed here is in doubt.
 */
export function failureOf(error: unknown): Failure {
  const thrown: Thrown = typeof error === "object" && error !== null ? error : {};
  const name = String(thrown.name ?? "");
  const { CancellationReasons: reasons } = thrown;
  if (name === "ConditionalCheckFailedException") {
    return { failure: "condition", item: thrown.Item };
  }
  if (name === "TransactionCanceledException" && reasons !== undefined) {
    const of = reasons.map(({ Code, Item }) => ({ code: Code ?? "None", item: Item }));
    return { failure: "cancelled", reasons: of };
  }
  if (THROTTLED.has(name)) return { failure: "throttled" };
  if (name === "TransactionConflictException") return { failure: "contended" };
  if (name === "TransactionInProgressException") return { failure: "inProgress" };
  if (neverSent(error)) {
    return { failure: "unreachable", error: unreachableError(error) };
  }
  const refused = refusal(name, String(thrown.message ?? ""), error);
  return refused === undefined
    ? { failure: "doubt", cause: error }
    : { failure: "refused", error: refused };
}

/** The error that a read throws when it failed for good. */
export function unavailable(cause: unknown): FirnError {
  const message = "no answer from the pointer table";
  return new FirnError("Unavailable", "POINTERS_UNAVAILABLE", message, factsOf(cause), cause);
}

function unreachableError(cause: unknown): FirnError {
  const message = "the pointer table's endpoint cannot be reached";
  return new FirnError("Unavailable", "POINTERS_UNREACHABLE", message, factsOf(cause), cause);
}

function refusal(name: string, text: string, cause: unknown): FirnError | undefined {
  const facts = { error: name };
  if (name === "ResourceNotFoundException") {
    const message = "the pointer table does not exist";
    return new FirnError("Unavailable", "DYNAMODB_TABLE_MISSING", message, facts, cause);
  }
  if (DENIED.has(name)) {
    const message = "the pointer table refuses these credentials";
    return new FirnError("Unavailable", "DYNAMODB_DENIED", message, facts, cause);
  }
  if (NO_CREDENTIALS.has(name) || text === "Region is missing") {
    const message =
      "no credentials or no region for the pointer table: set AWS_REGION and credentials";
    return new FirnError("Unavailable", "DYNAMODB_UNCONFIGURED", message, facts, cause);
  }
  if (MALFORMED.has(name)) {
    const message = "DynamoDB rejects a request as malformed";
    return new FirnError("Internal", "DYNAMODB_REQUEST_INVALID", message, facts, cause);
  }
  return undefined;
}

/** Names only: texts of the service may hold what no client should see. */
function factsOf(cause: unknown): ErrorContext {
  const { name, code }: Thrown = typeof cause === "object" && cause !== null ? cause : {};
  return { error: String(code ?? name ?? "unknown") };
}
