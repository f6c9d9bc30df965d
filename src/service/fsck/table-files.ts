import { bytesEqual } from "../../base/bytes.ts";
import { FirnError } from "../../base/error.ts";
import type { AccountId, Revision } from "../../base/ids.ts";
import { Pauses } from "../../base/pauses.ts";
import { decodeSnapshot } from "../../catalog/codec/snapshot.ts";
import { directoryOf, FAMILIES } from "../../catalog/keys.ts";
import type { Relation, Table, TableSnapshot, View } from "../../catalog/model.ts";
import {
  contentHashOf,
  encodeSnapshotPut,
  type SnapshotPut,
  snapshotKeys,
} from "../../catalog/snapshot-puts.ts";
import { takeApart } from "../../catalog/walk.ts";
import type { TableMetadata } from "../../iceberg/model.ts";
import type { ViewMetadata } from "../../iceberg/view-metadata.ts";
import type { Item, Live } from "../../pointer/port.ts";
import type { MetadataFiles } from "../metadata-files.ts";
import { isFault } from "../reachable-files.ts";
import { catalogSnapshot } from "../snapshot-changes.ts";
import { type Finding, type FindingCode, finding } from "./findings.ts";
import type { JudgeFiles } from "./judge.ts";
import type { FsckStores, ReadSet } from "./read-set.ts";

/** Snapshots that are compared between two turns of the event loop. */
const SNAPSHOTS_A_TURN = 200;

/** Reads metadata files as they are on the store now, whatever is cached. */
export interface MetadataReaders {
  readonly tables: MetadataFiles<TableMetadata>;
  readonly views: MetadataFiles<ViewMetadata>;
}

/** Judges the metadata file of a table or view, and a table's snapshots by it. */
export function judgeFilesWith(stores: FsckStores, readers: MetadataReaders): JudgeFiles {
  return async (reads, account, item, entity) => {
    const location = entity.iceberg?.metadataLocation;
    if (location === undefined) return [];
    const facts = { location };
    try {
      if (entity.type === "view") {
        const { metadata } = (await readers.views.readAnew(location)).file;
        return viewAgrees(entity, metadata) ? [] : [finding("METADATA_MISMATCH", item.key, facts)];
      }
      const { metadata } = (await readers.tables.readAnew(location)).file;
      if (!tableAgrees(entity, metadata)) return [finding("METADATA_MISMATCH", item.key, facts)];
      return await judgeSnapshots({ stores, reads, account, item, table: entity }, metadata);
    } catch (error) {
      if (!(error instanceof FirnError)) throw error;
      const unreadable = error.code === "LOCATION_NOT_ALLOWED" || isFault(error);
      if (!unreadable) throw error;
      const isMissing = error.code === "METADATA_FILE_MISSING";
      const code: FindingCode = isMissing ? "METADATA_MISSING" : "METADATA_UNREADABLE";
      return [finding(code, item.key, { ...facts, reason: error.message, cause: error.code })];
    }
  };
}

function tableAgrees({ iceberg }: Table, metadata: TableMetadata): boolean {
  const { uuid, currentSnapshotId } = metadata;
  return iceberg?.tableUuid === uuid && iceberg?.currentSnapshotId === currentSnapshotId;
}

function viewAgrees({ iceberg }: View, metadata: ViewMetadata): boolean {
  const { uuid, currentVersionId } = metadata;
  return iceberg?.viewUuid === uuid && iceberg.currentVersionId === currentVersionId;
}

/** The root of derived pointers: a table at the version that was read. */
interface Root {
  readonly stores: FsckStores;
  readonly reads: ReadSet;
  readonly account: AccountId;
  readonly item: Live;
  readonly table: Relation;
}

/** Each snapshot of the metadata has both pointers and a payload; others are left over. */
async function judgeSnapshots(root: Root, metadata: TableMetadata): Promise<readonly Finding[]> {
  const { stores, reads, account, item, table } = root;
  const id = table.id as Table["id"];
  const pauses = new Pauses(stores.clock, SNAPSHOTS_A_TURN);
  const found: Finding[] = [];
  const listed = new Map<string, Item>();
  for (const family of [FAMILIES.snapshotById, FAMILIES.snapshotByTime]) {
    for await (const one of listAll(reads, directoryOf(family, account, id))) {
      listed.set(one.key, one);
    }
  }
  for (const { items } of metadata.snapshots.items.chunks) {
    for (const one of items) {
      const pause = pauses.step();
      if (pause !== undefined) await pause;
      const snapshot = catalogSnapshot(one);
      const keys = snapshotKeys(account, id, snapshot);
      for (const key of keys) {
        const pointer = listed.get(key) ?? (await reads.get(key));
        listed.delete(key);
        const code = await wrongSnapshot(reads, pointer, snapshot);
        if (code === undefined) continue;
        const put = encodeSnapshotPut(account, { id, version: item.version }, snapshot, {
          revision: stores.ids.mint<Revision>(),
          updatedAtMs: reads.nowMs,
          updatedBy: "firn",
          requestId: "fsck",
        });
        found.push(finding(code, key, { table: id }, fixOf(put, key, pointer)));
      }
    }
  }
  // Those of a commit that is under way say this version of the table, or a later one.
  for (const [key, pointer] of listed) {
    const walked = takeApart(pointer);
    if (walked.state !== "live" || walked.references.content.is !== "snapshot") continue;
    if (walked.references.content.summary.tableVersion >= item.version) continue;
    found.push(finding("SNAPSHOT_ORPHANED", key, { table: id }));
  }
  return found;
}

async function* listAll(reads: ReadSet, directory: string): AsyncGenerator<Item> {
  for (let after: string | undefined; ; ) {
    const page = await reads.list(directory, after);
    yield* page;
    const last = page.at(-1);
    if (last === undefined) return;
    after = last.key.slice(last.key.lastIndexOf("/") + 1);
  }
}

function fixOf({ path, bytes, summary }: SnapshotPut, key: string, { version }: Item) {
  const op = { op: "put", key, expected: version, blobPath: path, summary } as const;
  return { payload: { path, bytes }, ops: [op] };
}

async function wrongSnapshot(
  reads: ReadSet,
  pointer: Item,
  snapshot: TableSnapshot,
): Promise<FindingCode | undefined> {
  if (pointer.state === "absent") return "SNAPSHOT_MISSING";
  const walked = takeApart(pointer);
  if (walked.state !== "live" || walked.references.content.is !== "snapshot") {
    return "SNAPSHOT_MISMATCH";
  }
  const said = walked.references.content.summary;
  const isSame =
    said.snapshotId === snapshot.snapshotId &&
    said.timestampMs === snapshot.timestampMs &&
    bytesEqual(said.contentHash, contentHashOf(snapshot));
  if (!isSame) return "SNAPSHOT_MISMATCH";
  const read = await reads.payload(pointer.blobPath ?? "");
  if ("wrong" in read) return "SNAPSHOT_PAYLOAD_DAMAGED";
  try {
    const decoded = decodeSnapshot(read.bytes).snapshot;
    if (bytesEqual(contentHashOf(decoded), said.contentHash)) return undefined;
  } catch (error) {
    if (!(error instanceof FirnError) || error.kind !== "Corrupt") throw error;
  }
  return "SNAPSHOT_PAYLOAD_DAMAGED";
}
