import { invalid } from "../base/error.ts";
import { isSecret, secretRefused } from "./secret-properties.ts";

/*
 * Clients merge a table's properties into the settings of what reads its files: PyIceberg and
 * iceberg-go do. So the writer of a table could choose where its readers send their requests, by
 * which proxy, signed by whom: `s3.signer.uri` makes PyIceberg hand its token to a stranger.
 */

/** What stands before the first dot of keys that name a place, an identity or a program. */
const RESERVED_FAMILIES: ReadonlySet<string> = new Set([
  "s3",
  "client",
  "signer",
  "rest",
  "header",
  "auth",
  "http-client",
  "gcs",
  "adls",
  "oss",
  "hf",
  "hdfs",
]);

/**
 * Further keys. Those of proxies lie in the families: `s3.proxy-uri` (PyIceberg, iceberg-go),
 * `http-client.proxy-endpoint` and `rest.client.proxy.*` (Java). iceberg-rust has none, and makes
 * its FileIO of the catalog's settings and of `config`, without a table's properties.
 */
const RESERVED_KEYS: ReadonlySet<string> = new Set([
  "token",
  "credential",
  "uri",
  "oauth2-server-uri",
  "io-impl",
  "py-io-impl",
  "write.location-provider.impl",
  "write.py-location-provider.impl",
  // PyIceberg: where a path without a scheme leads.
  "DEFAULT_SCHEME",
  "DEFAULT_NETLOC",
]);

/** Of the families, and harmless: how what is written gets encrypted. */
const ALWAYS_ALLOWED = ["s3.sse-kms-key-id", "s3.server-side-encryption"];

/** Keys that an error names at most. */
const TOLD = 10;

/** On a catalog: defaults of new tables, and what they must have. Clients ask by `config`. */
export const TABLE_PREFIXES = ["table-default.", "table-override."] as const;

type Settings = ReadonlyMap<string, string>;

/** A key without the prefix by which a catalog sets it on its tables. */
function ownKey(given: string): string {
  for (const prefix of TABLE_PREFIXES) {
    if (given.startsWith(prefix)) return given.slice(prefix.length);
  }
  return given;
}

/** Properties that no request may set: they belong to the settings of clients. */
export class ReservedProperties {
  readonly #allowed: ReadonlySet<string>;

  /** `allowed`: keys that the operator takes out of the families. */
  constructor(allowed: readonly string[] = []) {
    this.#allowed = new Set([...ALWAYS_ALLOWED, ...allowed]);
  }

  has(given: string): boolean {
    if (this.#allowed.has(given)) return false;
    // What a catalog sets on its tables is a property of theirs.
    const key = ownKey(given);
    if (RESERVED_KEYS.has(key)) return true;
    const dot = key.indexOf(".");
    return dot > 0 && RESERVED_FAMILIES.has(key.slice(0, dot));
  }

  /**
   * Compares what a request makes of properties with what they were. A reserved one may go, and may
   * stay as it is: a client may send all that it knows again.
   *
   * @throws FirnError `Invalid`: `PROPERTY_RESERVED`, it sets one, or gives it another value;
   * `PROPERTY_SECRET`, it sets one that looks like a secret.
   */
  assertUnset(after: Settings, before?: Settings): void {
    if (after === before) return;
    const set: string[] = [];
    const secret: string[] = [];
    for (const [key, value] of after) {
      if (before?.get(key) === value) continue;
      if (this.has(key)) set.push(key);
      else if (isSecret(key, value) && !this.#allowed.has(key)) secret.push(key);
    }
    if (secret.length > 0) throw secretRefused(secret.slice(0, TOLD), secret.length);
    if (set.length === 0) return;
    const keys = set.slice(0, TOLD).join(", ");
    throw invalid(
      "PROPERTY_RESERVED",
      "reserved properties: clients read them as their own settings; leave them out, or see " +
        "--allow-property",
      {
        keys,
        count: set.length,
      },
    );
  }

  /**
   * Refuses secrets alone: of settings that no client takes for its own.
   *
   * @throws FirnError `Invalid` `PROPERTY_SECRET`.
   */
  assertNoSecret(settings: Readonly<Record<string, string>>): void {
    const secret = Object.entries(settings)
      .filter(([key, value]) => isSecret(key, value) && !this.#allowed.has(key))
      .map(([key]) => key);
    if (secret.length > 0) throw secretRefused(secret.slice(0, TOLD), secret.length);
  }

  /** As `assertUnset`, of records; nothing is set where there is no `after`. */
  assertUnsetBetween(
    after: Readonly<Record<string, string>> | undefined,
    before: Readonly<Record<string, string>>,
  ): void {
    if (after === undefined || after === before) return;
    this.assertUnset(new Map(Object.entries(after)), new Map(Object.entries(before)));
  }
}
