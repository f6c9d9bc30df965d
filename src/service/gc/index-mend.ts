import type { WriterId } from "../../base/ids.ts";
import { readEntity } from "../../catalog/entities.ts";
import type { Table } from "../../catalog/model.ts";
import { byIdKey } from "../../catalog/paths.ts";
import { indexKeysOf, tableIndexKey, tableOfEntry } from "../../catalog/table-index.ts";
import type { Item } from "../../pointer/port.ts";
import { deleteAt, type MarkSinks } from "./mark.ts";
import type { GcParts, RunLease } from "./parts.ts";
import { countGarbage, type GarbageReport } from "./report.ts";
import { joined } from "./sorted-lines.ts";
import type { StoreRateLimiter } from "./store-rate-limiter.ts";

/*
 * Garbage collection builds the indexes of tables in stores that versions without them wrote, and
 * keeps them whole beside nodes of such a version. `catalog/table-index.ts` says when they count as
 * complete.
 */

/** Looks at a table that others keep writing, before it is left to the next mark. */
const TRIES = 5;

/** What mends the indexes for one mark. */
export interface IndexMending {
  readonly parts: GcParts;
  readonly report: GarbageReport;
  readonly limiter: StoreRateLimiter;
  readonly runLease: RunLease;
  readonly isDry: boolean;
}

/** Whether the account's indexes count as complete. One read. */
export async function isIndexed({ catalog: { context } }: GcParts): Promise<boolean> {
  return (await context.pointers.get(tableIndexKey(context.account))).state === "live";
}

/** From now on who asks reads no tables. One read, and one write where they were not complete. */
export async function declareIndexed({ catalog: { context } }: GcParts): Promise<void> {
  const { account, ids, pointers } = context;
  const { key, state, version: expected } = await pointers.get(tableIndexKey(account));
  if (state === "live") return;
  // Who was faster has declared the same; whose answer is lost is asked again by the next run.
  const op = { op: "put", key, expected } as const;
  await pointers.commit({ writerId: ids.mint<WriterId>(), ops: [op] });
}

/**
 * Adds the entries that a mark has missed, and deletes those that their table does not have. A walk
 * is not a snapshot, so each is looked at again first. The first that was missing takes the marker
 * away, before it is added: a version without the indexes may be writing.
 *
 * @returns whether the mark missed none.
 */
export async function mendIndexes(mending: IndexMending, sinks: MarkSinks): Promise<boolean> {
  const { report, isDry } = mending;
  let isWhole = report.unindexable === 0;
  for await (const key of joined(sinks.indexed.lines(), sinks.entries.lines(), false)) {
    if (isDry || (await isThere(mending, key))) continue;
    isWhole = false;
    await undeclare(mending);
    await add(mending, key);
  }
  for await (const key of joined(sinks.entries.lines(), sinks.indexed.lines(), false)) {
    await removeOrphan(mending, key);
  }
  return isWhole;
}

/** The table of an entry, with its pointer, and the entry: read before its table. */
async function readBoth({ parts, limiter, runLease }: IndexMending, key: string) {
  const { context } = parts.catalog;
  await runLease.keep();
  await limiter.spend(2);
  const entry = await context.pointers.get(key);
  const root = await context.pointers.get(byIdKey("table", context.account, tableOfEntry(key)));
  const stored =
    root.state === "live" ? await readEntity<Table>(context, "table", root) : undefined;
  const isHeld = stored !== undefined && indexKeysOf(context.account, stored.entity).includes(key);
  return { entry, root, isHeld };
}

/** Whether an entry is there, or its table no longer has it. */
async function isThere(mending: IndexMending, key: string): Promise<boolean> {
  const { entry, isHeld } = await readBoth(mending, key);
  return entry.state === "live" || !isHeld;
}

async function undeclare({ parts }: IndexMending): Promise<void> {
  const { pointers, account } = parts.catalog.context;
  const marker: Item = await pointers.get(tableIndexKey(account));
  if (marker.state === "live") await deleteAt(parts, marker.key, marker.version);
}

/** Puts an entry while its table is as it was read. */
async function add(mending: IndexMending, key: string): Promise<void> {
  const { parts, report } = mending;
  const { ids, pointers } = parts.catalog.context;
  for (let tries = 0; tries < TRIES; tries++) {
    const { entry, root, isHeld } = await readBoth(mending, key);
    if (entry.state === "live" || !isHeld) return;
    const { outcome } = await pointers.commit({
      writerId: ids.mint<WriterId>(),
      ops: [
        { op: "put", key, expected: entry.version },
        { op: "check", key: root.key, expected: root.version },
      ],
    });
    if (outcome !== "committed") continue;
    report.indexedTables++;
    return;
  }
}

async function removeOrphan(mending: IndexMending, key: string): Promise<void> {
  const { parts, report, isDry } = mending;
  const { entry, isHeld } = await readBoth(mending, key);
  if (entry.state !== "live" || isHeld) return;
  countGarbage(report, "indexes", 1);
  // Who comes to have it meanwhile writes it anew, at a later version.
  if (!isDry) await deleteAt(parts, key, entry.version);
}
