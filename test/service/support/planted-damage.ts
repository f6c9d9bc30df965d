import { sha256Hex } from "../../../src/base/hash.ts";
import type { AccountId, ChangeId, Revision, WriterId } from "../../../src/base/ids.ts";
import type { BlobStore } from "../../../src/blob/port.ts";
import { changeKey } from "../../../src/catalog/changes.ts";
import { decodeChange, encodeChange } from "../../../src/catalog/codec/change.ts";
import { decodePayload, encodePayload } from "../../../src/catalog/codec/entities.ts";
import { encodeJob } from "../../../src/catalog/codec/job.ts";
import { decodeReceipt, encodeReceipt } from "../../../src/catalog/codec/receipt.ts";
import {
  decodeSnapshotSummary,
  encodeSnapshotSummary,
} from "../../../src/catalog/codec/snapshot.ts";
import { decodePartSummary, encodePartSummary } from "../../../src/catalog/codec/stats.ts";
import { decodeSummary, encodeSummary } from "../../../src/catalog/codec/summary.ts";
import { expectedKeys } from "../../../src/catalog/expected-keys.ts";
import { jobKeys, jobOf } from "../../../src/catalog/jobs.ts";
import { FAMILIES, type FamilyName, keyOf, parseKey } from "../../../src/catalog/keys.ts";
import type { Entity, Summary, Table } from "../../../src/catalog/model.ts";
import { blobPathOf, payloadPath } from "../../../src/catalog/paths.ts";
import { snapshotKeys } from "../../../src/catalog/snapshot-puts.ts";
import type { Item, Live, PointerOp, PointerStore } from "../../../src/pointer/port.ts";
import type { FindingCode } from "../../../src/service/fsck/findings.ts";

/** What damages are planted in. */
export interface Planted {
  readonly pointers: PointerStore;
  readonly blobs: Pick<BlobStore, "get" | "put" | "delete">;
  /** Metadata files, at their paths. */
  readonly files: Pick<BlobStore, "get" | "put" | "delete">;
  readonly nowMs: number;
}

/** Something that goes wrong with a store, and the code that it is found under. */
export interface Damage {
  readonly code: FindingCode;
  readonly what: string;
  /** @returns the subject that it is found at. */
  readonly plant: (store: Planted) => Promise<string>;
  /** Other codes that the same damage shows as, elsewhere. */
  readonly also?: readonly FindingCode[];
}

const WRITER = "00000000-0000-7000-8000-00000000dead" as WriterId;
const OTHER = "01890000-0000-7000-8000-00000000beef";

async function all(store: Planted, family: FamilyName): Promise<Live[]> {
  const found: Live[] = [];
  for await (const item of store.pointers.sweep("/")) {
    if (item.state === "live" && parseKey(item.key).family === family) found.push(item);
  }
  return found;
}

/** The pointer of a family that is about an entity of this name, or the first. */
async function one(store: Planted, family: FamilyName, name?: string): Promise<Live> {
  const items = await all(store, family);
  const found =
    name === undefined
      ? items[0]
      : items.find(({ summary }) => summary && decodeSummary(summary).name === name);
  if (found === undefined) throw new Error(`no ${family} ${name ?? ""}`);
  return found;
}

async function commit({ pointers }: Planted, ...ops: readonly PointerOp[]): Promise<void> {
  const { outcome } = await pointers.commit({ writerId: WRITER, ops });
  if (outcome !== "committed") throw new Error(`damage not planted: ${outcome}`);
}

/** Writes over a pointer; what is not given stays. */
async function overwrite(
  store: Planted,
  item: Item,
  change: { readonly summary?: Uint8Array; readonly blobPath?: string },
): Promise<string> {
  const was = item.state === "live" ? item : undefined;
  const { key, version: expected } = item;
  const blobPath = change.blobPath ?? was?.blobPath;
  const summary = change.summary ?? was?.summary;
  const op = { op: "put", key, expected } as const;
  await commit(store, { ...op, ...(blobPath && { blobPath }), ...(summary && { summary }) });
  return key;
}

async function remove(store: Planted, { key, version }: Item): Promise<string> {
  await commit(store, { op: "delete", key, expected: version });
  return key;
}

async function put(store: Planted, key: string, summary?: Uint8Array, blobPath?: string) {
  const { version: expected } = await store.pointers.get(key);
  const op = { op: "put", key, expected } as const;
  await commit(store, { ...op, ...(blobPath && { blobPath }), ...(summary && { summary }) });
  return key;
}

function said(item: Live, change: Partial<Summary>): Uint8Array {
  return encodeSummary({ ...decodeSummary(item.summary as Uint8Array), ...change });
}

function accountOf({ key }: Item): AccountId {
  return (parseKey(key).values[0] ?? "") as AccountId;
}

async function entityOf(store: Planted, item: Live) {
  const { entityType } = decodeSummary(item.summary as Uint8Array);
  const blob = await store.blobs.get(item.blobPath as string);
  return decodePayload(entityType, blob?.bytes as Uint8Array);
}

/** Gives an entity another content, with payload, summary and hash as they should be. */
async function rewrite(
  store: Planted,
  item: Live,
  change: (entity: Table) => Partial<Entity>,
  inSummary: Partial<Summary> = {},
): Promise<string> {
  const { entity, envelope } = await entityOf(store, item);
  const next = { ...entity, ...change(entity as Table) } as Entity;
  const { bytes, content } = encodePayload(envelope, next);
  const path = payloadPath(next.type, envelope.accountId, next.id, sha256Hex(bytes));
  await store.blobs.put(path, bytes);
  const contentHash = Buffer.from(sha256Hex(content), "hex");
  const summary = said(item, { ...inSummary, contentHash });
  return overwrite(store, item, { blobPath: path, summary });
}

async function putBlob(store: Planted, path: string, bytes: Uint8Array): Promise<void> {
  await store.blobs.delete(path);
  await store.blobs.put(path, bytes);
}

async function expectedOf(store: Planted, item: Live, role: string): Promise<Item> {
  const { entity } = await entityOf(store, item);
  const found = expectedKeys(accountOf(item), entity).find((each) => each.role === role);
  return store.pointers.get(found?.key as string);
}

/** The change record that wrote a version of a key. */
async function recordOf(store: Planted, item: Item, version: bigint): Promise<Live> {
  for (const change of await all(store, "change")) {
    const { keys } = decodeChange(change.summary as Uint8Array);
    if (keys.some(({ key, versionTo }) => item.key.endsWith(key) && versionTo === version)) {
      return change;
    }
  }
  throw new Error("no record");
}

async function metadataOf(store: Planted, family: FamilyName, name: string) {
  const item = await one(store, family, name);
  const { metadataLocation = "" } = decodeSummary(item.summary as Uint8Array);
  return { item, path: metadataLocation.replace("mem://w/", "") };
}

/** Something wrong with a name, in all the ways that a key may be. */
function keyDamages(
  what: string,
  [missing, mismatch]: readonly [FindingCode, FindingCode],
  find: (store: Planted) => Promise<Item>,
): Damage[] {
  return [
    {
      code: missing,
      what: `the ${what} is gone`,
      plant: async (store) => remove(store, await find(store)),
    },
    {
      code: mismatch,
      what: `the ${what} names another entity`,
      plant: async (store) => {
        const item = (await find(store)) as Live;
        return overwrite(store, item, { summary: said(item, { nameRevision: OTHER as Revision }) });
      },
    },
  ];
}

/** By kind: what is planted in a store with a catalog, namespaces, tables, a view, and a drop. */
export const DAMAGES: readonly Damage[] = [
  {
    code: "POINTER_UNREADABLE",
    what: "a canonical pointer has no summary",
    plant: async (store) => {
      const { key, version: expected, blobPath } = await one(store, "tableById", "t");
      await commit(store, { op: "put", key, expected, ...(blobPath && { blobPath }) });
      return key;
    },
  },
  {
    code: "POINTER_UNREADABLE",
    what: "a change record is cut",
    plant: async (store) => {
      const item = (await all(store, "change"))[3] as Live;
      return overwrite(store, item, { summary: item.summary?.subarray(0, 20) as Uint8Array });
    },
    also: ["CHANGE_GAP", "CHANGE_MISSING", "RECEIPT_UNMATCHED"],
  },
  {
    code: "PAYLOAD_MISSING",
    what: "the payload of a namespace is gone",
    plant: async (store) => {
      const item = await one(store, "namespaceById", "a");
      await store.blobs.delete(item.blobPath as string);
      return item.key;
    },
  },
  {
    code: "PAYLOAD_HASH_MISMATCH",
    what: "a bit of a payload flipped",
    plant: async (store) => {
      const item = await one(store, "tableById", "t");
      const path = item.blobPath as string;
      const bytes = Buffer.from((await store.blobs.get(path))?.bytes as Uint8Array);
      bytes[bytes.length - 1] = (bytes.at(-1) ?? 0) ^ 1;
      await putBlob(store, path, bytes);
      return item.key;
    },
  },
  {
    code: "PAYLOAD_UNREADABLE",
    what: "a payload has the hash of its path, and does not decode",
    plant: async (store) => {
      const item = await one(store, "tableById", "t");
      const { entityId } = decodeSummary(item.summary as Uint8Array);
      const bytes = new Uint8Array([0xff, 0xff]);
      const path = payloadPath("table", accountOf(item), entityId, sha256Hex(bytes));
      await store.blobs.put(path, bytes);
      return overwrite(store, item, { blobPath: path });
    },
  },
  {
    code: "PAYLOAD_FOREIGN",
    what: "a canonical pointer leads to the payload of another table",
    plant: async (store) => {
      const other = await one(store, "tableById", "u");
      const item = await one(store, "tableById", "t");
      return overwrite(store, item, { blobPath: other.blobPath as string });
    },
  },
  {
    code: "PAYLOAD_FOREIGN",
    what: "a payload at a table's path is about another table",
    plant: async (store) => {
      const other = await one(store, "tableById", "u");
      const item = await one(store, "tableById", "t");
      const bytes = (await store.blobs.get(other.blobPath as string))?.bytes as Uint8Array;
      const { entityId } = decodeSummary(item.summary as Uint8Array);
      const path = payloadPath("table", accountOf(item), entityId, sha256Hex(bytes));
      await store.blobs.put(path, bytes);
      return overwrite(store, item, { blobPath: path });
    },
  },
  {
    code: "SUMMARY_MISMATCH",
    what: "a summary names another metadata file than its payload",
    plant: async (store) => {
      const item = await one(store, "tableById", "t");
      return overwrite(store, item, { summary: said(item, { metadataLocation: "mem://w/x" }) });
    },
  },
  {
    code: "STATE_INVALID",
    what: "an active namespace is to be purged some time",
    plant: async (store) =>
      rewrite(
        store,
        await one(store, "namespaceById", "a"),
        () => ({ purgeAfterMs: 5 }) as object,
        {
          purgeAfterMs: 5,
        },
      ),
  },
  ...keyDamages("name of a catalog", ["NAME_MISSING", "NAME_MISMATCH"], (store) =>
    one(store, "catalogByName", "c"),
  ),
  ...keyDamages("path of a namespace", ["NAME_MISSING", "NAME_MISMATCH"], (store) =>
    one(store, "namespaceByPath", "b"),
  ),
  ...keyDamages("name of a table", ["NAME_MISSING", "NAME_MISMATCH"], (store) =>
    one(store, "relationByName", "t"),
  ),
  ...keyDamages("name of the account", ["NAME_MISSING", "NAME_MISMATCH"], (store) =>
    one(store, "accountByName"),
  ),
  ...keyDamages("listing of a table", ["LISTING_MISSING", "LISTING_MISMATCH"], (store) =>
    one(store, "tableByName", "t"),
  ),
  ...keyDamages("listing of a view", ["LISTING_MISSING", "LISTING_MISMATCH"], (store) =>
    one(store, "viewByName", "v"),
  ),
  ...keyDamages("claim of a table", ["CLAIM_MISSING", "CLAIM_MISMATCH"], (store) =>
    one(store, "location", "t"),
  ),
  ...keyDamages(
    "entry of a dropped table",
    ["DROPPED_INDEX_MISSING", "DROPPED_INDEX_MISMATCH"],
    (store) => one(store, "dropped", "gone"),
  ),
  {
    code: "NAME_ORPHANED",
    what: "a second name of a table",
    plant: async (store) => {
      const item = await one(store, "relationByName", "t");
      return put(store, item.key.replace(/t$/, "second"), item.summary);
    },
  },
  {
    code: "NAME_ORPHANED",
    what: "a second path of a namespace",
    plant: async (store) => {
      const item = await one(store, "namespaceByPath", "b");
      return put(store, item.key.replace(/b$/, "second"), item.summary);
    },
  },
  {
    code: "NAME_ORPHANED",
    what: "the name of a catalog that is gone",
    plant: async (store) => {
      const item = await one(store, "catalogByName", "c");
      const summary = said(item, { entityId: OTHER });
      return put(store, item.key.replace(/c$/, "second"), summary);
    },
  },
  {
    code: "LISTING_ORPHANED",
    what: "a second listing of a table",
    plant: async (store) => {
      const item = await one(store, "tableByName", "t");
      return put(store, item.key.replace(/t$/, "second"), item.summary);
    },
  },
  {
    code: "LISTING_ORPHANED",
    what: "the listing of a view that is gone",
    plant: async (store) => {
      const item = await one(store, "viewByName", "v");
      return put(store, item.key.replace(/v$/, "w"), said(item, { entityId: OTHER }));
    },
  },
  {
    code: "TABLE_INDEX_MISSING",
    what: "the entry of a table under its uuid is gone",
    plant: async (store) =>
      remove(store, await expectedOf(store, await one(store, "tableById", "t"), "entry")),
  },
  {
    code: "TABLE_INDEX_MISSING",
    what: "the entry of a dropped table is gone",
    plant: async (store) =>
      remove(store, await expectedOf(store, await one(store, "tableById", "gone"), "entry")),
  },
  {
    code: "TABLE_INDEX_ORPHANED",
    what: "an entry under a uuid that is not its table's",
    plant: async (store) => {
      const { key } = (await all(store, "tableByUuid"))[0] as Live;
      return put(store, key.replace(/[^/]+(?=\/[^/]+$)/, OTHER));
    },
  },
  {
    code: "TABLE_INDEX_ORPHANED",
    what: "an entry of a table that is gone",
    plant: async (store) => {
      const { key } = (await all(store, "tableByUuid"))[0] as Live;
      return put(store, key.replace(/[^/]+$/, OTHER));
    },
  },
  {
    code: "TABLE_INDEX_ORPHANED",
    what: "an entry of a table whose metadata lies in its own location",
    plant: async (store) => {
      const { key } = (await all(store, "tableByUuid"))[0] as Live;
      const [, , account, , , , table] = key.split("/");
      const leaf = `mem%3A%2F%2Fw%2Felsewhere%2F${table}`;
      return put(store, `/accounts/${account}/tables/by-metadata/${leaf}`);
    },
  },
  {
    code: "CLAIM_ORPHANED",
    what: "a claim of a table that lies elsewhere",
    plant: async (store) => {
      const item = await one(store, "location", "t");
      return put(store, `${item.key}2`, item.summary);
    },
  },
  {
    code: "DROPPED_INDEX_ORPHANED",
    what: "a table that was not dropped is among what was",
    plant: async (store) => {
      const item = await one(store, "tableById", "t");
      const { entityId } = decodeSummary(item.summary as Uint8Array);
      const leaf = `${"5".padStart(19, "0")}-${entityId}`;
      return put(store, keyOf(FAMILIES.dropped, accountOf(item), leaf), item.summary);
    },
  },
  {
    code: "GUARD_MISSING",
    what: "a guard of a namespace is gone",
    plant: async (store) => remove(store, await one(store, "namespaceGuard")),
  },
  {
    code: "GUARD_MISSING",
    what: "the guard of the account is gone",
    plant: async (store) => remove(store, await one(store, "accountGuard")),
  },
  {
    code: "GUARD_ORPHANED",
    what: "a guard of a generation that never was",
    plant: async (store) => {
      const { key } = await one(store, "catalogGuard");
      return put(store, key.replace(/\/\d+\/\d$/, "/99/0"));
    },
  },
  {
    code: "GUARD_ORPHANED",
    what: "a guard of a namespace that never was",
    plant: async (store) => {
      const { key } = await one(store, "namespaceGuard");
      return put(store, key.replace(/namespaces\/[^/]+/, `namespaces/${OTHER}`));
    },
  },
  {
    code: "PARENT_MISSING",
    what: "a table is in a namespace that is gone",
    plant: async (store) =>
      rewrite(store, await one(store, "tableById", "t"), () => ({ namespaceId: OTHER }) as object, {
        parentId: OTHER,
      }),
    also: [
      "NAME_MISSING",
      "LISTING_MISSING",
      "CLAIM_MISMATCH",
      "NAME_ORPHANED",
      "LISTING_ORPHANED",
    ],
  },
  {
    code: "PARENT_MISMATCH",
    what: "a namespace is not where its path says",
    plant: async (store) => {
      const item = await one(store, "namespaceById", "b");
      await rewrite(store, item, () => ({ path: ["elsewhere", "b"] }) as object);
      return item.key;
    },
    also: ["NAME_MISSING", "NAME_ORPHANED"],
  },
  {
    code: "JOB_MISSING",
    what: "the job that purges a dropped table is gone",
    plant: async (store) =>
      remove(store, await expectedOf(store, await one(store, "tableById", "gone"), "job")),
    also: ["JOB_DUE_ORPHANED"],
  },
  {
    code: "JOB_MISMATCH",
    what: "a purge is due at another time than its table",
    plant: async (store) => {
      const item = await expectedOf(store, await one(store, "tableById", "gone"), "job");
      const job = jobOf(item as Live);
      return overwrite(store, item, { summary: encodeJob({ ...job, dueMs: job.dueMs + 1 }) });
    },
    also: ["JOB_DUE_ORPHANED"],
  },
  {
    code: "JOB_ORPHANED",
    what: "a purge of a table that was not dropped",
    plant: async (store) => {
      const dropped = await expectedOf(store, await one(store, "tableById", "gone"), "job");
      const item = await one(store, "tableById", "t");
      const { entityId } = decodeSummary(item.summary as Uint8Array);
      const job = { ...jobOf(dropped as Live), subject: { type: "table", id: entityId } } as const;
      const [state, due] = jobKeys(accountOf(item), entityId as never, job.dueMs);
      await put(store, due);
      return put(store, state, encodeJob(job));
    },
  },
  {
    code: "JOB_DUE_MISSING",
    what: "a job is not among what is due",
    plant: async (store) =>
      remove(store, await expectedOf(store, await one(store, "tableById", "gone"), "due")),
  },
  {
    code: "JOB_DUE_ORPHANED",
    what: "what is due is not a job",
    plant: async (store) => {
      const { key } = await expectedOf(store, await one(store, "tableById", "gone"), "due");
      return put(store, `${key}0`);
    },
  },
  {
    code: "JOB_LEASE_INVALID",
    what: "a job is held for a year",
    plant: async (store) => {
      const item = await expectedOf(store, await one(store, "tableById", "gone"), "job");
      const heldUntilMs = store.nowMs + 365 * 86_400_000;
      const job = { ...jobOf(item as Live), holder: WRITER, heldUntilMs };
      return overwrite(store, item, { summary: encodeJob(job) });
    },
  },
  {
    code: "SNAPSHOT_MISSING",
    what: "the pointer to a snapshot by its id is gone",
    plant: async (store) => remove(store, await one(store, "snapshotById")),
  },
  {
    code: "SNAPSHOT_MISSING",
    what: "the pointer to a snapshot by its time is gone",
    plant: async (store) => remove(store, await one(store, "snapshotByTime")),
  },
  {
    code: "SNAPSHOT_MISMATCH",
    what: "a pointer to a snapshot says another content",
    plant: async (store) => {
      const item = await one(store, "snapshotById");
      const summary = decodeSnapshotSummary(item.summary as Uint8Array);
      const other = encodeSnapshotSummary({ ...summary, contentHash: new Uint8Array(32) });
      return overwrite(store, item, { summary: other });
    },
  },
  {
    code: "SNAPSHOT_MISMATCH",
    what: "a pointer to a snapshot is of another snapshot",
    plant: async (store) => {
      const item = await one(store, "snapshotByTime");
      const summary = decodeSnapshotSummary(item.summary as Uint8Array);
      const other = encodeSnapshotSummary({ ...summary, snapshotId: summary.snapshotId + 1n });
      return overwrite(store, item, { summary: other });
    },
  },
  {
    code: "SNAPSHOT_PAYLOAD_DAMAGED",
    what: "the payload of a snapshot is gone",
    plant: async (store) => {
      const item = await one(store, "snapshotById");
      await store.blobs.delete(item.blobPath as string);
      return item.key;
    },
  },
  {
    code: "SNAPSHOT_ORPHANED",
    what: "a pointer to a snapshot that its table never had",
    plant: async (store) => {
      const item = await one(store, "snapshotById");
      const { values } = parseKey(item.key);
      const summary = decodeSnapshotSummary(item.summary as Uint8Array);
      const other = { ...summary, snapshotId: 999n, tableVersion: 0n };
      const [key] = snapshotKeys(accountOf(item), values[1] as never, other);
      return put(store, key, encodeSnapshotSummary(other), item.blobPath);
    },
  },
  {
    code: "METADATA_MISSING",
    what: "the metadata file of a table is gone",
    plant: async (store) => {
      const { item, path } = await metadataOf(store, "tableById", "t");
      await store.files.delete(path);
      return item.key;
    },
  },
  {
    code: "METADATA_MISSING",
    what: "the metadata file of a view is gone",
    plant: async (store) => {
      const { item, path } = await metadataOf(store, "viewById", "v");
      await store.files.delete(path);
      return item.key;
    },
  },
  {
    code: "METADATA_UNREADABLE",
    what: "the metadata file of a table is cut",
    plant: async (store) => {
      const { item, path } = await metadataOf(store, "tableById", "t");
      const bytes = (await store.files.get(path))?.bytes as Uint8Array;
      await store.files.delete(path);
      await store.files.put(path, bytes.subarray(0, bytes.length / 2));
      return item.key;
    },
  },
  {
    code: "METADATA_MISMATCH",
    what: "the metadata file of a table is that of another one",
    plant: async (store) => {
      const { item, path } = await metadataOf(store, "tableById", "t");
      const other = await metadataOf(store, "tableById", "u");
      await store.files.delete(path);
      await store.files.put(path, (await store.files.get(other.path))?.bytes as Uint8Array);
      return item.key;
    },
  },
  {
    code: "CHANGE_MISPLACED",
    what: "a change record lies in another minute than its own",
    plant: async (store) => {
      const item = (await all(store, "change"))[3] as Live;
      const [account, , id] = parseKey(item.key).values as [AccountId, string, ChangeId];
      const { timeMs } = decodeChange(item.summary as Uint8Array);
      await remove(store, item);
      return put(store, changeKey(account, timeMs + 600_000, id), item.summary);
    },
    also: ["RECEIPT_UNMATCHED"],
  },
  {
    code: "CHANGE_MISSING",
    what: "the record of a table's last commit is gone",
    plant: async (store) => {
      const item = await one(store, "tableById", "t");
      await remove(store, await recordOf(store, item, item.version));
      return item.key;
    },
    also: ["RECEIPT_UNMATCHED"],
  },
  {
    code: "CHANGE_GAP",
    what: "the record of a commit between two others is gone",
    plant: async (store) => {
      const item = await one(store, "tableById", "t");
      await remove(store, await recordOf(store, item, 2n));
      return item.key;
    },
    also: ["RECEIPT_UNMATCHED"],
  },
  {
    code: "CHANGE_AHEAD",
    what: "a record tells of a commit that the table has never seen",
    plant: async (store) => {
      const item = await one(store, "tableById", "t");
      const change = await recordOf(store, item, item.version);
      const record = decodeChange(change.summary as Uint8Array);
      const keys = record.keys.map((each) => ({
        ...each,
        versionFrom: each.versionTo,
        versionTo: each.versionTo + 1n,
      }));
      const summary = encodeChange({ ...record, keys });
      const account = accountOf(item);
      const id = "01890000-0000-7000-8000-000000000000" as ChangeId;
      await put(store, changeKey(account, record.timeMs, id), summary);
      return item.key;
    },
  },
  {
    code: "CHANGE_MISMATCH",
    what: "the record of a table's last commit tells of another payload",
    plant: async (store) => {
      const item = await one(store, "tableById", "t");
      const change = await recordOf(store, item, item.version);
      const record = decodeChange(change.summary as Uint8Array);
      const keys = record.keys.map((each) => ({
        ...each,
        blobTo: each.blobFrom ?? Buffer.alloc(32),
      }));
      await overwrite(store, change, { summary: encodeChange({ ...record, keys }) });
      return item.key;
    },
    also: ["RECEIPT_UNMATCHED", "HISTORY_PAYLOAD_MISSING"],
  },
  {
    code: "HISTORY_PAYLOAD_MISSING",
    what: "the payload of an earlier version of a table is gone",
    plant: async (store) => {
      const item = await one(store, "tableById", "t");
      const change = await recordOf(store, item, 2n);
      const { keys } = decodeChange(change.summary as Uint8Array);
      const { blobTo } = keys.find(({ key }) => item.key.endsWith(key)) ?? {};
      const { entityId } = decodeSummary(item.summary as Uint8Array);
      const sha = Buffer.from(blobTo ?? new Uint8Array()).toString("hex");
      const path = payloadPath("table", accountOf(item), entityId, sha);
      await store.blobs.delete(path);
      return path;
    },
  },
  {
    code: "RECEIPT_UNMATCHED",
    what: "a receipt names a version that its change has not written",
    plant: async (store) => {
      const item = (await all(store, "receipt")).find(
        ({ summary }) => decodeReceipt(summary as Uint8Array).changeId !== undefined,
      ) as Live;
      const receipt = decodeReceipt(item.summary as Uint8Array);
      const summary = encodeReceipt({ ...receipt, version: receipt.version + 7n });
      return overwrite(store, item, { summary });
    },
  },
  {
    code: "PAYLOAD_MISSING",
    what: "the payload of a metrics report is gone",
    plant: async (store) => {
      const item = await one(store, "report");
      await store.blobs.delete(item.blobPath as string);
      return item.key;
    },
  },
  {
    code: "PAYLOAD_MISSING",
    what: "the payload of statistics is gone",
    plant: async (store) => {
      const item = await one(store, "targetStats");
      await store.blobs.delete(item.blobPath as string);
      return item.key;
    },
  },
  {
    code: "SUMMARY_MISMATCH",
    what: "a pointer to constraints says another hash than their payload has",
    plant: async (store) => {
      const item = await one(store, "constraints");
      const summary = decodePartSummary(item.summary as Uint8Array);
      const contentHash = new Uint8Array(32);
      return overwrite(store, item, { summary: encodePartSummary({ ...summary, contentHash }) });
    },
  },
  {
    code: "ALIAS_MISSING",
    what: "the statistics of a file are not found by its path",
    plant: async (store) => remove(store, await one(store, "fileStats")),
  },
  {
    code: "ALIAS_MISSING",
    what: "the constraints of a snapshot are not found beside its statistics",
    plant: async (store) => remove(store, await one(store, "snapshotConstraints")),
  },
  {
    code: "ALIAS_MISMATCH",
    what: "the alias of constraints says something else than their pointer",
    plant: async (store) => {
      const item = await one(store, "snapshotConstraints");
      const summary = decodePartSummary(item.summary as Uint8Array);
      const other = encodePartSummary({ ...summary, updatedBy: "somebody else" });
      return overwrite(store, item, { summary: other });
    },
  },
  {
    code: "ALIAS_ORPHANED",
    what: "an alias whose constraints are gone",
    plant: async (store) => {
      await remove(store, await one(store, "constraints"));
      return (await one(store, "snapshotConstraints")).key;
    },
  },
  {
    code: "STATS_ORPHANED",
    what: "an entry of a snapshot with statistics, of a table that is gone",
    plant: async (store) => {
      const item = await one(store, "statsSnapshot");
      return put(store, item.key.replace(/tables\/[^/]+/, `tables/${OTHER}`));
    },
  },
  {
    code: "REPORT_ORPHANED",
    what: "a metrics report of a table that is gone",
    plant: async (store) => {
      const item = await one(store, "report");
      const bytes = (await store.blobs.get(item.blobPath as string))?.bytes as Uint8Array;
      const [account = "", table = "", slot = ""] = parseKey(item.key).values as string[];
      const changed = Buffer.from(
        Buffer.from(bytes).toString("hex").replace(hexId(table), hexId(OTHER)),
        "hex",
      );
      const path = blobPathOf("report", account, OTHER, slot, sha256Hex(changed));
      await store.blobs.put(path, changed);
      return put(store, keyOf(FAMILIES.report, account, OTHER, slot), undefined, path);
    },
  },
  {
    code: "PAYLOAD_ORPHANED",
    what: "a payload that no pointer and no record leads to",
    plant: async (store) => {
      const item = await one(store, "tableById", "t");
      const { entityId } = decodeSummary(item.summary as Uint8Array);
      const bytes = new Uint8Array([1, 2, 3]);
      const path = payloadPath("table", accountOf(item), entityId, sha256Hex(bytes));
      await store.blobs.put(path, bytes);
      return path;
    },
  },
  {
    code: "PAYLOAD_UNKNOWN",
    what: "a file of nobody below an account",
    plant: async (store) => {
      const path = `accounts/${accountOf(await one(store, "tableById"))}/stranger.txt`;
      await store.blobs.put(path, new Uint8Array([1]));
      return path;
    },
  },
];

function hexId(id: string): string {
  return id.replaceAll("-", "");
}

/** The codes whose damage no store of ours lets a test plant by its port. */
export const PLANTED_OTHERWISE: readonly FindingCode[] = ["KEY_UNKNOWN", "TOMBSTONE_LIFE_INVALID"];
