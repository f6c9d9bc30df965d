import { monitorEventLoopDelay } from "node:perf_hooks";
import type { Engine } from "../../src/lsm/engine/engine.ts";
import { openEngine } from "./firn.ts";
import { inScratch } from "./scratch.ts";
import { rowsOf } from "./workloads.ts";

/** Indexed rows into an empty, durable shard: each is a row and an entry of an index. */
export interface IngestCell {
  readonly rows: number;
  /** By `Engine.ingest`, up to its commit; its threads have started before. */
  readonly ingestedPerSecond: number;
  /** The same rows in batches of a thousand, up to when they are durable. */
  readonly writtenPerSecond: number;
  /** Processor time of all threads for a row. */
  readonly ingestCpuMicros: number;
  readonly writeCpuMicros: number;
  /** Of the event loop while rows were ingested. */
  readonly loopP999Ms: number;
}

type Loaded<Figure extends keyof IngestCell> = Pick<IngestCell, Figure>;

const BATCH = 1_000;
const ROUNDS = 3;

/** Medians of rounds, in each of which both take their turn. */
export async function benchIngest(count: number): Promise<IngestCell> {
  const rounds: Omit<IngestCell, "rows">[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    rounds.push({ ...(await ingest(count)), ...(await write(count)) });
  }
  const median = (of: (round: (typeof rounds)[number]) => number): number =>
    rounds.map(of).toSorted((a, b) => a - b)[ROUNDS >> 1] ?? Number.NaN;
  return {
    rows: count,
    ingestedPerSecond: median(({ ingestedPerSecond }) => ingestedPerSecond),
    writtenPerSecond: median(({ writtenPerSecond }) => writtenPerSecond),
    ingestCpuMicros: median((round) => round.ingestCpuMicros),
    writeCpuMicros: median((round) => round.writeCpuMicros),
    loopP999Ms: median(({ loopP999Ms }) => loopP999Ms),
  };
}

async function ingest(
  count: number,
): Promise<Loaded<"ingestedPerSecond" | "ingestCpuMicros" | "loopP999Ms">> {
  const data = rowsOf({ rows: count, keyBytes: 16, valueBytes: 100 });
  return await inScratch(async (scratch) => {
    const engine = await openEngine(scratch(), { durable: true, options: { mergeThreads: 2 } });
    const delays = monitorEventLoopDelay({ resolution: 1 });
    try {
      await startThreads(engine);
      delays.enable();
      const startMs = performance.now();
      const startCpu = process.cpuUsage();
      const loading = engine.ingest({ ranges: RELATIONS });
      for (let at = 0; at < count; at += BATCH) await loading.add(indexedRows(data, count, at));
      await loading.commit();
      const seconds = (performance.now() - startMs) / 1_000;
      const ingestCpuMicros = cpuMicros(startCpu) / count;
      delays.disable();
      // As the monitor counts it: from one tick to the next.
      const loopP999Ms = Math.max(0, delays.percentile(99.9) / 1e6 - 1);
      return { ingestedPerSecond: count / seconds, ingestCpuMicros, loopP999Ms };
    } finally {
      await engine.close();
    }
  });
}

/** The rows of the table, and the entries of its index. */
const RELATIONS = [{ to: Buffer.of(0xfe) }, { from: Buffer.of(0xfe), to: Buffer.of(0xff) }];

/** A server has them, once it has merged anything. */
async function startThreads(engine: Engine): Promise<void> {
  const first = engine.ingest({
    ranges: [{ from: Buffer.of(0xff, 0) }, { from: Buffer.of(0xff, 1) }],
  });
  const value = new Uint8Array(100);
  for (let i = 0; i < 10_000; i++) {
    const key = Buffer.of(0xff, i % 2, i >> 8, i);
    await first.add([{ key, value }]);
  }
  await first.commit();
}

async function write(count: number): Promise<Loaded<"writtenPerSecond" | "writeCpuMicros">> {
  const data = rowsOf({ rows: count, keyBytes: 16, valueBytes: 100 });
  return await inScratch(async (scratch) => {
    const engine = await openEngine(scratch(), { durable: true, options: { mergeThreads: 2 } });
    try {
      const startMs = performance.now();
      const startCpu = process.cpuUsage();
      for (let at = 0; at < count; at += BATCH) {
        const ops = indexedRows(data, count, at).map((row) => ({ op: "put" as const, ...row }));
        await engine.write(ops);
      }
      await engine.durable();
      const seconds = (performance.now() - startMs) / 1_000;
      return { writtenPerSecond: count / seconds, writeCpuMicros: cpuMicros(startCpu) / count };
    } finally {
      await engine.close();
    }
  });
}

/** Of all threads, since a moment. */
function cpuMicros(since: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(since);
  return user + system;
}

/** Rows in the order of their keys, as they are loaded mostly; their index in no order. */
function indexedRows(data: ReturnType<typeof rowsOf>, count: number, from: number) {
  const rows: { key: Uint8Array; value: Uint8Array }[] = [];
  for (let i = from; i < Math.min(count, from + BATCH); i++) {
    const [key, value] = [data.key(i), data.value(i)];
    const entry = Buffer.allocUnsafe(9 + key.length);
    entry[0] = 0xfe;
    entry.writeBigUInt64BE((BigInt(i) * 11_400_714_819_323_198_485n) & 0xffff_ffff_ffff_ffffn, 1);
    entry.set(key, 9);
    rows.push({ key, value }, { key: entry, value: NO_BYTES });
  }
  return rows;
}

const NO_BYTES = new Uint8Array(0);
