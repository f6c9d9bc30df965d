import { assert } from "../base/assert.ts";
import { bytesEqual } from "../base/bytes.ts";
import type { Stopwatch } from "../base/clock.ts";
import { FirnError } from "../base/error.ts";
import { sha256Bytes, sha256Hex } from "../base/hash.ts";
import type { AccountId, TableId } from "../base/ids.ts";
import { putCertain } from "../pointer/certain.ts";
import type { Item, Version } from "../pointer/port.ts";
import { MIN_WRITER_VERSION, SCHEMA_VERSION } from "./codec/envelope.ts";
import {
  decodeSnapshotSummary,
  encodeSnapshot,
  encodeSnapshotContent,
  encodeSnapshotSummary,
} from "./codec/snapshot.ts";
import type { CatalogContext } from "./context.ts";
import { storeOverloaded } from "./errors.ts";
import { digits19, FAMILIES, keyOf } from "./keys.ts";
import type { ChangedKey, Envelope, SnapshotKey, TableSnapshot } from "./model.ts";
import { blobPathOf, relativeKey, shaOfPath } from "./paths.ts";
import type { Authorship } from "./payloads.ts";

/*
 * A snapshot of an Iceberg table has a payload and two pointers to it, by id and by time. They are
 * derived: the table's metadata file says which snapshots there are and what they hold. So they are
 * written beside the metadata file and before the batch that names it, never in it, and whatever
 * becomes of the batch they do no harm: without their root's own entry they mean nothing.
 *
 * Each says which version of the table its writer had read. A writer adds only what that version
 * lacks, and its batch can land on that version alone; so a commit that removes a snapshot from
 * version n may delete every pointer to it that says n or less, and none that says more: that one
 * is of a writer that has seen the removal and adds the snapshot again. That is why they are
 * written anew at every attempt, also where one of the same content stands there.
 */

const MAX = 2n ** 63n - 1n;
/** Writes of one pointer that others keep moving, before the change is given up. */
const TRIES = 8;

/** What one snapshot needs to stand: a payload, and pointers that say the same. */
export interface SnapshotPut {
  readonly keys: readonly [byId: string, byTime: string];
  readonly path: string;
  readonly bytes: Uint8Array;
  readonly summary: Uint8Array;
  readonly tableVersion: Version;
}

/** A table at the version of its by-id pointer that a writer has read. */
export interface TableVersion {
  readonly id: TableId;
  readonly version: Version;
}

/** An id as a segment: 19 digits, or 20 for a negative one, which clients never mint. */
export function idSegment(snapshotId: bigint): string {
  return digits19(BigInt.asUintN(64, snapshotId));
}

/** The pointers to a snapshot: by id, and by time with the newest first. */
export function snapshotKeys(
  account: AccountId,
  table: TableId,
  { snapshotId, timestampMs }: SnapshotKey,
): readonly [byId: string, byTime: string] {
  const newestFirst = `${digits19(MAX - BigInt(timestampMs))}-${digits19(MAX - snapshotId)}`;
  return [
    keyOf(FAMILIES.snapshotById, account, table, idSegment(snapshotId)),
    keyOf(FAMILIES.snapshotByTime, account, table, newestFirst),
  ];
}

/** SHA-256 of what a snapshot says. */
export function contentHashOf(snapshot: TableSnapshot): Uint8Array {
  return sha256Bytes(encodeSnapshotContent(snapshot));
}

/** A snapshot of a table, ready to be put. */
export function encodeSnapshotPut(
  account: AccountId,
  table: TableVersion,
  snapshot: TableSnapshot,
  authorship: Authorship,
): SnapshotPut {
  const { snapshotId, timestampMs } = snapshot;
  const envelope: Envelope = {
    schemaVersion: SCHEMA_VERSION,
    minWriterVersion: MIN_WRITER_VERSION,
    entityType: "snapshot",
    accountId: account,
    entityId: table.id,
    ...authorship,
  };
  const { bytes, content } = encodeSnapshot(envelope, snapshot);
  const contentHash = sha256Bytes(content);
  const tableVersion = table.version;
  return {
    keys: snapshotKeys(account, table.id, snapshot),
    path: blobPathOf("snapshot", account, table.id, idSegment(snapshotId), sha256Hex(bytes)),
    bytes,
    summary: encodeSnapshotSummary({ snapshotId, timestampMs, tableVersion, contentHash }),
    tableVersion,
  };
}

/** The versions that the pointers of an attempt have overwritten; 0 for a key not looked at. */
export type Overwritten = Map<string, Version>;

/** What a change record says of the pointers of a batch. */
export function snapshotsChanged(
  account: AccountId,
  puts: readonly SnapshotPut[],
  overwritten: Overwritten,
): readonly ChangedKey[] {
  return puts.flatMap(({ keys, path }) =>
    keys.map((key) => {
      const versionFrom = overwritten.get(key);
      assert(versionFrom !== undefined, "a change tells each pointer that was put beside it");
      return {
        key: relativeKey(account, key),
        versionFrom,
        versionTo: versionFrom + 1n,
        deleted: false,
        blobTo: Buffer.from(shaOfPath(path), "hex"),
      };
    }),
  );
}

/**
 * Puts a pointer over whatever stands there, and notes what that was. One request, two where
 * something stood there.
 *
 * @throws FirnError `Overloaded`, `Unavailable`: it may stand there or not, which is harmless.
 */
export async function putSnapshotPointer(
  context: CatalogContext,
  stopwatch: Stopwatch,
  key: string,
  put: SnapshotPut,
  overwritten: Overwritten,
): Promise<void> {
  const { path, summary } = put;
  let expected = overwritten.get(key) ?? 0n;
  for (let tries = 0; tries < TRIES; tries++) {
    const op = { op: "put", key, expected, blobPath: path, summary } as const;
    const written = await putCertain(context.pointers, context, { stopwatch }, op);
    if (written.verdict === "committed") {
      overwritten.set(key, expected);
      return;
    }
    if (written.verdict === "overloaded") throw storeOverloaded(written.retryAfterMs);
    const found = written.verdict === "conflict" ? written.found : await context.pointers.get(key);
    if (isOurs(found, put) || isNewer(found, put)) {
      assert(found.version > 0n, "what stands there was put over something");
      overwritten.set(key, found.version - 1n);
      return;
    }
    expected = found.version;
  }
  throw new FirnError(
    "Unavailable",
    "STORE_UNSETTLED",
    "other writers keep changing a pointer: try again",
    {
      key,
    },
  );
}

function isOurs(found: Item, { path, summary }: SnapshotPut): boolean {
  if (found.state === "absent" || found.blobPath !== path) return false;
  return found.summary !== undefined && bytesEqual(found.summary, summary);
}

/** Whether the writer has seen a later table than we: then our batch cannot land any more. */
function isNewer(found: Item, { tableVersion }: SnapshotPut): boolean {
  if (found.state === "absent" || found.summary === undefined) return false;
  return decodeSnapshotSummary(found.summary).tableVersion > tableVersion;
}
