import { assert } from "../base/assert.ts";
import { bytesEqual } from "../base/bytes.ts";
import { Stopwatch } from "../base/clock.ts";
import type { Revision } from "../base/ids.ts";
import { persist } from "../base/persist.ts";
import { settleAll } from "../base/settle-all.ts";
import { putCertain } from "../pointer/certain.ts";
import type { Item } from "../pointer/port.ts";
import type { BatchBuilder } from "./batch.ts";
import { decodeSnapshotSummary } from "./codec/snapshot.ts";
import type { Actor, CatalogContext } from "./context.ts";
import { CATALOG_LIMITS } from "./limits.ts";
import type { SnapshotKey, SnapshotSummary, TableSnapshot } from "./model.ts";
import type { Authorship } from "./payloads.ts";
import {
  contentHashOf,
  encodeSnapshotPut,
  putSnapshotPointer,
  snapshotKeys,
  type TableVersion,
} from "./snapshot-puts.ts";

/** Snapshots whose pointers are read and written together in the background. */
const CHUNK = 50;

/** Things of which some are made at a time, since there may be very many: an array does. */
export interface Sliced<T> {
  readonly length: number;
  slice(from: number, to: number): readonly T[];
}

/** What a commit does to the snapshots of a table. */
export interface SnapshotChange {
  readonly added: Sliced<TableSnapshot>;
  readonly removed: readonly SnapshotKey[];
}

/**
 * Adds to a batch what a change of a table's snapshots needs: the new ones beside it, the removed
 * ones after it. Where they are too many for a commit to wait for, the new ones follow it too.
 *
 * @param table at the version that the batch expects.
 */
export function joinSnapshots(
  context: CatalogContext,
  batch: BatchBuilder,
  authorship: Authorship,
  table: TableVersion,
  { added, removed }: SnapshotChange,
): void {
  if (batch.snapshots.length + added.length <= CATALOG_LIMITS.snapshotsInCommit) {
    for (const snapshot of added.slice(0, added.length)) {
      batch.beside(encodeSnapshotPut(context.account, table, snapshot, authorship));
    }
    const isWithin = batch.snapshots.length <= CATALOG_LIMITS.snapshotsInCommit;
    assert(isWithin, "a commit waits for so many snapshots at most");
  } else {
    const { updatedBy: principal, requestId } = authorship;
    const committed = { id: table.id, version: table.version + 1n };
    batch.follow(() => repairSnapshots(context, { principal, requestId }, committed, added));
  }
  if (removed.length > 0) batch.follow(() => forgetSnapshots(context, table, removed));
}

/**
 * Deletes the pointers to snapshots that were removed from a version of their table, as far as they
 * are not newer than that. In the background: what a node that dies leaves of it has no root, says
 * an older version than the removal, and goes with its table at the latest. One batch read for 50
 * snapshots, one write a pointer.
 */
export async function forgetSnapshots(
  context: CatalogContext,
  table: TableVersion,
  removed: readonly SnapshotKey[],
): Promise<void> {
  const { pointers } = context;
  for await (const chunk of chunksOf(context, removed)) {
    const keys = chunk.flatMap((snapshot) => snapshotKeys(context.account, table.id, snapshot));
    const items = await pointers.getMany(keys);
    const stale = items.filter((item) => (saidBy(item)?.tableVersion ?? MAX) <= table.version);
    const stopwatch = new Stopwatch(context.clock);
    await settleEach(stale, async ({ key, version }) => {
      // Whatever the verdict: moved means that it is another's, unknown that it may be left.
      await putCertain(pointers, context, { stopwatch }, { op: "delete", key, expected: version });
    });
  }
}

const MAX = 2n ** 63n - 1n;

/**
 * Makes the payloads and pointers of snapshots stand as their table says. Those that do are left
 * alone, and so is what a writer left who has seen a later version. One batch read for 50
 * snapshots; for each that is missing or different one blob and two writes.
 *
 * @param table at the version that has these snapshots.
 */
export async function repairSnapshots(
  context: CatalogContext,
  author: Pick<Actor, "principal" | "requestId">,
  table: TableVersion,
  snapshots: Sliced<TableSnapshot>,
): Promise<void> {
  for await (const chunk of chunksOf(context, snapshots)) {
    const keys = chunk.flatMap((snapshot) => snapshotKeys(context.account, table.id, snapshot));
    const items = await context.pointers.getMany(keys);
    const found = new Map(items.map((item) => [item.key, item]));
    await settleEach(chunk, (snapshot) => repairOne(context, author, table, snapshot, found));
  }
}

async function repairOne(
  context: CatalogContext,
  author: Pick<Actor, "principal" | "requestId">,
  table: TableVersion,
  snapshot: TableSnapshot,
  found: ReadonlyMap<string, Item>,
): Promise<void> {
  const wrong = snapshotKeys(context.account, table.id, snapshot).filter((key) => {
    const said = saidBy(found.get(key));
    const newer = said !== undefined && said.tableVersion > table.version;
    return !newer && !says(said, snapshot);
  });
  if (wrong.length === 0) return;
  const authorship: Authorship = {
    revision: context.ids.mint<Revision>(),
    updatedAtMs: context.clock.nowMs(),
    updatedBy: author.principal,
    requestId: author.requestId,
  };
  const put = encodeSnapshotPut(context.account, table, snapshot, authorship);
  await persist(context, () => context.payloads.putBytes(put.path, put.bytes));
  const stopwatch = new Stopwatch(context.clock);
  const overwritten = new Map(wrong.map((key) => [key, found.get(key)?.version ?? 0n]));
  await settleEach(wrong, (key) => putSnapshotPointer(context, stopwatch, key, put, overwritten));
}

function saidBy(item: Item | undefined): SnapshotSummary | undefined {
  if (item?.state !== "live" || item.summary === undefined) return undefined;
  return decodeSnapshotSummary(item.summary);
}

function says(said: SnapshotSummary | undefined, snapshot: TableSnapshot): boolean {
  if (said?.snapshotId !== snapshot.snapshotId) return false;
  if (said.timestampMs !== snapshot.timestampMs) return false;
  return bytesEqual(said.contentHash, contentHashOf(snapshot));
}

/** Others have the event loop between two chunks, also where the store answers at once. */
async function* chunksOf<T>(
  { clock }: CatalogContext,
  items: Sliced<T>,
): AsyncGenerator<readonly T[]> {
  for (let at = 0; at < items.length; at += CHUNK) {
    if (at > 0) await clock.sleep(0);
    yield items.slice(at, at + CHUNK);
  }
}

/** Does all, whatever becomes of the others: none keeps another from its pointers. */
async function settleEach<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  await settleAll(items.map(work));
}
