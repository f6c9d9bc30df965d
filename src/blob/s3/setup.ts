import { HeadBucketCommand } from "@aws-sdk/client-s3";
import { type ErrorContext, FirnError, invalid } from "../../base/error.ts";
import { LIMITS } from "../../base/limits.ts";
import { connectS3 } from "./client.ts";
import type { S3Failure } from "./failure.ts";
import { type S3Options, settingsOf } from "./options.ts";
import { type S3Components, S3Wire } from "./wire.ts";

/** Runs `work` over separate connections. */
export async function withWire<T>(
  options: S3Options,
  components: S3Components,
  work: (wire: S3Wire) => Promise<T>,
): Promise<T> {
  const wire = new S3Wire(connectS3(options, components.clock), settingsOf(options), components);
  try {
    return await work(wire);
  } finally {
    wire.close();
  }
}

/**
 * Whether the bucket is there and ours to use, in the region that we ask. One request.
 *
 * @throws FirnError as `setupError`.
 */
export async function bucketExists(wire: S3Wire): Promise<boolean> {
  const command = new HeadBucketCommand({ Bucket: wire.settings.bucket });
  const looked = await wire.again("HeadBucket", (abortSignal) =>
    wire.client.send(command, { abortSignal }),
  );
  if (looked.ok) return true;
  if (looked.failure.status === 404) return false;
  throw await setupError(wire, looked.failure, "s3:ListBucket");
}

/**
 * What an operator has to change, by the failure of a request at the start, which needed that
 * permission.
 *
 * Codes: `Invalid` `BUCKET_UNCONFIGURED`, `BUCKET_REGION_WRONG`, `CLOCK_SKEWED`,
 * `BUCKET_DENIED`, `BUCKET_MISSING`, `BUCKET_REFUSED`; `Unavailable` `BUCKET_UNREACHABLE`.
 */
export async function setupError(
  wire: S3Wire,
  failure: S3Failure,
  permission: string,
): Promise<FirnError> {
  const { bucket } = wire.settings;
  const context: ErrorContext = { bucket, code: failure.code };
  const region = await wire.client.config.region().catch(() => undefined);
  if (region === undefined) {
    const message = `no region to find bucket ${bucket} in: set AWS_REGION, or AWS_PROFILE`;
    return invalid("BUCKET_UNCONFIGURED", message, context);
  }
  const isElsewhere = failure.bucketRegion !== undefined && failure.bucketRegion !== region;
  if (isElsewhere || WRONG_REGION.has(failure.code)) {
    const where = failure.bucketRegion ?? "another";
    return invalid(
      "BUCKET_REGION_WRONG",
      `bucket ${bucket} is in region ${where}, not ${region}: set AWS_REGION to its region`,
      { ...context, region },
    );
  }
  // An answer to HEAD carries no code, only its date.
  const clockSkewMs = wire.clock.nowMs() - (failure.dateMs ?? wire.clock.nowMs());
  const isSkewed = failure.reason === "denied" && Math.abs(clockSkewMs) > LIMITS.clockSkewMs;
  if (isSkewed || failure.code === "RequestTimeTooSkewed") {
    const message = "this machine's clock is too far from S3's: set it by NTP";
    return invalid("CLOCK_SKEWED", message, { clockSkewMs });
  }
  switch (failure.reason) {
    case "bucket":
      return missingBucket(bucket);
    case "denied":
      return invalid(
        "BUCKET_DENIED",
        `no access to bucket ${bucket} (${failure.code}): the credentials of AWS_PROFILE or ` +
          `AWS_ACCESS_KEY_ID must be valid and allow ${permission}`,
        { ...context, permission },
      );
    case "unsent":
    case "silent":
    case "broken":
    case "throttled":
      return new FirnError(
        "Unavailable",
        "BUCKET_UNREACHABLE",
        `S3 does not answer (${failure.code}): see AWS_ENDPOINT_URL and the network`,
        context,
        failure.cause,
      );
    case "missing":
    case "upload":
    case "condition":
    case "clash":
    case "range":
    case "unfit":
    case "refused":
      return invalid(
        "BUCKET_REFUSED",
        `the store refuses a request of ${permission} (${failure.code}): bucket ${bucket} needs ` +
          "a store that is compatible with S3, see AWS_ENDPOINT_URL and --s3-bucket",
        context,
      );
  }
}

/** `Invalid`, code `BUCKET_MISSING`: names the bucket and how to create it. */
export function missingBucket(bucket: string): FirnError {
  return invalid(
    "BUCKET_MISSING",
    `bucket ${bucket} does not exist: create it with \`firn storage init\`, or see --s3-bucket`,
    { bucket },
  );
}

const WRONG_REGION = new Set([
  "PermanentRedirect",
  "AuthorizationHeaderMalformed",
  "IllegalLocationConstraintException",
  "TemporaryRedirect",
]);
