import { cpSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { LocalBlobStore } from "../../../src/blob/local.ts";
import { LocalDisk } from "../../../src/lsm/disk/local.ts";
import { Engine } from "../../../src/lsm/engine/engine.ts";
import type { LsmTuning } from "../../../src/lsm/options.ts";
import { verifyShard } from "../../../src/lsm/tools/verify.ts";
import { isSpare, walId } from "../../../src/lsm/wal/names.ts";
import { SegmentReader } from "../../../src/lsm/wal/reader.ts";
import { SegmentWalStore } from "../../../src/lsm/wal/segments.ts";
import { SystemClock } from "../../../src/runtime/clock.ts";
import { nodeIdentity } from "../../../src/runtime/node-identity.ts";
import { SystemPrng } from "../../../src/runtime/prng.ts";
import { InlineMerger } from "../../support/inline-merger.ts";
import { must } from "../ledger.ts";
import { batchOf, INLINE_BYTES, LOAD, loadIn, loadOf, rowsAfter } from "./batches.ts";

/** Small, so that one life comes to every step, most of them more than once. */
export const SIZES: { readonly segmentBytes: number; readonly sliceBytes: number } = {
  segmentBytes: 98_304,
  sliceBytes: 16_384,
};

export const OPTIONS: Partial<LsmTuning> = {
  compaction: "manual",
  compactionL0Tables: 2,
  blockBytes: 4_096,
  tableBytes: 16_384,
  compactionSubrangeBytes: 8_192,
  compactionStepBytes: 12_288,
  ingestBytes: 8_192,
  inlineValueBytes: INLINE_BYTES,
  gcMinAgeMs: 0,
  leaseMs: 20,
  takeoverWaitMs: 520,
};

/** What a directory held, and what its second owner made of it. */
export interface Inspected {
  /** The last batch that is there, and the last ingest. */
  readonly last: number;
  readonly load: number;
  /** Files of writes that were never finished: nothing lists them, and the next writes end them. */
  readonly temporary: number;
}

/**
 * Looks at a copy of a directory as the next owner finds it: nothing is damaged, the rows are those
 * of a whole number of batches, and once it has flushed, compacted and collected, no file is left
 * that nothing refers to.
 *
 * @param begun ingests at most, each of which may have taken a sequence.
 * @throws Violation
 */
export async function inspect(directory: string, begun: number): Promise<Inspected> {
  const copy = mkdtempSync(join(tmpdir(), "firn-matrix-"));
  try {
    cpSync(directory, copy, { recursive: true });
    const temporary = temporaryFiles(copy).length;
    const found = await inspectCopy(copy, begun);
    const left = temporaryFiles(copy);
    must(left.length === 0, `what died amid a write is left: ${left}`);
    return { ...found, temporary };
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
}

async function inspectCopy(
  directory: string,
  begun: number,
): Promise<Pick<Inspected, "last" | "load">> {
  const ports = { clock: new SystemClock(), prng: new SystemPrng() };
  const store = new LocalBlobStore(join(directory, "store"), { ...ports, durable: false });
  const disk = new LocalDisk(join(directory, "wal"), "never");
  const verify = async (): Promise<void> => {
    const wal = new SegmentReader(disk);
    const findings = verifyShard({ store, prefix: "", wal, clock: ports.clock });
    for await (const { file, what } of findings) must(false, `damage: ${file}: ${what}`);
  };
  // Nothing is published before the first take-over is.
  if ((await store.list("manifest/")).length > 0) await verify();
  const engine = await Engine.open({
    ...ports,
    store,
    wal: new SegmentWalStore(disk, { ...ports, ...SIZES }),
    merger: new InlineMerger(ports.clock, 2),
    node: nodeIdentity({ prng: ports.prng, oneHost: true }),
    forTests: OPTIONS,
  });
  const last = await lastOf(engine);
  const load = await assertRows(engine, last, begun);
  await engine.write(batchOf(last + 1), { durable: true });
  const loading = engine.ingest({ ranges: [{ prefix: Buffer.from(LOAD) }] });
  await loading.add(loadOf(load + 1));
  await loading.commit();
  await engine.compact();
  await engine.collectGarbage();
  const loaded = await assertRows(engine, last + 1, begun + 1);
  must(loaded === load + 1, `ingest ${loaded} follows ${load}`);
  const { tree, gc } = engine.stats();
  must(gc.obsoleteBytes === 0, `${gc.obsoleteBytes} bytes stay obsolete`);
  await engine.close();
  const tables = (await store.list("sst/")).length;
  must(tables === tree.tables, `${tables} tables are stored, ${tree.tables} are named`);
  const boundaries = (await store.list("gc/")).length;
  must(boundaries <= 1, `${boundaries} boundaries are stored`);
  const manifests = (await store.list("manifest/")).length;
  // The one that was collected under, and that of the release.
  must(manifests <= 2, `${manifests} manifests are stored`);
  assertLog(readdirSync(join(directory, "wal")));
  await verify();
  return { last, load };
}

/** The segment of the owner that has just closed, and what it may have rolled from. */
function assertLog(names: readonly string[]): void {
  must(!names.some(isSpare), `spares are left: ${names}`);
  must(names.length <= 2, `segments are left: ${names}`);
  must(
    names.every((name) => walId(name) !== undefined),
    `the log's directory holds ${names}`,
  );
}

async function lastOf(engine: Engine): Promise<number> {
  const found = await engine.get(Buffer.from("last"));
  return found === undefined ? 0 : Number(Buffer.from(found).toString());
}

/** @returns the ingest of which all ingested rows are. */
async function assertRows(engine: Engine, last: number, begun: number): Promise<number> {
  const expected = [...rowsAfter(last)];
  const loaded = new Map<string, string>();
  let at = 0;
  for await (const rows of engine.scan()) {
    for (const { key, value } of rows) {
      const found = Buffer.from(key).toString();
      if (found.startsWith(LOAD)) {
        loaded.set(found, Buffer.from(value).toString());
        continue;
      }
      const [name, content] = expected[at++] ?? [];
      must(found === name, `row ${at} is of ${found}, and should be of ${name} (batch ${last})`);
      must(Buffer.from(value).toString() === content, `${found} is not that of batch ${last}`);
      // What the filters and indexes say of a key must agree with the scan.
      const got = await engine.get(key);
      must(got !== undefined && Buffer.compare(got, value) === 0, `get misses ${found}`);
    }
  }
  must(at === expected.length, `${at} rows, and should be ${expected.length} (batch ${last})`);
  // An ingest that came to nothing may have taken a sequence all the same.
  const ingests = engine.lastSequence - last * batchOf(1).length;
  const load = loadIn(loaded);
  must(ingests >= load && ingests <= begun, `${ingests} sequences of ${load} to ${begun} ingests`);
  return load;
}

function temporaryFiles(directory: string): readonly string[] {
  const names = readdirSync(directory, { recursive: true }).map(String);
  return names.filter((name) => /(^|\/)\.firn-tmp-[^/]*$/.test(name));
}
