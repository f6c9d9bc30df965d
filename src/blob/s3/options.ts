import { invalid } from "../../base/error.ts";

/** Keys; without them the SDK's chain is asked: `AWS_*`, profile, container, instance. */
export interface S3Credentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string;
}

/** Milliseconds. */
export interface S3Timeouts {
  /** Until a connection stands. */
  readonly connectMs: number;
  /** Without a byte either way. */
  readonly idleMs: number;
  /** One request from its first byte to its last, plus `MIN_BYTES_PER_MS` of its content. */
  readonly wholeMs: number;
  /** One call of the port, retries included: nothing new is sent after it. */
  readonly callMs: number;
}

/** Where the blobs are, and how the store is spoken to. JSON-able. */
export interface S3Options {
  readonly bucket: string;
  /** Stands before every path: empty, or it ends with a slash. */
  readonly prefix?: string;
  readonly region?: string;
  /** Of a store that is compatible with S3; absent means AWS. */
  readonly endpoint?: string;
  /** `endpoint/bucket/key` instead of `bucket.endpoint/key`; the default where there is one. */
  readonly pathStyle?: boolean;
  /** Of the shared AWS configuration files. */
  readonly profile?: string;
  readonly credentials?: S3Credentials;
  /** Server-side encryption asked for with every write; absent leaves it to the bucket. */
  readonly encryption?: { readonly kind: "s3" } | { readonly kind: "kms"; readonly keyId?: string };
  /** Whether `If-Match` carries the etag in quotes, as the standard has it (default true). */
  readonly quoteEtags?: boolean;
  readonly timeouts?: Partial<S3Timeouts>;
  /** Failed requests that one call gets over before its caller learns of it. */
  readonly maxFailures?: number;
  /** Content above this is uploaded in parts of this size. S3's own floor is 5 MiB. */
  readonly partBytes?: number;
  /** `get` refuses larger blobs. */
  readonly maxGetBytes?: number;
  /** Connections at once; more requests than that wait for one. */
  readonly maxConnections?: number;
  /** Who sends the requests for whole objects: we (the default), or, in tests, the SDK. */
  readonly transport?: "direct" | "sdk";
}

export type S3Settings = Required<
  Pick<S3Options, "bucket" | "prefix" | "quoteEtags" | "maxFailures" | "partBytes" | "maxGetBytes">
> &
  Pick<S3Options, "encryption"> & { readonly timeouts: S3Timeouts };

const TIMEOUTS: S3Timeouts = { connectMs: 2_000, idleMs: 10_000, wholeMs: 20_000, callMs: 40_000 };
const PART_BYTES = 8 * 1_024 * 1_024;
/** The slowest transfer that is waited for: 1 MiB a second. */
export const MIN_BYTES_PER_MS = 1_049;

/**
 * Fills in the defaults.
 *
 * @throws FirnError `Invalid`, code `S3_OPTIONS_INVALID`.
 */
export function settingsOf(options: S3Options): S3Settings {
  const { bucket, prefix = "", encryption } = options;
  if (bucket === "") throw invalid("S3_OPTIONS_INVALID", "no bucket name given");
  if (prefix !== "" && !/^[^/].*\/$/s.test(prefix)) {
    throw invalid(
      "S3_OPTIONS_INVALID",
      "invalid prefix: it must end with a slash and not begin with one",
      {
        prefix,
      },
    );
  }
  return {
    bucket,
    prefix,
    ...(encryption === undefined ? {} : { encryption }),
    quoteEtags: options.quoteEtags ?? true,
    maxFailures: options.maxFailures ?? 8,
    partBytes: options.partBytes ?? PART_BYTES,
    maxGetBytes: options.maxGetBytes ?? Number.MAX_SAFE_INTEGER,
    timeouts: { ...TIMEOUTS, ...options.timeouts },
  };
}
