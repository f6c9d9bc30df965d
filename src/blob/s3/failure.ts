import { neverSent } from "../../aws/never-sent.ts";
import { type ErrorContext, FirnError, invalid } from "../../base/error.ts";

/**
 * Why a request did not succeed.
 *
 * - `missing`: no such object. `bucket`, `upload`: no such bucket or multipart upload.
 * - `condition`: the store says that it does not hold. `clash`: another write was under way; S3
 *   asks for a retry.
 * - `throttled`, `broken`: 429 or 503 `SlowDown`; any other 5xx, or a request damaged on its way.
 * - `silent`: no whole answer came. `unsent`: no connection ever stood.
 * - `denied`, `range`, `unfit`: 401 and 403; 416; a key or content that this store cannot hold.
 * - `refused`: any other answer, which says that something is set up wrong.
 */
export type FailureReason =
  | "missing"
  | "bucket"
  | "upload"
  | "condition"
  | "clash"
  | "throttled"
  | "broken"
  | "silent"
  | "unsent"
  | "denied"
  | "range"
  | "unfit"
  | "refused";

export interface S3Failure {
  readonly reason: FailureReason;
  /** The store's code, or that of the connection. */
  readonly code: string;
  readonly status: number | undefined;
  /** Where the bucket is, if the store says so. */
  readonly bucketRegion: string | undefined;
  /** When the store answered, by its own clock, in whole seconds. */
  readonly dateMs: number | undefined;
  readonly cause: unknown;
}

const BY_CODE: ReadonlyMap<string, FailureReason> = new Map([
  ["NoSuchBucket", "bucket"],
  ["NoSuchUpload", "upload"],
  ["NoSuchKey", "missing"],
  ["NotFound", "missing"],
  ["PreconditionFailed", "condition"],
  ["ConditionalRequestConflict", "clash"],
  ["OperationAborted", "clash"],
  ["SlowDown", "throttled"],
  ["Throttling", "throttled"],
  ["ThrottlingException", "throttled"],
  ["RequestLimitExceeded", "throttled"],
  ["TooManyRequests", "throttled"],
  // The request came slowly or damaged: another one may fare better.
  ["RequestTimeout", "broken"],
  ["IncompleteBody", "broken"],
  ["BadDigest", "broken"],
  ["XAmzContentSHA256Mismatch", "broken"],
  ["InternalError", "broken"],
  // 400, and yet another identity is needed.
  ["ExpiredToken", "denied"],
  ["InvalidToken", "denied"],
  ["TokenRefreshRequired", "denied"],
  ["CredentialsProviderError", "denied"],
  ["InvalidRange", "range"],
  ["KeyTooLongError", "unfit"],
  ["EntityTooLarge", "unfit"],
  ["InvalidObjectName", "unfit"],
  ["XMinioInvalidObjectName", "unfit"],
  // Stores of files, which cannot hold `a` beside `a/b`.
  ["ObjectParentIsFile", "unfit"],
  ["ExistingObjectIsDirectory", "unfit"],
  ["NotImplemented", "refused"],
]);

const BY_STATUS: ReadonlyMap<number, FailureReason> = new Map([
  [401, "denied"],
  [403, "denied"],
  [404, "missing"],
  [408, "broken"],
  [409, "clash"],
  [412, "condition"],
  [416, "range"],
  [429, "throttled"],
]);

/** What an exception of the SDK says about the request that it ends. */
export function failureOf(cause: unknown): S3Failure {
  const error = cause as {
    readonly name?: string;
    readonly code?: string;
    readonly $metadata?: { readonly httpStatusCode?: number };
    readonly $response?: {
      readonly statusCode?: number;
      readonly headers?: Readonly<Record<string, string>>;
    };
  };
  const status = error.$metadata?.httpStatusCode ?? error.$response?.statusCode;
  const code = (status === undefined ? error.code : undefined) ?? error.name ?? "Error";
  const { "x-amz-bucket-region": bucketRegion, date } = error.$response?.headers ?? {};
  const dateMs = date === undefined ? undefined : Date.parse(date);
  return { reason: reasonOf(cause, code, status), code, status, bucketRegion, dateMs, cause };
}

function reasonOf(cause: unknown, code: string, status: number | undefined): FailureReason {
  const named = BY_CODE.get(code);
  // An error inside a 200 (of a multipart completion) is one all the same.
  if (named !== undefined) return named;
  if ((cause as { readonly message?: unknown }).message === NO_REGION) return "refused";
  if (status === undefined || status < 300) return neverSent(cause) ? "unsent" : "silent";
  if (status >= 500) return "broken";
  return BY_STATUS.get(status) ?? "refused";
}

/** How the SDK says that none is configured. */
const NO_REGION = "Region is missing";
/** Whether the same request may fare better in a moment. */
export function isPassing({ reason }: S3Failure): boolean {
  switch (reason) {
    case "clash":
    case "throttled":
    case "broken":
    case "silent":
    case "unsent":
      return true;
    case "missing":
    case "bucket":
    case "upload":
    case "condition":
    case "denied":
    case "range":
    case "unfit":
    case "refused":
      return false;
  }
}

/** Wait that is suggested to who meets a store that throttles. */
const RETRY_AFTER_MS = 1_000;

/**
 * The error of a call that ends with this failure, where nothing of it was applied. A store that
 * denies *us* is not a fault of our caller's: unavailable, under its own code.
 */
export function errorOf(failure: S3Failure, operation: string, path: string): FirnError {
  const { reason, cause } = failure;
  const context = contextOf(failure, operation, path);
  switch (reason) {
    case "throttled": {
      const facts = { ...context, retryAfterMs: RETRY_AFTER_MS };
      return new FirnError(
        "Overloaded",
        "BLOB_STORE_OVERLOADED",
        "the store throttles requests: try again later",
        facts,
        cause,
      );
    }
    case "denied": {
      const message = "the store denies access: allow the operation in its credentials or policy";
      return new FirnError("Unavailable", "BLOB_STORE_DENIED", message, context, cause);
    }
    case "bucket": {
      const message = "the bucket does not exist";
      return new FirnError("Unavailable", "BLOB_BUCKET_MISSING", message, context, cause);
    }
    case "unfit":
      return invalid("BLOB_PATH_UNSUPPORTED", "the store does not support this blob path", context);
    case "refused": {
      const message = "the store refuses the request: check its region, endpoint and features";
      return new FirnError("Unavailable", "BLOB_STORE_REFUSED", message, context, cause);
    }
    case "missing":
    case "upload":
    case "condition":
    case "range":
    case "clash":
    case "broken":
    case "silent":
    case "unsent": {
      const message = "the store does not serve requests";
      return new FirnError("Unavailable", "BLOB_STORE_UNAVAILABLE", message, context, cause);
    }
  }
}

/** The error of a write that may have been applied, or may still be. */
export function unknownOf(failure: S3Failure, operation: string, path: string): FirnError {
  const context = contextOf(failure, operation, path);
  const message = "the outcome of the write is unknown: it may have happened";
  return new FirnError("Unknown", "BLOB_WRITE_UNKNOWN", message, context, failure.cause);
}

function contextOf(failure: S3Failure, operation: string, path: string): ErrorContext {
  const { status, code, bucketRegion } = failure;
  return {
    operation,
    path: path.slice(0, 200),
    code,
    ...(status !== undefined && { status }),
    ...(bucketRegion !== undefined && { bucketRegion }),
  };
}
