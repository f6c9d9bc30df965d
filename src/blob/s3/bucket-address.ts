import type { SampledRequest } from "../../aws/endpoint.ts";
import type { Clock } from "../../base/clock.ts";
import { connectS3 } from "./client.ts";
import { SAMPLE_KEY, s3Source } from "./direct-transport.ts";
import type { S3Options } from "./options.ts";

/** Where requests for a bucket go. */
export interface BucketAddress {
  readonly region: string;
  /** Of a server that is not AWS's own: scheme, host, port and what path there is. */
  readonly endpoint: string | undefined;
  /** Whether the bucket is a path of it, not a part of the host's name. */
  readonly pathStyle: boolean;
}

const AWS_HOST = /\.amazonaws\.com(?:\.cn)?$/;

/**
 * Where the SDK would send requests for a bucket, of a request that is made and not sent.
 *
 * @returns undefined where it finds no region or no credentials.
 */
export async function bucketAddress(
  options: S3Options,
  clock: Clock,
): Promise<BucketAddress | undefined> {
  const { bucket } = options;
  const { client, close } = connectS3(options, clock);
  try {
    const region = await client.config.region();
    const sampled = (await s3Source(client, bucket).sample()) as SampledRequest;
    return { region, ...addressIn(sampled, bucket) };
  } catch {
    // Whatever it is, the first request that is sent tells it better.
    return undefined;
  } finally {
    close();
  }
}

function addressIn(
  { protocol, hostname, port, path }: SampledRequest,
  bucket: string,
): Omit<BucketAddress, "region"> {
  const pathStyle = !hostname.startsWith(`${bucket}.`);
  const host = pathStyle ? hostname : hostname.slice(bucket.length + 1);
  const tail = pathStyle ? `/${bucket}/${SAMPLE_KEY}` : `/${SAMPLE_KEY}`;
  const at = port === undefined ? host : `${host}:${port}`;
  const own = AWS_HOST.test(host);
  const endpoint = own ? undefined : `${protocol}//${at}${path.slice(0, -tail.length)}`;
  return { endpoint, pathStyle };
}
