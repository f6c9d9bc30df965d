import { EMPTY_SHA256, escapeText } from "../aws/sigv4.ts";
import type { Clock } from "../base/clock.ts";
import { FirnError } from "../base/error.ts";
import { IdSource } from "../base/ids.ts";
import type { Prng } from "../base/prng.ts";
import type { S3Options } from "../blob/s3/options.ts";
import { type ForeignRequest, S3RequestSigner } from "../blob/s3/request-signer.ts";
import type { SigningBucket } from "../service/access/remote-signing.ts";

export interface BucketSigning {
  readonly options: S3Options;
  readonly clock: Clock;
  readonly prng: Prng;
  /** Whether writes are to be signed, which the store has to deserve. */
  readonly writes: boolean;
  /** The endpoint that clients use, where it is not this server's. */
  readonly clientEndpoint: string | undefined;
}

const REQUEST_MS = 10_000;

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
  const [region, bases, honorsUnsigned] = await Promise.all([
    signer.region(),
    signer.bases(clientEndpoint),
    writes ? honorsUnsignedCopy(signer, options.bucket, `${within}/.firn-probe-${id}`) : true,
  ]);
  return {
    bucket: options.bucket,
    region,
    bases,
    honorsUnsigned,
    sign: (request) => signer.sign(request),
  };
}

/**
 * Whether a store copies an object because of a header that was not signed. Then a client could
 * turn a signed write into a copy of any object that this server may read. A store that does not
 * take the signed write itself proves nothing. Three requests; the object is removed.
 *
 * @throws FirnError `Unavailable` `SIGNING_UNAVAILABLE`: it could not be found out.
 */
export async function honorsUnsignedCopy(
  signer: S3RequestSigner,
  bucket: string,
  key: string,
): Promise<boolean> {
  const [base = ""] = await signer.bases();
  const path = key.split("/").map(escapeText).join("/");
  const url = new URL(`${base}/${path}`);
  const send = async (method: string, more: Readonly<Record<string, string>>): Promise<number> => {
    const request: ForeignRequest = {
      method,
      host: url.host,
      path: url.pathname,
      query: [],
      headers: [],
      payloadSha256: EMPTY_SHA256,
    };
    const signed = Object.fromEntries(await signer.sign(request));
    const signal = AbortSignal.timeout(REQUEST_MS);
    try {
      return (await fetch(url, { method, headers: { ...signed, ...more }, signal })).status;
    } catch (error) {
      const message = "the store did not answer: whether it is safe to sign writes is not known";
      throw new FirnError("Unavailable", "SIGNING_UNAVAILABLE", message, {}, error);
    }
  };
  if ((await send("PUT", {})) !== 200) return true;
  const copied = await send("PUT", { "x-amz-copy-source": `/${bucket}/${path}-absent` });
  await send("DELETE", {});
  // 403: it refuses what is not signed. 200: it passes over the header. Else it obeyed it.
  return copied !== 403 && copied !== 200;
}
