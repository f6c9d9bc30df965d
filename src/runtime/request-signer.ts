import type { Clock } from "../base/clock.ts";
import { IdSource } from "../base/ids.ts";
import type { Prng } from "../base/prng.ts";
import type { S3Options } from "../blob/s3/options.ts";
import { S3RequestSigner } from "../blob/s3/request-signer.ts";
import type { SigningBucket } from "../service/access/remote-signing.ts";
import { honorsUnsigned } from "./signing-trial.ts";

export interface BucketSigning {
  readonly options: S3Options;
  readonly clock: Clock;
  readonly prng: Prng;
  /** Whether writes are to be signed, which the store has to deserve. */
  readonly writes: boolean;
  /** The endpoint that clients use, where it is not this server's. */
  readonly clientEndpoint: string | undefined;
}

/** What signs requests to a bucket: made with the first caller, and anew if that failed. */
export function signerOnce(signing: BucketSigning): (within: string) => Promise<SigningBucket> {
  let made: Promise<SigningBucket> | undefined;
  return (within) => {
    made ??= signingBucket(signing, within).catch((error: unknown) => {
      made = undefined;
      throw error;
    });
    return made;
  };
}

async function signingBucket(
  { options, clock, prng, writes, clientEndpoint }: BucketSigning,
  within: string,
): Promise<SigningBucket> {
  const signer = new S3RequestSigner(options, clock);
  const id = new IdSource(clock, prng).mint();
  const [region, bases, isUnsafe] = await Promise.all([
    signer.region(),
    signer.bases(clientEndpoint),
    writes ? honorsUnsigned(signer, options.bucket, `${within}/.firn-probe-${id}`) : true,
  ]);
  return {
    bucket: options.bucket,
    region,
    bases,
    honorsUnsigned: isUnsafe,
    sign: (request) => signer.sign(request),
  };
}
