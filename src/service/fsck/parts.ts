import { FirnError } from "../../base/error.ts";
import type { AccountId } from "../../base/ids.ts";
import { decodePack } from "../../catalog/codec/stats.ts";
import type { PartSummary } from "../../catalog/model.ts";
import { constraintsKeys, type SnapshotRef, statsKeys } from "../../catalog/part-keys.ts";
import { partPointers, saysSame } from "../../catalog/part-pointers.ts";
import type { WalkedPointer } from "../../catalog/walk.ts";
import type { Live, PointerOp } from "../../pointer/port.ts";
import { type Finding, finding } from "./findings.ts";
import type { ReadSet } from "./read-set.ts";

type LivePointer = Extract<WalkedPointer, { state: "live" }>;
type Put = Extract<PointerOp, { op: "put" }>;

/** The source of statistics or constraints: its payload says what all of its pointers say. */
export async function judgePart(
  reads: ReadSet,
  { item, key, references: { root = "" } }: LivePointer,
): Promise<readonly Finding[]> {
  const [account] = key.values as [AccountId];
  const path = item.blobPath ?? "";
  const read = await reads.payload(path);
  if ("wrong" in read) return [finding(read.wrong, item.key, { path })];
  let puts: readonly Put[];
  try {
    puts = partPointers(account, item.key, key, path, read.bytes);
  } catch (error) {
    if (!(error instanceof FirnError && error.kind === "Corrupt")) throw error;
    return [finding("PAYLOAD_FOREIGN", item.key, { path, reason: error.message })];
  }
  const [own, ...others] = puts;
  if (own === undefined || !saysSame(item, own)) return [finding("SUMMARY_MISMATCH", item.key)];
  const found: Finding[] = [];
  for (const put of others) {
    const other = await reads.get(put.key);
    if (other.state === "live" && saysSame(other, put)) continue;
    const code = other.state === "live" ? "ALIAS_MISMATCH" : "ALIAS_MISSING";
    const ops = [{ ...put, expected: other.version }];
    found.push(finding(code, put.key, { source: item.key }, { ops }));
  }
  const table = await reads.get(root);
  if (table.state === "absent") found.push(finding("STATS_ORPHANED", item.key, { table: root }));
  return found;
}

/** An alias: its source must be there. What the two say is told of the source. */
export async function judgeAlias(
  reads: ReadSet,
  { item, key, references: { content } }: LivePointer,
): Promise<readonly Finding[]> {
  if (content.is !== "part") return [];
  const source = await sourceOf(reads, item, key.values as readonly string[], content.summary);
  if (source !== undefined && (await reads.get(source)).state === "live") return [];
  const ops = [{ op: "delete", key: item.key, expected: item.version } as const];
  return [finding("ALIAS_ORPHANED", item.key, { source: source ?? "" }, { ops })];
}

async function sourceOf(
  reads: ReadSet,
  item: Live,
  [account = "", table = ""]: readonly string[],
  { snapshotId }: PartSummary,
): Promise<string | undefined> {
  const at = { table, snapshotId } as SnapshotRef;
  const [own, alias] = constraintsKeys(account as AccountId, at);
  if (alias === item.key) return own;
  const read = await reads.payload(item.blobPath ?? "");
  if ("wrong" in read) return undefined;
  const keys = decodePack(read.bytes).stats.map(({ target }) =>
    statsKeys(account as AccountId, at, target),
  );
  return keys.find((some) => some.includes(item.key))?.[0];
}
