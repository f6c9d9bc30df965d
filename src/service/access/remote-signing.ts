import type { Pairs } from "../../aws/sigv4.ts";
import { FirnError } from "../../base/error.ts";
import type { Locations } from "../../blob/locations.ts";
import { isBucketName, partsOfS3Location } from "../../blob/s3/location.ts";
import { directoriesAbove } from "../../catalog/claims.ts";
import type { CatalogPlaces } from "../table-locations.ts";
import { confinedLocation, isApart, type LocatedTable } from "./confined-location.ts";
import { signRefused } from "./sign-refused.ts";
import {
  type AskedSignature,
  type Judged,
  judgeSignature,
  namedPlaces,
  type SigningPlace,
} from "./sign-request.ts";

/** A bucket, and what signs requests to it with the server's own credentials. */
export interface SigningBucket extends SigningPlace {
  /** Whether it obeys headers or bodies that were not signed, so that no write may be. */
  readonly honorsUnsigned: boolean;
  /** Headers with the signature, under lower-case names. No request but for credentials. */
  sign(request: Judged): Promise<Pairs>;
}

export interface RemoteSigningParts {
  readonly locations: Locations;
  /** Whether it may sign for any location, as far as it knows. No request. */
  readonly isOn: () => boolean;
  /** Undefined where nothing is signed. @throws FirnError `Unavailable`. */
  readonly storeOf: (location: string) => Promise<SigningStore | undefined>;
}

/** The store of a location, as one that is signed for. */
export interface SigningStore {
  /** What is signed at most: requests that read, or those that write, too. */
  readonly mode: "read" | "write";
  /** @param within a key below which it may be tried out. @throws FirnError `Unavailable`. */
  readonly bucket: (within: string) => Promise<SigningBucket>;
}

/** A request with its signature. */
export interface SignedRequest {
  readonly uri: string;
  readonly headers: Pairs;
  /** Whether a client may use it again for the same URI. */
  readonly cacheable: boolean;
  /** Whether it changes anything in the store. */
  readonly writes: boolean;
}

/** Properties of a table that would lead its readers to another signer. */
const MISLEADING = /^(?:s3\.signer|signer|s3\.remote-signing-enabled|uri|token)(?:\.|$)/;

/** Levels of a key that a table may have: more than any that has a root and a table's place. */
const MOST_LEVELS = 96;

/**
 * Directories over what a request names, outermost first: a table that claims one of them owns it.
 * None of a request that would be refused to all.
 */
export function directoriesOver(asked: AskedSignature): readonly string[] {
  try {
    return namedPlaces(asked)
      .filter(({ bucket, key }) => isBucketName(bucket) && key.isWellFormed())
      .flatMap(({ bucket, key }) =>
        directoriesAbove(`s3://${bucket}/${key}`).slice(0, MOST_LEVELS),
      );
  } catch (error) {
    if (error instanceof FirnError && error.code === "SIGN_REFUSED") return [];
    throw error;
  }
}

/** Signs requests of clients for the files of one table, and nothing beside them. */
export class RemoteSigning {
  readonly #parts: RemoteSigningParts;

  constructor(parts: RemoteSigningParts) {
    this.#parts = parts;
  }

  get isOn(): boolean {
    return this.#parts.isOn();
  }

  /**
   * Settings that make a client ask for signatures; undefined where none are given for the table.
   *
   * @param endpoint where it asks, relative to the URI of the catalog.
   */
  async configFor(
    table: LocatedTable,
    endpoint: string,
    places: () => Promise<CatalogPlaces>,
  ): Promise<Readonly<Record<string, string>> | undefined> {
    for (const key of table.properties.keys()) if (MISLEADING.test(key)) return undefined;
    const location = confinedLocation(this.#parts.locations, table);
    if (location === undefined || !isApart(await places(), location)) return undefined;
    if ((await this.#parts.storeOf(location)) === undefined) return undefined;
    return {
      "s3.remote-signing-enabled": "true",
      "s3.signer": "S3V4RestSigner",
      "s3.signer.endpoint": endpoint,
      "signer.endpoint": endpoint,
      "py-io-impl": "pyiceberg.io.fsspec.FsspecFileIO",
    };
  }

  /**
   * Signs a request for a table whose caller was judged.
   *
   * @throws FirnError `Forbidden` `SIGN_REFUSED`; `Unavailable`.
   */
  async sign(
    asked: AskedSignature,
    table: LocatedTable,
    places: () => Promise<CatalogPlaces>,
  ): Promise<SignedRequest> {
    const location = confinedLocation(this.#parts.locations, table);
    if (location === undefined || !isApart(await places(), location)) {
      throw signRefused("the table's files cannot be told apart by their paths");
    }
    const { key } = partsOfS3Location(location);
    if (key === "") throw signRefused("the table is a whole bucket");
    const store = await this.#parts.storeOf(location);
    if (store === undefined) throw signRefused("the server signs no requests for the table");
    const bucket = await store.bucket(key);
    const writes = store.mode === "write" && !bucket.honorsUnsigned;
    const judged = judgeSignature(asked, { ...bucket, prefix: `${key}/`, writes });
    const headers = await bucket.sign(judged);
    const cacheable = judged.method === "GET" || judged.method === "HEAD";
    return { uri: asked.uri, headers, cacheable, writes: judged.writes };
  }
}
