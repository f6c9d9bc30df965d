import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { LocalBlobStore } from "../../../src/blob/local.ts";
import type { BlobStore } from "../../../src/blob/port.ts";
import { LocalDisk } from "../../../src/lsm/disk/local.ts";
import { Engine } from "../../../src/lsm/engine/engine.ts";
import type { LsmTuning } from "../../../src/lsm/options.ts";
import { SegmentWalStore } from "../../../src/lsm/wal/segments.ts";
import { SystemClock } from "../../../src/runtime/clock.ts";
import { SystemPrng } from "../../../src/runtime/prng.ts";
import { batchOf, INLINE_BYTES } from "../../kill/matrix/batches.ts";
import { InlineMerger } from "../../support/inline-merger.ts";
import { Processes } from "../support/worlds.ts";

export const PORTS: { readonly clock: SystemClock; readonly prng: SystemPrng } = {
  clock: new SystemClock(),
  prng: new SystemPrng(),
};

const SIZES = { segmentBytes: 65_536, sliceBytes: 16_384 };

const OPTIONS: Partial<LsmTuning> = {
  compaction: "manual",
  compactionL0Tables: 2,
  // Filters as large are cut into parts.
  blockBytes: 64,
  prefixes: { separator: 0x20 },
  tableBytes: 10_000,
  inlineValueBytes: INLINE_BYTES,
  gcMinAgeMs: 0,
};

/** Files by their paths in the directory. */
export type Files = ReadonlyMap<string, Buffer>;

export function storeIn(directory: string): BlobStore {
  return new LocalBlobStore(join(directory, "store"), { ...PORTS, durable: false });
}

export function diskIn(directory: string): LocalDisk {
  return new LocalDisk(join(directory, "wal"), "never");
}

/** Opens the shard as a process that sees every one before it dead. */
export function openIn(directory: string, options: Partial<LsmTuning> = {}): Promise<Engine> {
  return Engine.open({
    ...PORTS,
    store: storeIn(directory),
    wal: new SegmentWalStore(diskIn(directory), { ...PORTS, ...SIZES }),
    merger: new InlineMerger(PORTS.clock),
    node: new Processes().start({ sight: () => "dead" }),
    forTests: { ...OPTIONS, ...options },
  });
}

/** What a directory holds that was written by several owners, none of which has closed it. */
export interface Written {
  readonly files: Files;
  /** The last batch, which was acknowledged, and the last one that is in tables. */
  readonly last: number;
  readonly flushed: number;
  /** A later segment knows where the last one with groups ends. */
  readonly isLogEnded: boolean;
}

const FLUSHED = 92;
const LAST = 130;

/**
 * Sorted runs of several tables, a packed one of level 0, manifests of four owners, a boundary, a
 * segment without groups, and groups that are in the log alone, in several segments.
 *
 * @param heir whether one more has opened it, and done nothing.
 */
export async function writeDirectory(heir: boolean): Promise<Written> {
  const lives: readonly ((engine: Engine) => Promise<void>)[] = [
    async (engine) => {
      await write(engine, 1, 40);
      await engine.flush();
      await write(engine, 41, 60);
      await engine.compact();
      await engine.collectGarbage();
    },
    async (engine) => {
      await write(engine, 61, FLUSHED);
      await engine.flush();
      await engine.collectGarbage();
    },
    async () => undefined,
    (engine) => write(engine, FLUSHED + 1, LAST),
    ...(heir ? [async () => undefined] : []),
  ];
  let directory = mkdtempSync(join(tmpdir(), "firn-damage-"));
  for (const [index, live] of lives.entries()) {
    const engine = await openIn(directory, { compression: index === 1 ? "zstd" : "none" });
    await live(engine);
    // A manifest behind those that name the segments which were begun.
    await engine.advertise(`http://life-${index}`);
    // What a process leaves that ends now.
    const left = mkdtempSync(join(tmpdir(), "firn-damage-"));
    cpSync(directory, left, { recursive: true });
    await engine.close();
    rmSync(directory, { recursive: true, force: true });
    directory = left;
  }
  const files = readFiles(directory);
  rmSync(directory, { recursive: true, force: true });
  return { files, last: LAST, flushed: FLUSHED, isLogEnded: heir };
}

/** One group each. */
async function write(engine: Engine, from: number, to: number): Promise<void> {
  for (let n = from; n <= to; n++) await engine.write(batchOf(n), { durable: true });
}

function readFiles(directory: string): Files {
  const paths = readdirSync(directory, { recursive: true }).map(String).sort();
  const files = paths.filter((path) => statSync(join(directory, path)).isFile());
  return new Map(files.map((path) => [path, readFileSync(join(directory, path))]));
}
