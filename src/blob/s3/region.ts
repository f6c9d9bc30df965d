import { HeadBucketCommand } from "@aws-sdk/client-s3";
import { errorOf, isPassing } from "./failure.ts";
import type { S3Options } from "./options.ts";
import { withWire } from "./setup.ts";
import type { S3Components } from "./wire.ts";

/**
 * The options of a bucket, with its own region where that is another than the one that is asked:
 * S3 says it with the refusal. Any other refusal is left for the request that is then sent to tell.
 * One request.
 *
 * @throws FirnError `Unavailable`, `Overloaded`: it is not known yet.
 */
export async function inItsRegion(
  options: S3Options,
  components: S3Components,
): Promise<S3Options> {
  return withWire(options, components, async (wire) => {
    const command = new HeadBucketCommand({ Bucket: options.bucket });
    const looked = await wire.again("HeadBucket", (abortSignal) =>
      wire.client.send(command, { abortSignal }),
    );
    if (looked.ok) return options;
    const { failure } = looked;
    if (failure.bucketRegion !== undefined) return { ...options, region: failure.bucketRegion };
    if (isPassing(failure)) throw errorOf(failure, "HeadBucket", "");
    return options;
  });
}
