import { assert } from "../base/assert.ts";
import { invalid } from "../base/error.ts";
import type { AccountId } from "../base/ids.ts";
import { assertKeyFits, decodeSegment, encodeSegment } from "../base/key-text.ts";
import { LIMITS } from "../base/limits.ts";
import { KeyFamilies } from "../pointer/families.ts";
import type { KeyFamily } from "../pointer/key.ts";
import { CATALOG_LIMITS } from "./limits.ts";

/** What the catalog knows of a family, beyond what a store needs. */
export interface CatalogKeyFamily<Pattern extends string = string> {
  readonly pattern: Pattern;
  readonly listed: boolean;
  /** Absent: a source, written only in commit batches. Else what it is rebuilt from. */
  readonly derivedFrom?: string;
  /** Written by every change of a busy table or parent, so its load must spread. */
  readonly hot?: boolean;
  /** Absent: as long as its entity. */
  readonly retention?: string;
  /** No code writes such keys yet: the pattern is taken, so that no other family gets it. */
  readonly reserved?: true;
  readonly note: string;
}

/** The one table of key families: stores are built with it, `docs/keys.md` is printed from it. */
export const FAMILIES = {
  accountById: {
    pattern: "/accounts/by-id/{account}",
    listed: false,
    note: "canonical pointer",
  },
  accountByName: {
    pattern: "/accounts/by-name/{name}",
    listed: true,
    note: "name and claim",
  },
  accountGuard: {
    pattern: "/accounts/{account}",
    listed: false,
    note: "bumped by every new catalog",
  },
  catalogById: {
    pattern: "/accounts/{account}/catalogs/by-id/{catalog}",
    listed: false,
    note: "canonical pointer",
  },
  catalogByName: {
    pattern: "/accounts/{account}/catalogs/by-name/{name}",
    listed: true,
    note: "name and claim",
  },
  catalogGuard: {
    pattern: "/accounts/{account}/catalogs/{catalog}/markers/children/{generation}/{guard}",
    listed: false,
    hot: true,
    note: "fences the namespaces of the top level",
  },
  namespaceById: {
    pattern: "/accounts/{account}/namespaces/by-id/{namespace}",
    listed: false,
    note: "canonical pointer",
  },
  namespaceByPath: {
    pattern: "/accounts/{account}/catalogs/{catalog}/namespaces/by-path/{path...}",
    listed: true,
    note: "name and claim; its directory lists the children of a path",
  },
  namespaceGuard: {
    pattern: "/accounts/{account}/namespaces/{namespace}/markers/children/{generation}/{guard}",
    listed: false,
    hot: true,
    note: "fences tables, views and child namespaces",
  },
  tableById: {
    pattern: "/accounts/{account}/tables/by-id/{table}",
    listed: false,
    hot: true,
    note: "canonical pointer",
  },
  viewById: {
    pattern: "/accounts/{account}/views/by-id/{view}",
    listed: false,
    note: "canonical pointer",
  },
  tableByName: {
    pattern: "/accounts/{account}/catalogs/{catalog}/namespaces/{namespace}/tables/by-name/{name}",
    listed: true,
    derivedFrom: "relationByName",
    note: "serves listings",
  },
  viewByName: {
    pattern: "/accounts/{account}/catalogs/{catalog}/namespaces/{namespace}/views/by-name/{name}",
    listed: true,
    derivedFrom: "relationByName",
    note: "serves listings",
  },
  relationByName: {
    pattern:
      "/accounts/{account}/catalogs/{catalog}/namespaces/{namespace}/relations/by-name/{name}",
    listed: false,
    note: "resolver and claim: a table and a view never share a name",
  },
  tableByUuid: {
    pattern: "/accounts/{account}/tables/by-uuid/{uuid}/{table}",
    listed: true,
    derivedFrom: "tableById",
    note: "tables that grew out of the same metadata have one uuid; dropped ones too",
  },
  uuidFence: {
    pattern: "/accounts/{account}/tables/uuid-fences/{uuid}",
    listed: false,
    derivedFrom: "tableById",
    note: "never alive: its tombstone tells of a uuid that was brought, not minted",
  },
  tableByMetadata: {
    pattern: "/accounts/{account}/tables/by-metadata/{directory_and_table}",
    listed: true,
    derivedFrom: "tableById",
    note: "tables whose current metadata lies outside their location, by its directory",
  },
  tableIndex: {
    pattern: "/accounts/{account}/indexes/{index}",
    listed: false,
    derivedFrom: "tableById",
    note: "the two indexes above are complete: without it, who asks reads all tables",
  },
  snapshotById: {
    pattern: "/accounts/{account}/tables/{table}/snapshots/by-id/{snapshot}",
    listed: true,
    derivedFrom: "the table's current metadata",
    note: "source for tables without a metadata file",
  },
  snapshotByTime: {
    pattern: "/accounts/{account}/tables/{table}/snapshots/by-time/{time_and_snapshot}",
    listed: true,
    derivedFrom: "the table's current metadata",
    note: "newest first: MAX minus milliseconds, MAX minus id",
  },
  targetStats: {
    pattern: "/accounts/{account}/tables/{table}/snapshots/{snapshot}/stats/targets/{target}",
    listed: true,
    note: "statistics of a table, column, expression or file; the summary says where in the blob",
  },
  statsSnapshot: {
    pattern: "/accounts/{account}/tables/{table}/stats/by-snapshot/{snapshot}",
    listed: true,
    derivedFrom: "targetStats",
    note: "the snapshot has statistics",
  },
  fileStats: {
    pattern: "/accounts/{account}/tables/{table}/snapshots/{snapshot}/stats/files/{file}",
    listed: true,
    derivedFrom: "targetStats",
    note: "alias of the file's target",
  },
  snapshotConstraints: {
    pattern: "/accounts/{account}/tables/{table}/snapshots/{snapshot}/stats/constraints",
    listed: false,
    derivedFrom: "constraints",
    note: "alias",
  },
  constraints: {
    pattern: "/accounts/{account}/tables/{table}/constraints/by-snapshot/{snapshot}",
    listed: true,
    note: "one bundle a snapshot",
  },
  connectorById: {
    pattern: "/accounts/{account}/connectors/by-id/{connector}",
    listed: false,
    note: "canonical pointer",
  },
  connectorByName: {
    pattern: "/accounts/{account}/connectors/by-name/{name}",
    listed: true,
    note: "name and claim",
  },
  receipt: {
    pattern: "/accounts/{account}/idempotency/{operation}/{attempt}",
    listed: false,
    retention: "30 minutes",
    note: "outcome of a mutation without a client's key, in its batch",
  },
  keyedReceipt: {
    pattern: "/accounts/{account}/idempotency/{key}",
    listed: false,
    retention: "30 minutes by every clock, then until it is collected",
    note: "outcome of the one request of a client's key, in its batch; no store expires it",
  },
  location: {
    pattern: "/accounts/{account}/locations/{location}",
    listed: true,
    note: "claim of a table's exact location, or a hold until it is one",
  },
  dropped: {
    pattern: "/accounts/{account}/dropped/{purge_after_and_entity}",
    listed: true,
    note: "what can be brought back, in the order in which it will be purged",
  },
  change: {
    pattern: "/accounts/{account}/changes/{minute_and_shard}/{change}",
    listed: true,
    hot: true,
    retention: "history retention, 7 days",
    note: "one a batch: the history, the feed, the audit",
  },
  jobById: {
    pattern: "/accounts/{account}/jobs/by-id/{job}",
    listed: false,
    derivedFrom: "what it is about",
    note: "state and lease of long work",
  },
  jobDue: {
    pattern: "/accounts/{account}/jobs/due/{bucket}/{time_and_job}",
    listed: true,
    derivedFrom: "jobById",
    note: "what to run next",
  },
  plan: {
    pattern: "/accounts/{account}/plans/{plan}",
    listed: false,
    retention: "until it expires",
    reserved: true,
    note: "a scan plan under way",
  },
  report: {
    pattern: "/accounts/{account}/reports/{table}/{number}",
    listed: true,
    retention: "until as many newer ones as are kept",
    note: "metrics reports of clients: a ring of slots, not written in batches",
  },
  principalById: {
    pattern: "/accounts/{account}/principals/by-id/{principal}",
    listed: false,
    note: "canonical pointer of a principal or role; its payload holds keys, grants, memberships",
  },
  principalByName: {
    pattern: "/accounts/{account}/principals/by-name/{name}",
    listed: true,
    note: "name and claim: a principal and a role never share one",
  },
  access: {
    pattern: "/accounts/{account}/access",
    listed: false,
    derivedFrom: "principalById",
    note: "bumped by every change of who may do what: nodes compare its version",
  },
  apiKey: {
    pattern: "/system/api-keys/{key}",
    listed: false,
    derivedFrom: "principalById",
    note: "account and principal of an API key",
  },
  storageProfileById: {
    pattern: "/accounts/{account}/storage-profiles/by-id/{profile}",
    listed: false,
    note: "canonical pointer of a storage profile; its payload holds no secret",
  },
  storageProfileByName: {
    pattern: "/accounts/{account}/storage-profiles/by-name/{name}",
    listed: true,
    note: "name and claim",
  },
  storageSecret: {
    pattern: "/accounts/{account}/secrets/{secret}",
    listed: false,
    retention: "as long as its profile names it",
    note: "credentials of a storage profile, sealed with the deployment secret; in no backup",
  },
  storageRoot: {
    pattern: "/system/storage-roots/{root}",
    listed: true,
    derivedFrom: "storageProfileById",
    note: "account and profile of a storage root: no two overlap across accounts",
  },
  shard: {
    pattern: "/shards/by-id/{shard}",
    listed: false,
    note: "owner of a shard of row tables: node, URL, epoch, state",
  },
  signingKey: {
    pattern: "/system/keys/{kid}",
    listed: true,
    note: "signs access tokens; wrapped by the deployment secret",
  },
} as const;

/** What summaries may hold that are longer than others. */
const SUMMARY_BYTES: ReadonlyMap<string, number> = new Map([
  ["change", CATALOG_LIMITS.changeRecordBytes],
]);

/**
 * What a store may forget by itself, and when. Never a receipt of a client's key: versions would
 * begin anew under requests that knew it alive (`receipts.ts`).
 */
const LIVES_MS: ReadonlyMap<string, number> = new Map([["receipt", LIMITS.receiptLifeMs]]);

/** The families as a store takes them. */
export const KEY_FAMILIES: readonly KeyFamily[] = Object.entries(FAMILIES).map(
  ([name, { pattern, listed }]) => {
    const lifeMs = LIVES_MS.get(name);
    const summaryBytes = SUMMARY_BYTES.get(name);
    return {
      name,
      pattern,
      listed,
      ...(lifeMs !== undefined && { lifeMs }),
      ...(summaryBytes !== undefined && { summaryBytes }),
    };
  },
);

/** A family of `FAMILIES`. */
export type FamilyName = keyof typeof FAMILIES;

type Variables<P extends string> = P extends `${string}{${infer V}}${infer Rest}`
  ? [V extends `${string}...` ? readonly string[] : string, ...Variables<Rest>]
  : [];

/** The literal parts of a pattern: one more than it has variables. */
const literalParts = new Map<string, readonly string[]>();

function partsOf(pattern: string): readonly string[] {
  let parts = literalParts.get(pattern);
  if (parts === undefined) {
    parts = pattern.split(/\{[^}]+\}/);
    literalParts.set(pattern, parts);
  }
  return parts;
}

/**
 * The key of a family for the given segment texts, in the order of the pattern.
 *
 * @throws FirnError `Invalid`: `KEY_SEGMENT_EMPTY`, `KEY_TOO_LONG`.
 */
export function keyOf<const P extends string>(
  family: CatalogKeyFamily<P>,
  ...values: Variables<P>
): string {
  const parts = partsOf(family.pattern);
  assert(values.length === parts.length - 1, "a key has each variable of its family");
  let key = parts[0] ?? "";
  for (let i = 1; i < parts.length; i++) {
    const value = (values as readonly (string | readonly string[])[])[i - 1] ?? "";
    key += typeof value === "string" ? encodeSegment(value) : value.map(segment).join("/");
    key += parts[i] ?? "";
  }
  assertKeyFits(key);
  return key;
}

function segment(text: string): string {
  return encodeSegment(text);
}

/** A key taken apart: one value for each variable of the pattern, several for a repeated one. */
export interface ParsedKey {
  readonly family: FamilyName;
  /** Texts of the variable segments in order; undefined for one that is kept as its hash. */
  readonly values: readonly (string | undefined)[];
}

const matcher = new KeyFamilies(KEY_FAMILIES);

/**
 * The family of a stored key and the texts in it: the inverse of `keyOf`.
 *
 * @throws FirnError `Internal`: a key of no family, which only a defect or a stranger writes.
 */
export function parseKey(key: string): ParsedKey {
  const family = matcher.of(key);
  const pattern = family.pattern.split("/");
  const fixed = (index: number): boolean => {
    const segment = pattern[index];
    return segment !== undefined && !segment.startsWith("{");
  };
  assert(isDecodable(key), "a key is percent-encoded as segments are");
  const values = key
    .split("/")
    .filter((_, index) => !fixed(index))
    .map(decodeSegment);
  return { family: family.name as FamilyName, values };
}

/** Whether a text that was stored is a key of some family, so that `parseKey` takes it apart. */
export function isKey(text: string): boolean {
  return isDecodable(text) && matcher.has(text);
}

function isDecodable(key: string): boolean {
  if (!key.includes("%")) return true;
  try {
    decodeURIComponent(key);
    return true;
  } catch {
    return false;
  }
}

/** The key that claims a table's exact location. Its leaf is never hashed: it sorts by path. */
export function locationKey(account: AccountId, location: string): string {
  const leaf = encodeSegment(location, Number.MAX_SAFE_INTEGER);
  if (leaf.length > CATALOG_LIMITS.locationBytes) {
    const facts = { bytes: leaf.length, limit: CATALOG_LIMITS.locationBytes };
    throw invalid("LOCATION_TOO_LONG", "location too long: choose a shorter one", facts);
  }
  return `${locationDirectory(account)}/${leaf}`;
}

/** Stands where an account has principals, and says by its version when they changed. */
export function accessKey(account: AccountId): string {
  return keyOf(FAMILIES.access, account);
}

/** The directory of all location claims: their leaves sort by path. */
export function locationDirectory(account: AccountId): string {
  return `/accounts/${account}/locations`;
}

/** The directory that lists a family's leaves, for the segments before the leaf. */
export function directoryOf<const P extends string>(
  family: CatalogKeyFamily<P>,
  ...values: Variables<P> extends [...infer Front, unknown] ? Front : []
): string {
  assert(family.listed, "only a listed family has a directory");
  const whole = keyOf(family, ...([...(values as string[]), "x"] as unknown as Variables<P>));
  return whole.slice(0, whole.lastIndexOf("/"));
}

/** The directory of the child namespaces of a path; the catalog's top level for an empty one. */
export function childDirectory(
  account: AccountId,
  catalog: string,
  path: readonly string[],
): string {
  const any = keyOf(FAMILIES.namespaceByPath, account, catalog, [...path, "x"]);
  return any.slice(0, any.lastIndexOf("/"));
}

/** A whole number as a key segment: 19 digits, so that text order is number order. */
export function digits19(value: number | bigint): string {
  assert(value >= 0, "digits sort as numbers do where none is negative");
  return String(value).padStart(19, "0");
}

/** Text of a listed leaf, or undefined where only its hash is kept: then the payload has it. */
export function leafText(key: string): string | undefined {
  return decodeSegment(key.slice(key.lastIndexOf("/") + 1));
}
