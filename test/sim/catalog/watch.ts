import type { JobId } from "../../../src/base/ids.ts";
import type { Blob, BlobStore } from "../../../src/blob/port.ts";
import { decodeChange } from "../../../src/catalog/codec/change.ts";
import { decodeJob } from "../../../src/catalog/codec/job.ts";
import { decodeReceipt } from "../../../src/catalog/codec/receipt.ts";
import { decodeSummary } from "../../../src/catalog/codec/summary.ts";
import type { FamilyName } from "../../../src/catalog/keys.ts";
import type { ChangeRecord } from "../../../src/catalog/model.ts";
import type {
  Batch,
  CommitOutcome,
  Item,
  Live,
  PointerOp,
  PointerStore,
  Version,
} from "../../../src/pointer/port.ts";
import { isReceiptFamily, isSnapshotFamily, parsedKey } from "../../catalog/support/read-store.ts";
import { type Sim, Violation } from "../harness/sim.ts";
import type { History, Where } from "./history.ts";
import type { Ledger } from "./ledger.ts";
import type { Path } from "./spec.ts";
import type { Warehouse } from "./warehouse.ts";

/** What is written without a batch of its own: refusals, leases, reports. */
const ALONE: ReadonlySet<FamilyName> = new Set([
  "receipt",
  "keyedReceipt",
  "jobById",
  "jobDue",
  "report",
]);
/** What stands before the id in the leaf of something dropped: a time of 19 digits, and a dash. */
const TIME_PREFIX = 20;

/** What a job does that deletes a namespace with all that is in it. */
const OF_DELETE: ReadonlySet<string> = new Set([
  "begin-delete-namespace",
  "cancel-delete-namespace",
  "drop-namespace",
  "drop-table",
  "drop-view",
]);

/** Requests of the set-up, which no client is behind. */
const SET_UP: ReadonlySet<string> = new Set(["start", "admin"]);

/** What has been cleared away since, and the checks at the end still ask for. */
export interface Gone {
  /** How many receipts of batches. */
  receipts: number;
  /** Change records, and those of their contents that lay in a blob. */
  readonly changes: Live[];
  readonly contents: Map<string, Blob>;
}

/** What is told of a batch that is applied. */
interface Watch {
  readonly warehouse: Warehouse;
  readonly history: History;
  readonly ledger: Ledger;
  readonly gone: Gone;
  /** The store may answer a second copy of a batch as it answered the first, and do nothing. */
  readonly repeats: boolean;
}

/**
 * Stands at the store itself, where every batch that is applied passes once, whoever sent it and
 * whatever became of its answer, and checks each at that instant.
 */
export function watched(
  sim: Sim,
  inner: PointerStore,
  payloads: BlobStore,
  { warehouse, history, ledger, gone, repeats }: Watch,
): PointerStore {
  const applied = new WeakSet<Batch>();
  const versions = new Map<string, Version>();
  const places = new Places();
  const look = async (batch: Batch, outcome: CommitOutcome): Promise<void> => {
    if (outcome.outcome !== "committed") return;
    checkVersions(versions, withBumps(versions, batch.ops, outcome.versions));
    await checkFiles(batch.ops, payloads, warehouse);
    places.learn(batch.ops);
    const record = await recordOf(batch, payloads);
    if (record === undefined || SET_UP.has(record.requestId)) return;
    const { requestId, operation } = record;
    if (!requestId.startsWith("job-")) {
      history.applied(requestId, droppedIn(batch), jobIn(batch));
      return;
    }
    const job = requestId.slice("job-".length);
    if (!OF_DELETE.has(operation)) history.ofJob(job, operation);
    else history.ofDelete(job, operation, places.of(batch.ops), droppedIn(batch));
  };
  /** What was under the receipts that a batch is to overwrite or delete. */
  const receiptsUnder = async (ops: readonly PointerOp[]): Promise<number> => {
    const keys = ops
      .filter(({ op, key }) => op !== "check" && isReceipt(key))
      .map(({ key }) => key);
    const items = await inner.getMany(keys);
    return items.filter(isOfBatch).length;
  };
  return {
    get: (key) => inner.get(key),
    getMany: (keys) => inner.getMany(keys),
    list: (directory, options) => inner.list(directory, options),
    sweep: (...of) => inner.sweep(...of),
    forget: async (key, version) => {
      const item = await inner.get(key);
      const done = await inner.forget(key, version);
      if (done) versions.delete(key);
      if (done && isOfBatch(item)) gone.receipts++;
      if (done && item.state === "live" && parsedKey(key).family === "change") {
        await keepChange(item, payloads, gone);
        sim.coverage.note("change record collected");
      }
      return done;
    },
    commit: async (batch) => {
      const replaced = await receiptsUnder(batch.ops);
      const outcome = await inner.commit(batch);
      if (outcome.outcome === "committed") {
        if (repeats && applied.has(batch)) return outcome;
        applied.add(batch);
        ledger.applied(batch.ops);
        gone.receipts += replaced;
      }
      await look(batch, outcome).catch((error: unknown) => sim.fail(error));
      return outcome;
    },
  };
}

async function keepChange(item: Live, payloads: BlobStore, gone: Gone): Promise<void> {
  gone.changes.push(item);
  if (item.blobPath === undefined) return;
  const content = await payloads.get(item.blobPath);
  if (content === undefined) throw new Violation(`${item.key} has lost its content`);
  gone.contents.set(item.blobPath, content);
}

/** The versions that a batch made; a store need not say what a bump came to. */
function withBumps(
  before: ReadonlyMap<string, Version>,
  ops: readonly PointerOp[],
  told: ReadonlyMap<string, Version>,
): ReadonlyMap<string, Version> {
  const made = new Map(told);
  for (const { op, key } of ops) {
    if (op === "bump" && !made.has(key)) made.set(key, (before.get(key) ?? 0n) + 1n);
  }
  return made;
}

/** A version grows by one with each write, tombstones included, and never begins anew. */
function checkVersions(known: Map<string, Version>, written: ReadonlyMap<string, Version>): void {
  for (const [key, version] of written) {
    const before = known.get(key) ?? 0n;
    if (version !== before + 1n) throw new Violation(`${key} goes from ${before} to ${version}`);
    known.set(key, version);
  }
}

/** What a batch points at is there, whole, when it is applied. */
async function checkFiles(
  ops: readonly PointerOp[],
  payloads: BlobStore,
  warehouse: Warehouse,
): Promise<void> {
  for (const op of ops) {
    if (op.op !== "put") continue;
    const { key, blobPath, summary } = op;
    const { family, values } = parsedKey(key);
    if (family === "jobById" && summary !== undefined) mustBeSane(key, summary);
    // Derived ones are put beside their payloads, and mean nothing without their root.
    if (isSnapshotFamily(family)) continue;
    if (blobPath !== undefined && (await payloads.head(blobPath)) === undefined) {
      throw new Violation(`${key} names a payload that is not there: ${blobPath}`);
    }
    if ((family !== "tableById" && family !== "viewById") || summary === undefined) continue;
    const { metadataLocation, state } = decodeSummary(summary);
    if (metadataLocation === undefined || state !== "ACTIVE") continue;
    warehouse.named(key, values.at(-1) ?? "", metadataLocation);
  }
}

/** A job may fail for want of a store, never by a mistake of ours. */
function mustBeSane(key: string, summary: Uint8Array): void {
  const { lastFailure } = decodeJob("" as JobId, summary);
  if (lastFailure === "INTERNAL") throw new Violation(`${key} fails for no known reason`);
}

function isReceipt(key: string): boolean {
  return isReceiptFamily(parsedKey(key).family);
}

/** Whether it is the receipt of a batch that changed something. */
function isOfBatch(item: Item): boolean {
  if (item.state === "absent" || item.summary === undefined || !isReceipt(item.key)) return false;
  return decodeReceipt(item.summary).changeId !== undefined;
}

/** The entity that a batch has dropped. */
function droppedIn({ ops }: Batch): string | undefined {
  for (const op of ops) {
    const { family, values } = parsedKey(op.key);
    if (op.op === "put" && family === "dropped") return values.at(-1)?.slice(TIME_PREFIX);
  }
  return undefined;
}

/** The job that a batch has made. */
function jobIn({ ops }: Batch): string | undefined {
  const made = ops.find(({ op, key }) => op === "put" && parsedKey(key).family === "jobById");
  return made === undefined ? undefined : parsedKey(made.key).values.at(-1);
}

/** Under which path each namespace is: none of them is ever renamed. */
class Places {
  readonly #paths = new Map<string, Path>();

  learn(ops: readonly PointerOp[]): void {
    for (const op of ops) {
      if (op.op !== "put" || op.summary === undefined) continue;
      const { family, values } = parsedKey(op.key);
      if (family !== "namespaceByPath") continue;
      this.#paths.set(decodeSummary(op.summary).entityId, values.slice(2).map(String));
    }
  }

  /** What a batch of a job is about. */
  of(ops: readonly PointerOp[]): Where {
    for (const { op, key } of ops) {
      const { family, values } = parsedKey(key);
      const isName = family === "tableByName" || family === "viewByName";
      if (op === "delete" && isName) {
        return { path: this.#pathOf(values.at(-2)), name: values.at(-1) };
      }
      if (op === "put" && family === "namespaceById") return { path: this.#pathOf(values.at(-1)) };
    }
    throw new Violation("a batch of a job that deletes is about nothing");
  }

  #pathOf(id = ""): Path {
    const path = this.#paths.get(id);
    if (path === undefined) throw new Violation(`namespace ${id} has no path`);
    return path;
  }
}

/** The record of a batch; none of what is written outside of batches. */
async function recordOf(batch: Batch, payloads: BlobStore): Promise<ChangeRecord | undefined> {
  const families = batch.ops.map((op) => parsedKey(op.key).family);
  const alone = (family: FamilyName) => ALONE.has(family) || isSnapshotFamily(family);
  if (families.every(alone)) return undefined;
  // A location is held, or let go of, by a write of its own.
  if (batch.ops.length === 1 && families[0] === "location") return undefined;
  const change = batch.ops[families.indexOf("change")];
  if (change?.op !== "put") throw new Violation("a batch without a change record");
  if (!families.some(isReceiptFamily)) throw new Violation("a batch without a receipt");
  const { blobPath, summary } = change;
  const bytes = blobPath === undefined ? summary : (await payloads.get(blobPath))?.bytes;
  if (bytes === undefined) throw new Violation("a change record without content");
  return decodeChange(bytes);
}
