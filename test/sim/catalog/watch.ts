import type { BlobStore } from "../../../src/blob/port.ts";
import { decodeChange, decodeSummary } from "../../../src/catalog/codec.ts";
import type { FamilyName } from "../../../src/catalog/keys.ts";
import type {
  Batch,
  CommitOutcome,
  PointerOp,
  PointerStore,
  Version,
} from "../../../src/pointer/port.ts";
import { isSnapshotFamily, parsedKey } from "../../catalog/support/read-store.ts";
import { type Sim, Violation } from "../harness/sim.ts";
import type { History } from "./history.ts";
import type { Warehouse } from "./warehouse.ts";

/** Requests of the set-up, which no client is behind. */
const SET_UP: ReadonlySet<string> = new Set(["start", "admin"]);

/**
 * Stands at the store itself, where every batch that is applied passes once, whoever sent it and
 * whatever became of its answer, and checks each at that instant.
 */
export function watched(
  sim: Sim,
  inner: PointerStore,
  payloads: BlobStore,
  warehouse: Warehouse,
  history: History,
): PointerStore {
  const versions = new Map<string, Version>();
  const look = async (batch: Batch, outcome: CommitOutcome): Promise<void> => {
    if (outcome.outcome !== "committed") return;
    checkVersions(versions, outcome.versions);
    await checkFiles(batch.ops, payloads, warehouse);
    const requestId = await requestOf(batch, payloads);
    if (requestId !== undefined && !SET_UP.has(requestId)) history.applied(requestId);
  };
  return {
    get: (key) => inner.get(key),
    getMany: (keys) => inner.getMany(keys),
    list: (directory, options) => inner.list(directory, options),
    sweep: (prefix) => inner.sweep(prefix),
    forget: (key, version) => inner.forget(key, version),
    commit: async (batch) => {
      const outcome = await inner.commit(batch);
      await look(batch, outcome).catch((error: unknown) => sim.fail(error));
      return outcome;
    },
  };
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
    const { family } = parsedKey(key);
    // Derived ones are put beside their payloads, and mean nothing without their root.
    if (isSnapshotFamily(family)) continue;
    if (blobPath !== undefined && (await payloads.head(blobPath)) === undefined) {
      throw new Violation(`${key} names a payload that is not there: ${blobPath}`);
    }
    if ((family !== "tableById" && family !== "viewById") || summary === undefined) continue;
    const { metadataLocation, state } = decodeSummary(summary);
    if (metadataLocation === undefined || state !== "ACTIVE") continue;
    warehouse.named(key, metadataLocation);
  }
}

/** The request that a batch is recorded under; none for what is written outside of batches. */
async function requestOf(batch: Batch, payloads: BlobStore): Promise<string | undefined> {
  const families = batch.ops.map((op) => parsedKey(op.key).family);
  const alone = (family: FamilyName) => family === "receipt" || isSnapshotFamily(family);
  if (families.every(alone)) return undefined;
  const change = batch.ops[families.indexOf("change")];
  if (change?.op !== "put") throw new Violation("a batch without a change record");
  if (!families.includes("receipt")) throw new Violation("a batch without a receipt");
  const { blobPath, summary } = change;
  const bytes = blobPath === undefined ? summary : (await payloads.get(blobPath))?.bytes;
  if (bytes === undefined) throw new Violation("a change record without content");
  return decodeChange(bytes).requestId;
}
