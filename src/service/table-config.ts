import type { Properties } from "./requests.ts";
import type { ReservedProperties } from "./reserved-properties.ts";

/**
 * What the server knows of the store behind a location, as clients' settings: region, endpoint.
 * Never fails: an answer stands without it.
 */
export type StoreConfig = (location: string) => Properties | Promise<Properties>;

/**
 * Families and keys that clients take from a table's properties into their settings, where `config`
 * overrides them. The other reserved ones are never answered: no client reads them from there, and
 * in `config` they would mean something (`token`, `io-impl` and `rest.*` to Java's).
 */
const OVERRIDDEN_PREFIXES = ["s3.", "client.", "gcs.", "adls.", "oss.", "hf.", "hdfs.", "header."];
const OVERRIDDEN_KEYS: ReadonlySet<string> = new Set([
  "uri",
  "py-io-impl",
  "DEFAULT_SCHEME",
  "DEFAULT_NETLOC",
]);

/**
 * Of those families, and never answered: classes that Java's clients would look for, and numbers
 * that they would read. They lead nowhere.
 */
const PASSED_OVER = [
  "client.factory",
  "client.credentials-provider",
  "s3.client-factory-impl",
  "s3.multipart.",
  "s3.retry.",
  "s3.delete",
];

/** What stands for "as if it were not set" where clients cannot read an empty text. */
const DEFAULTS: Properties = {
  DEFAULT_SCHEME: "file",
  "gcs.access": "full_control",
  "gcs.consistency": "none",
  "gcs.session-kwargs": "{}",
};

/** So few properties are looked at anew faster than what came of them is kept. */
const FEW = 16;

interface Parts {
  readonly properties: ReadonlyMap<string, string>;
  readonly location: string;
}

/**
 * The `config` of an answer with a table or view: the server's word on clients' settings, which
 * they take over what the properties say.
 */
export class TableConfigs {
  readonly reserved: ReservedProperties;
  readonly #store: StoreConfig;
  /** By properties: versions of a table share them. */
  readonly #neutral: WeakMap<ReadonlyMap<string, string>, Properties> = new WeakMap();

  constructor(reserved: ReservedProperties, store: StoreConfig = () => ({})) {
    this.reserved = reserved;
    this.#store = store;
  }

  /**
   * What the server knows of the store, and no effect for reserved properties. At once for a table
   * in a file system, which has no settings.
   */
  of({ properties, location }: Parts): Properties | Promise<Properties> {
    const neutral = this.#neutralized(properties);
    return location.startsWith("file:") ? neutral : this.#withStore(neutral, location);
  }

  async #withStore(neutral: Properties, location: string): Promise<Properties> {
    return { ...neutral, ...(await this.#store(location)) };
  }

  #neutralized(properties: ReadonlyMap<string, string>): Properties {
    const known = properties.size > FEW ? this.#neutral.get(properties) : undefined;
    if (known !== undefined) return known;
    const neutral: Record<string, string> = {};
    for (const key of properties.keys()) {
      if (this.reserved.has(key) && isOverridden(key)) neutral[key] = DEFAULTS[key] ?? "";
    }
    if (properties.size > FEW) this.#neutral.set(properties, neutral);
    return neutral;
  }
}

function isOverridden(key: string): boolean {
  const begins = (prefix: string) => key.startsWith(prefix);
  if (PASSED_OVER.some(begins)) return false;
  return OVERRIDDEN_KEYS.has(key) || OVERRIDDEN_PREFIXES.some(begins);
}
