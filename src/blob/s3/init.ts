import { CreateBucketCommand, PutBucketLifecycleConfigurationCommand } from "@aws-sdk/client-s3";
import { invalid } from "../../base/error.ts";
import type { S3Options } from "./options.ts";
import { bucketExists, setupError, withWire } from "./setup.ts";
import type { S3Components, S3Wire } from "./wire.ts";

/** Parts of an upload that ended midway are billed until they are removed. */
const ABANDONED_DAYS = 7;

export interface BucketInit {
  readonly bucket: "created" | "existed";
  readonly warnings: readonly string[];
}

/**
 * Makes the bucket where it is absent; one that is there stays as it is. A new one gets a rule that
 * removes what abandoned uploads left behind. Two to four requests.
 *
 * @throws FirnError as `setupError`; `Invalid`, codes `BUCKET_TAKEN`, `S3_OPTIONS_INVALID`.
 */
export function initBucket(options: S3Options, components: S3Components): Promise<BucketInit> {
  return withWire(options, components, async (wire) => {
    if (await bucketExists(wire)) return { bucket: "existed", warnings: [] };
    const bucket = await create(wire);
    return { bucket, warnings: bucket === "created" ? await setLifecycle(wire) : [] };
  });
}

async function create(wire: S3Wire): Promise<BucketInit["bucket"]> {
  const { bucket } = wire.settings;
  // The SDK adds the region's constraint.
  const command = new CreateBucketCommand({ Bucket: bucket });
  const created = await wire.again("CreateBucket", (abortSignal) =>
    wire.client.send(command, { abortSignal }),
  );
  if (created.ok) return "created";
  const { failure } = created;
  if (failure.code === "BucketAlreadyExists") {
    const message = `bucket ${bucket} belongs to another account: choose another with --s3-bucket`;
    throw invalid("BUCKET_TAKEN", message, { bucket });
  }
  // Made meanwhile, by another node or by an earlier try whose answer was lost.
  if (await bucketExists(wire)) return "existed";
  throw await setupError(wire, failure, "s3:CreateBucket");
}

async function setLifecycle(wire: S3Wire): Promise<readonly string[]> {
  const command = new PutBucketLifecycleConfigurationCommand({
    Bucket: wire.settings.bucket,
    LifecycleConfiguration: {
      Rules: [
        {
          ID: "firn-abandoned-uploads",
          Status: "Enabled",
          Filter: { Prefix: wire.settings.prefix },
          AbortIncompleteMultipartUpload: { DaysAfterInitiation: ABANDONED_DAYS },
        },
      ],
    },
  });
  const set = await wire.again("PutBucketLifecycleConfiguration", (abortSignal) =>
    wire.client.send(command, { abortSignal }),
  );
  if (set.ok) return [];
  return ["the bucket keeps what abandoned uploads leave: add a lifecycle rule that removes it"];
}
