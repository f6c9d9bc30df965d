import { assert } from "../base/assert.ts";
import type { AccountId } from "../base/ids.ts";
import type { Live } from "../pointer/port.ts";
import { changeOf } from "./changes.ts";
import { decodeApiKey } from "./codec/principal.ts";
import { decodeReceipt } from "./codec/receipt.ts";
import { decodeSnapshotSummary } from "./codec/snapshot.ts";
import { decodePartSummary } from "./codec/stats.ts";
import { decodeStorageRoot, decodeStoredSecret } from "./codec/storage-profile.ts";
import { decodeSummary } from "./codec/summary.ts";
import { corrupt } from "./errors.ts";
import { jobOf } from "./jobs.ts";
import { FAMILIES, type FamilyName, keyOf, type ParsedKey, parseKey } from "./keys.ts";
import type {
  ChangeRecord,
  EntityType,
  Job,
  PartSummary,
  Receipt,
  SnapshotSummary,
  Summary,
} from "./model.ts";
import { constraintsPath, statsPath } from "./part-keys.ts";
import { blobPathOf, byIdKey, fullKey, payloadPath } from "./paths.ts";
import { idSegment } from "./snapshot-puts.ts";
import { tableOfEntry } from "./table-index.ts";

/** What the summary of a live pointer says. */
export type PointerContent =
  /** The canonical pointer of an entity. */
  | { readonly is: "canonical"; readonly summary: Summary }
  /** A name, a listing, a location claim or hold, an entry among what was dropped. */
  | { readonly is: "name"; readonly summary: Summary }
  | { readonly is: "snapshot"; readonly summary: SnapshotSummary }
  /** Statistics or constraints of a snapshot. */
  | { readonly is: "part"; readonly summary: PartSummary }
  /** `record` is absent where only the pointer's blob has it. */
  | { readonly is: "change"; readonly record?: ChangeRecord }
  | { readonly is: "receipt"; readonly receipt: Receipt }
  | { readonly is: "job"; readonly job: Job }
  /** The key, and for a report the blob, says everything. */
  | { readonly is: "bare" }
  /** Of a family that this version never writes. */
  | { readonly is: "unknown" };

/** An entity that a pointer names. */
export interface EntityRef {
  readonly type: EntityType;
  readonly id: string;
}

/** What a live pointer refers to. */
export interface References {
  readonly content: PointerContent;
  /** Absent for what belongs to the whole deployment. */
  readonly account?: AccountId;
  /** Rebuilt from its root where it is missing or wrong. All else is a source. */
  readonly isDerived: boolean;
  /** The payload that the pointer leads to. */
  readonly blob?: string;
  /** Further payloads: those that a change record tells of, old and new, stored or not. */
  readonly blobs: readonly string[];
  /** The Iceberg metadata file. Also absent where it did not fit: then the payload names it. */
  readonly metadataLocation?: string;
  /** Entities by id: the pointer's own, its parent and its catalog. */
  readonly entities: readonly EntityRef[];
  /** The canonical pointer, or the job, whose life this pointer shares. Absent for a root. */
  readonly root?: string;
}

/** What each family adds to what is common to all. */
type Own = Pick<References, "content"> &
  Partial<Pick<References, "blobs" | "metadataLocation" | "entities" | "root">>;

/**
 * Says of any live pointer what it refers to. No request, no look at a payload.
 *
 * @throws FirnError `Corrupt`: a summary that is missing, malformed, or not of the key's family.
 */
export function referencesOf(item: Live, key: ParsedKey): References {
  const { entities = [], blobs = [], ...own } = ownReferences(item, key);
  const account = accountOfKey(key);
  return {
    isDerived: "derivedFrom" in FAMILIES[key.family],
    ...(account === undefined ? {} : { account }),
    ...(item.blobPath === undefined ? {} : { blob: item.blobPath }),
    entities,
    blobs,
    ...own,
  };
}

const GLOBAL: ReadonlySet<FamilyName> = new Set<FamilyName>([
  "accountByName",
  "apiKey",
  "shard",
  "signingKey",
  "storageRoot",
]);

/** The account that a key belongs to; undefined for the deployment's own and for account names. */
export function accountOfKey({ family, values }: ParsedKey): AccountId | undefined {
  const isGlobal = GLOBAL.has(family);
  return isGlobal ? undefined : (values[0] as AccountId | undefined);
}

function ownReferences(item: Live, key: ParsedKey): Own {
  const { family, values } = key;
  const account = values[0] as AccountId;
  const second = values[1] ?? "";
  switch (family) {
    case "accountById":
    case "catalogById":
    case "namespaceById":
    case "tableById":
    case "viewById":
    case "connectorById":
    case "principalById":
    case "storageProfileById":
      return canonical(item, family);
    case "accountByName": {
      const summary = summaryIn(item);
      return named(summary, summary.entityId as AccountId);
    }
    case "catalogByName":
    case "namespaceByPath":
    case "tableByName":
    case "viewByName":
    case "relationByName":
    case "location":
    case "dropped":
    case "connectorByName":
    case "principalByName":
    case "storageProfileByName":
      return named(summaryIn(item), account);
    case "accountGuard":
    case "access":
      return rooted("account", account, account);
    case "catalogGuard":
      return rooted("catalog", account, second);
    case "namespaceGuard":
      return rooted("namespace", account, second);
    case "report":
      return rooted("table", account, second);
    case "tableByUuid":
    case "tableByMetadata":
      return rooted("table", account, tableOfEntry(item.key));
    case "uuidFence":
    case "tableIndex":
      return rooted("account", account, account);
    case "snapshotById":
    case "snapshotByTime":
      return { ...rooted("table", account, second), content: snapshot(item) };
    case "change":
      return change(item, account);
    case "receipt":
    case "keyedReceipt":
      return { content: { is: "receipt", receipt: decodeReceipt(bytesOf(item)) } };
    case "jobById":
      return job(item, account);
    case "jobDue":
      return { content: { is: "bare" }, root: keyOf(FAMILIES.jobById, account, dueJob(item, key)) };
    case "targetStats":
    case "fileStats":
    case "snapshotConstraints":
    case "constraints":
      return { ...rooted("table", account, second), content: part(item) };
    case "statsSnapshot":
      return rooted("table", account, second);
    case "apiKey": {
      const { account: of, principal } = decodeApiKey(bytesOf(item));
      return rooted("principal", of, principal);
    }
    case "storageSecret":
      return rooted("storageProfile", account, decodeStoredSecret(bytesOf(item)).profile);
    case "storageRoot": {
      const { account: of, profile } = decodeStorageRoot(bytesOf(item));
      return rooted("storageProfile", of, profile);
    }
    case "signingKey":
    case "shard":
      return { content: { is: "bare" } };
    case "plan":
      return { content: { is: "unknown" } };
  }
}

/** The kind of entity of each family of canonical pointers. */
const CANONICAL = {
  accountById: "account",
  catalogById: "catalog",
  namespaceById: "namespace",
  tableById: "table",
  viewById: "view",
  connectorById: "connector",
  principalById: "principal",
  storageProfileById: "storageProfile",
} as const;

/** What kind of entity a family's pointers are the canonical ones of, if they are. */
export function canonicalType(family: FamilyName): EntityType | undefined {
  return (CANONICAL as Partial<Record<FamilyName, EntityType>>)[family];
}

function canonical(item: Live, family: keyof typeof CANONICAL): Own {
  const summary = summaryIn(item);
  if (summary.entityType !== CANONICAL[family]) {
    throw corrupt("canonical pointer of another kind", { key: item.key });
  }
  const { metadataLocation } = summary;
  return {
    content: { is: "canonical", summary },
    entities: entitiesOf(summary),
    ...(metadataLocation === undefined ? {} : { metadataLocation }),
  };
}

function named(summary: Summary, account: AccountId): Own {
  const root = byIdKey(summary.entityType, account, summary.entityId);
  return { content: { is: "name", summary }, entities: entitiesOf(summary), root };
}

function entitiesOf(summary: Summary): readonly EntityRef[] {
  const { entityType, entityId, parentId, catalogId } = summary;
  const found: EntityRef[] = [{ type: entityType, id: entityId }];
  if (parentId !== undefined) {
    const isTop = entityType === "namespace" && parentId === catalogId;
    found.push({ type: isTop ? "catalog" : "namespace", id: parentId });
  }
  if (catalogId !== undefined && catalogId !== parentId) {
    found.push({ type: "catalog", id: catalogId });
  }
  return found;
}

function rooted(type: EntityType, account: AccountId, id: string): Own {
  const root = byIdKey(type, account, id);
  return { content: { is: "bare" }, entities: [{ type, id }], root };
}

function snapshot(item: Live): PointerContent {
  return { is: "snapshot", summary: decodeSnapshotSummary(bytesOf(item)) };
}

function part(item: Live): PointerContent {
  return { is: "part", summary: decodePartSummary(bytesOf(item)) };
}

function change(item: Live, account: AccountId): Own {
  if (item.summary === undefined) {
    if (item.blobPath === undefined) throw corrupt("pointer without summary", { key: item.key });
    return { content: { is: "change" } };
  }
  const record = changeOf(item.summary);
  return { content: { is: "change", record }, blobs: blobsOfChange(account, record) };
}

function job(item: Live, account: AccountId): Own {
  const found = jobOf(item);
  const { type, id } = found.subject;
  const root = byIdKey(type, account, id);
  return { content: { is: "job", job: found }, entities: [{ type, id }], root };
}

/** Of a leaf `{19 digits}-{job}`. */
function dueJob(item: Live, { values }: ParsedKey): string {
  const id = values.at(-1)?.slice(20) ?? "";
  if (id === "") throw corrupt("a job that is due has no id", { key: item.key });
  return id;
}

/** Not remembered beside the bytes, as reads of entities do: a walk sees each once. */
function summaryIn(item: Live): Summary {
  return decodeSummary(bytesOf(item));
}

function bytesOf(item: Live): Uint8Array {
  if (item.summary === undefined) throw corrupt("pointer without summary", { key: item.key });
  return item.summary;
}

/** Every payload that a change record tells of: what its keys led to before and after it. */
export function blobsOfChange(account: AccountId, record: ChangeRecord): readonly string[] {
  const paths = new Set<string>();
  for (const { key, blobFrom, blobTo } of record.keys) {
    for (const hash of [blobFrom, blobTo]) {
      if (hash !== undefined) paths.add(payloadOfKey(fullKey(account, key), hash));
    }
  }
  return [...paths];
}

const MAX_ID = 2n ** 63n - 1n;
const BY_TIME = /^[0-9]{19}-[0-9]{19}$/;

/**
 * Where the payload of this hash lies that a key leads to, or led to.
 *
 * @throws FirnError `Corrupt`: keys of its family lead to no payload.
 */
export function payloadOfKey(key: string, hash: Uint8Array): string {
  assert(hash.length === 32, "a payload's hash is a SHA-256");
  const sha = Buffer.from(hash).toString("hex");
  const { family, values } = parseKey(key);
  const [account = "", id = "", leaf = ""] = values;
  const type = canonicalType(family);
  if (type !== undefined) return payloadPath(type, account as AccountId, id, sha);
  if (family === "targetStats") return statsPath(account, id, leaf, values[3] ?? "", sha);
  if (family === "constraints") return constraintsPath(account, id, leaf, sha);
  if (family === "snapshotById") return blobPathOf("snapshot", account, id, leaf, sha);
  if (family === "snapshotByTime") {
    if (!BY_TIME.test(leaf)) throw corrupt("a change record tells of no snapshot", { key });
    const snapshotId = MAX_ID - BigInt(leaf.slice(leaf.indexOf("-") + 1));
    return blobPathOf("snapshot", account, id, idSegment(snapshotId), sha);
  }
  throw corrupt("a change record gives a payload to a key that has none", { key });
}
