import { Bucket } from "../double/s3/model.ts";
import { S3Service } from "../double/s3/service.ts";
import { refusedSignature } from "../double/s3/signature.ts";
import type { Handler, Request } from "../double/server.ts";

/** Of the store that tests try out. */
export const BUCKET = "lake";
export const SECRET = "canary-secret-of-the-store";
export const ACCOUNTS: ReadonlyMap<string, string> = new Map([["key", SECRET]]);
export const REGION = "us-east-1";

export interface TriedStore {
  readonly model: S3Service["model"];
  readonly handler: Handler;
}

/** A store with one flaw, or none. */
export function store(make: (sound: S3Service, lax: S3Service) => Handler): TriedStore {
  const sound = new S3Service({ accounts: ACCOUNTS });
  const lax = new S3Service({ model: sound.model });
  sound.model.buckets.set(BUCKET, new Bucket(REGION));
  return { model: sound.model, handler: make(sound, lax) };
}

/** As a store does that looks at no hash of a body. */
function withoutHash(request: Request): Request {
  const { "x-amz-content-sha256": _, ...headers } = request.headers;
  return { ...request, headers };
}

/** Stores with a flaw, what is found of each, and what is said. */
export const FLAWS: Readonly<Record<string, readonly [TriedStore, object, object]>> = {
  "looks at no signature": [
    store((_, lax) => lax.handler),
    { signatures: false },
    { readSigning: "unsafe", writeSigning: "unsafe" },
  ],
  "copies because of an unsigned header": [
    store((sound, lax) => (request) => {
      const { "x-amz-copy-source": source } = request.headers;
      if (source === undefined) return sound.handler(request);
      const refused = refusedSignature(request, ACCOUNTS, REGION, Date.now());
      return refused ?? lax.handler({ ...request, method: "GET", path: source });
    }),
    { unsignedHeaders: false },
    { readSigning: "safe", writeSigning: "unsafe" },
  ],
  "takes another body than the signed one": [
    store((_sound, lax) => (request) => {
      const refused = refusedSignature(request, ACCOUNTS, REGION, Date.now());
      return refused ?? lax.handler(withoutHash(request));
    }),
    { signedBodies: false },
    { readSigning: "safe", writeSigning: "unsafe" },
  ],
};
