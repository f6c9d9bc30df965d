import type { WriterId } from "../../base/ids.ts";
import { decodePartSummary } from "../../catalog/codec/stats.ts";
import { type FamilyName, parseKey } from "../../catalog/keys.ts";
import { shaOfPath } from "../../catalog/paths.ts";
import { readOwners } from "../../catalog/walk.ts";
import { SERVICE_LIMITS } from "../limits.ts";
import { deleteAt } from "./mark.ts";
import { type GcParts, type RunLease, stopped } from "./parts.ts";
import { RelationRoots, subjectOfText } from "./relation-roots.ts";
import { countGarbage, type GarbageKind, type GarbageReport } from "./report.ts";
import type { StoreRateLimiter } from "./store-rate-limiter.ts";

/** Statistics and constraints, their aliases too: what says of which snapshot they are. */
const PARTS: ReadonlySet<FamilyName> = new Set<FamilyName>([
  "targetStats",
  "fileStats",
  "constraints",
  "snapshotConstraints",
]);

/** A payload that may go, as a line says it. */
export interface GarbagePayload {
  readonly path: string;
  readonly size: number;
}

/** `{hash} {path} {size}`. */
export function payloadLine({ path, size }: GarbagePayload): string {
  return `${shaOfPath(path)} ${path} ${size}`;
}

/** @throws FirnError `Corrupt` `GC_STOPPED`. */
export function payloadOfLine(line: string): GarbagePayload {
  const [sha, path = "", size = "", ...more] = line.split(" ");
  const bytes = Number(size);
  if (more.length === 0 && sha === shaOfPath(path) && Number.isSafeInteger(bytes)) {
    return { path, size: bytes };
  }
  throw stopped("a line of a segment is damaged", { line: line.slice(0, 200) });
}

/** What deletes for one step of a run. */
export interface Deleting {
  readonly parts: GcParts;
  readonly run: string;
  readonly report: GarbageReport;
  readonly limiter: StoreRateLimiter;
  readonly runLease: RunLease;
}

/**
 * Deletes payloads that both marks missed. Every key that may lead to one is read again first: one
 * that does shows that a mark was not whole, so nothing more goes. One whose owners cannot be told
 * stays.
 *
 * @throws FirnError `Corrupt` `GC_STOPPED`.
 */
export async function deletePayloads(
  deleting: Deleting,
  payloads: readonly GarbagePayload[],
): Promise<void> {
  for (let at = 0; at < payloads.length; at += SERVICE_LIMITS.gcBatchBlobs) {
    await deleteBatch(deleting, payloads.slice(at, at + SERVICE_LIMITS.gcBatchBlobs));
  }
}

async function deleteBatch(
  { parts, run, report, limiter, runLease }: Deleting,
  batch: readonly GarbagePayload[],
): Promise<void> {
  const { blobs, catalog } = parts;
  const going: GarbagePayload[] = [];
  const owned = new Map<string, Set<string>>();
  for (const payload of batch) {
    await runLease.keep();
    const requests = { pointers: 0, payloads: 0, requests: 0 };
    const keys = await readOwners(blobs, payload.path, requests);
    await limiter.spend(requests.requests, requests.requests * payload.size);
    if (keys === undefined) {
      report.unknownPaths++;
      continue;
    }
    going.push(payload);
    for (const key of keys) {
      const paths = owned.get(key) ?? new Set();
      owned.set(key, paths.add(payload.path));
    }
  }
  const keys = [...owned.keys()];
  await limiter.spend(keys.length);
  const items = await catalog.context.pointers.getMany(keys);
  for (const [i, item] of items.entries()) {
    const found = item.state === "live" ? item.blobPath : undefined;
    if (found === undefined || owned.get(keys[i] ?? "")?.has(found) !== true) continue;
    throw stopped("two marks have missed a pointer", { key: item.key, path: found });
  }
  await runLease.keep();
  runLease.assertHeld();
  const paths = going.map(({ path }) => path);
  if (paths.length === 0) return;
  await limiter.spend(1);
  await blobs.deleteMany(paths);
  const bytes = going.reduce((sum, { size }) => sum + size, 0);
  told({ parts, run, report }, "payloads", paths, bytes);
}

function told(
  { parts, run, report }: Pick<Deleting, "parts" | "run" | "report">,
  kind: GarbageKind,
  paths: readonly string[],
  bytes: number,
): void {
  countGarbage(report, kind, paths.length, bytes);
  parts.onDeleted?.({ run, kind, paths, bytes });
}

/** Deletes derived pointers at the versions that both marks saw, `{key}@{version}` each. */
export async function deleteRootless(
  { parts, run, report, limiter, runLease }: Deleting,
  lines: AsyncIterable<string>,
): Promise<void> {
  for await (const line of lines) {
    const at = line.lastIndexOf("@");
    const key = line.slice(0, at);
    await runLease.keep();
    await limiter.spend(1);
    const version = BigInt(line.slice(at + 1));
    const went = PARTS.has(parseKey(key).family)
      ? await deletePart({ parts, limiter }, key, version)
      : await deleteAt(parts, key, version).then(() => true);
    if (went) told({ parts, run, report }, kindOfKey(key), [key], 0);
  }
}

/**
 * Deletes statistics or constraints whose snapshot is not there: in one batch with a check of the
 * table at the version that was found to lack it, so that a commit which brings it is not missed.
 *
 * @returns whether they went.
 */
async function deletePart(
  { parts, limiter }: Pick<Deleting, "parts" | "limiter">,
  key: string,
  version: bigint,
): Promise<boolean> {
  const { context } = parts.catalog;
  const [found] = await context.pointers.getMany([key]);
  if (found?.state !== "live" || found.version !== version) return false;
  const { snapshotId } = decodePartSummary(found.summary ?? new Uint8Array());
  const id = parseKey(key).values[1] ?? "";
  const root = await new RelationRoots(parts, limiter).of({ type: "table", id });
  if (root.is === "gone") {
    await deleteAt(parts, key, version);
    return true;
  }
  if (root.is !== "known" || root.snapshots?.has(snapshotId) === true) return false;
  const ops = [
    { op: "delete", key, expected: version },
    { op: "check", key: root.item.key, expected: root.item.version },
  ] as const;
  const writerId = context.ids.mint<WriterId>();
  // Whatever else it comes to, the next run looks again.
  return (await context.pointers.commit({ writerId, ops })).outcome === "committed";
}

export function kindOfKey(key: string): GarbageKind {
  if (key.includes("/reports/")) return "reports";
  return /\/stats\/|\/constraints\//.test(key) ? "statistics" : "snapshots";
}

/** A metadata file that a mark took for an orphan. */
export interface OrphanLine {
  readonly location: string;
  readonly size: number;
  /** The relation that it lies among the files of, as `subjectText` says it. */
  readonly subject: string;
}

/** Reads a line that a mark wrote for an orphan. */
export function orphanOfLine(line: string): OrphanLine {
  const [location = "", size = "", subject = ""] = line.split(" ");
  return { location: decodeURIComponent(location), size: Number(size), subject };
}

/**
 * Deletes metadata files that both marks took for orphans, relation by relation: its log and the
 * claims around it are read once more before.
 */
export async function deleteOrphans(
  deleting: Deleting,
  lines: AsyncIterable<string>,
): Promise<void> {
  let batch: OrphanLine[] = [];
  for await (const line of lines) {
    const orphan = orphanOfLine(line);
    const isFull = batch.length >= SERVICE_LIMITS.purgeBatchFiles;
    if (isFull || (batch[0] !== undefined && batch[0].subject !== orphan.subject)) {
      await deleteFiles(deleting, batch);
      batch = [];
    }
    batch.push(orphan);
  }
  if (batch.length > 0) await deleteFiles(deleting, batch);
}

async function deleteFiles(
  { parts, run, report, limiter, runLease }: Deleting,
  batch: readonly OrphanLine[],
): Promise<void> {
  await runLease.keep();
  const subject = subjectOfText(batch[0]?.subject ?? "");
  const still = await new RelationRoots(parts, limiter).orphans(subject);
  const left = new Set(still.map(({ location }) => location));
  const going = batch.filter(({ location }) => left.has(location));
  if (going.length === 0) return;
  runLease.assertHeld();
  const paths = going.map(({ location }) => location);
  await parts.locations.deleteMany(paths);
  const bytes = going.reduce((sum, { size }) => sum + size, 0);
  told({ parts, run, report }, "metadata", paths, bytes);
}
