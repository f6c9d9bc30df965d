import type { PutObjectCommandInput } from "@aws-sdk/client-s3";
import { utf8Length } from "../../base/bytes.ts";
import { invalid } from "../../base/error.ts";
import { assertBlobPath, MAX_PATH_BYTES } from "../checks.ts";
import type { PutCondition } from "../port.ts";
import type { S3Settings } from "./options.ts";

/*
 * What we write beside the content of an object, as user metadata:
 *
 *   firn-put     id of the one call of `put` that wrote it, whichever of its requests did
 *   firn-over    what it was written over: `absent`, or an etag; missing where that was not asked
 *   firn-sha256  lower-hex SHA-256 of the content; missing where it was streamed
 *
 * Objects that others wrote have none of it, and are read like any other.
 */
const PUT = "firn-put";
const OVER = "firn-over";
const SHA256 = "firn-sha256";

/** Whose an object is, as its metadata tell. */
export interface Origin {
  readonly put: string | undefined;
  readonly over: string | undefined;
  readonly sha256: string | undefined;
}

type Metadata = Readonly<Record<string, string>>;

/** The metadata that a put stores with its object: its id, what it was written over, the hash. */
export function metadataOf(
  put: string,
  condition: PutCondition | undefined,
  sha256: string | undefined,
): Record<string, string> {
  const over = overOf(condition);
  return {
    [PUT]: put,
    ...(over === undefined ? {} : { [OVER]: over }),
    ...(sha256 === undefined ? {} : { [SHA256]: sha256 }),
  };
}

/** Which put an object came from, read from its metadata. */
export function originOf(metadata: Metadata | undefined): Origin {
  return { put: metadata?.[PUT], over: metadata?.[OVER], sha256: metadata?.[SHA256] };
}

/** How a condition is written down with what it lets through. */
export function overOf(condition: PutCondition | undefined): string | undefined {
  return condition === undefined || condition === "absent" ? condition : condition.etag;
}

/** The headers of a condition. */
export function conditionHeaders(
  condition: PutCondition | undefined,
  { quoteEtags }: S3Settings,
): Pick<PutObjectCommandInput, "IfMatch" | "IfNoneMatch"> {
  if (condition === undefined) return {};
  if (condition === "absent") return { IfNoneMatch: "*" };
  return { IfMatch: quoteEtags ? `"${condition.etag}"` : condition.etag };
}

/** The headers that ask for encryption at rest. */
export function encryptionHeaders({
  encryption,
}: S3Settings): Pick<
  PutObjectCommandInput,
  "ServerSideEncryption" | "SSEKMSKeyId" | "BucketKeyEnabled"
> {
  switch (encryption?.kind) {
    case undefined:
      return {};
    case "s3":
      return { ServerSideEncryption: "AES256" };
    case "kms":
      // One data key a bucket and while: KMS would be asked for every object else.
      return {
        ServerSideEncryption: "aws:kms",
        BucketKeyEnabled: true,
        ...(encryption.keyId === undefined ? {} : { SSEKMSKeyId: encryption.keyId }),
      };
  }
}

/** Etags are kept without quotes: some stores answer with them, some without. */
export function etagText(etag: string | undefined): string {
  return (etag ?? "").replace(/^(?:W\/)?"(.*)"$/, "$1");
}

/**
 * The key of a path.
 *
 * @throws FirnError `Invalid`, codes `BLOB_PATH_INVALID`, `BLOB_PATH_UNSUPPORTED` (too long with
 *   the prefix).
 */
export function keyOf(path: string, { prefix }: S3Settings): string {
  assertBlobPath(path);
  const key = `${prefix}${path}`;
  if (utf8Length(key) > MAX_PATH_BYTES) {
    throw invalid("BLOB_PATH_UNSUPPORTED", "blob path too long after the prefix of the bucket", {
      path: path.slice(0, 200),
    });
  }
  return key;
}
