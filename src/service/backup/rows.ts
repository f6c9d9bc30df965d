import { createHash, type Hash } from "node:crypto";
import { backoff } from "../../base/backoff.ts";
import type { Clock } from "../../base/clock.ts";
import { FirnError } from "../../base/error.ts";
import type { CatalogId } from "../../base/ids.ts";
import type { Prng } from "../../base/prng.ts";
import type { BlobStore } from "../../blob/port.ts";
import type { Engine, PackedScan, Reader } from "../../lsm/index.ts";
import { type BackedShard, damaged, readLines, writeLines } from "./format.ts";

/**
 * A shard of row tables, where another process may own it by a reader, which is closed once it was
 * read; undefined for one that was never made.
 */
export type RowEngines = (shard: string) => Promise<Engine | Reader | undefined>;

/** The shards that a catalog may have, by their ids. */
export interface ShardsOfCatalog {
  readonly catalog: CatalogId;
  readonly shards: readonly string[];
}

/** A row or index entry of a shard, in base64. */
interface RowLine {
  readonly k: string;
  readonly v: string;
}

/** Rows that are written at once, and bytes of them. */
const WRITE_ROWS = 1_000;
const WRITE_BYTES = 1_048_576;

function addTo(hash: Hash, key: Uint8Array, value: Uint8Array): void {
  const lengths = Buffer.alloc(8);
  lengths.writeUInt32BE(key.length, 0);
  lengths.writeUInt32BE(value.length, 4);
  hash.update(lengths).update(key).update(value);
}

/** Everything in a shard at one state, and what it hashes to. */
async function* rowsOf(scan: PackedScan, hash: Hash): AsyncGenerator<RowLine, void> {
  for await (const rows of scan) {
    for (const { key, value } of rows) {
      addTo(hash, key, value);
      yield { k: Buffer.from(key).toString("base64"), v: Buffer.from(value).toString("base64") };
    }
  }
}

/**
 * Copies the rows of some catalogs: each shard as of one state, which is not older than this call.
 * A descriptor is in its shard before the catalog names its table, so every table of a catalog that
 * was read before has its rows.
 */
export async function backUpRows(
  target: BlobStore,
  engines: RowEngines,
  catalogs: AsyncIterable<ShardsOfCatalog>,
): Promise<readonly BackedShard[]> {
  const backed: BackedShard[] = [];
  for await (const { catalog, shards } of catalogs) {
    for (const shard of shards) {
      const source = await engines(shard);
      if (source === undefined) continue;
      const state = "snapshot" in source ? await ownState(source) : readState(source);
      const own = shard === catalog ? {} : { shard };
      const hash = createHash("sha256");
      try {
        const rows = await writeLines(target, rowsOf(state.scan(), hash));
        await state.confirm();
        backed.push({ catalog, ...own, sequence: state.sequence, rows, sha: hash.digest("hex") });
      } finally {
        await state.close();
      }
    }
  }
  return backed;
}

/** One state of a shard. */
interface ShardState {
  readonly sequence: number;
  readonly scan: () => PackedScan;
  /** Resolves if what was read survives. */
  readonly confirm: () => Promise<void>;
  readonly close: () => Promise<void>;
}

async function ownState(engine: Engine): Promise<ShardState> {
  // Fails if another process has taken the shard over: that one has newer rows.
  await engine.confirm();
  const snapshot = engine.snapshot();
  return {
    sequence: snapshot.sequence,
    scan: () => engine.scan({ snapshot }),
    // It was durable before the backup exists.
    confirm: async () => await engine.confirm(),
    close: async () => snapshot.close(),
  };
}

/** Of a reader, which sees nothing that is not durable. */
function readState(reader: Reader): ShardState {
  return {
    sequence: reader.sequence,
    scan: () => reader.scan(),
    confirm: async () => undefined,
    close: () => reader.close(),
  };
}

/** Reads the rows of a shard whole. @throws FirnError `BACKUP_DAMAGED`. */
export async function verifyRows(source: BlobStore, { rows, sha }: BackedShard): Promise<void> {
  const hash = createHash("sha256");
  for await (const { k, v } of readLines<RowLine>(source, rows)) {
    addTo(hash, Buffer.from(k, "base64"), Buffer.from(v, "base64"));
  }
  if (hash.digest("hex") !== sha) throw damaged("rows have other bytes than their hash", "chunks/");
}

/**
 * Makes a shard what it was: whatever a restore that was interrupted has left there goes first.
 *
 * @throws FirnError `BACKUP_DAMAGED`; `Corrupt` `RESTORE_DIFFERS`; what the engine throws.
 */
export async function restoreRows(
  { source, clock, prng }: RowRestoreParts,
  engine: Engine,
  { rows, sha }: BackedShard,
): Promise<void> {
  const write = async (ops: Parameters<Engine["write"]>[0]): Promise<void> => {
    for (let tries = 1; ; tries++) {
      try {
        await engine.write(ops);
        return;
      } catch (error) {
        const isFull = error instanceof FirnError && error.kind === "Overloaded";
        if (!isFull || tries === TRIES) throw error;
        await backoff(clock, prng, tries, Number(error.context["retryAfterMs"] ?? 0));
      }
    }
  };
  const all = new Uint8Array();
  await write([{ op: "deleteRange", from: all, to: all }]);
  let ops: { op: "put"; key: Uint8Array; value: Uint8Array }[] = [];
  let bytes = 0;
  for await (const { k, v } of readLines<RowLine>(source, rows)) {
    const put = { op: "put", key: Buffer.from(k, "base64"), value: Buffer.from(v, "base64") };
    ops.push(put as (typeof ops)[number]);
    bytes += put.key.length + put.value.length;
    if (ops.length < WRITE_ROWS && bytes < WRITE_BYTES) continue;
    await write(ops);
    [ops, bytes] = [[], 0];
    await clock.sleep(0);
  }
  if (ops.length > 0) await write(ops);
  await engine.flush();
  const hash = createHash("sha256");
  for await (const _row of rowsOf(engine.scan({ level: "durable" }), hash));
  if (hash.digest("hex") === sha) return;
  const message = "the restored rows differ from those of the backup: run the restore again";
  throw new FirnError("Corrupt", "RESTORE_DIFFERS", message);
}

/** How often a write is tried again that the engine has no room for. */
const TRIES = 100;

export interface RowRestoreParts {
  readonly source: BlobStore;
  readonly clock: Clock;
  readonly prng: Prng;
}
