import { closeSync, fdatasyncSync, mkdtempSync, openSync, rmSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SeededPrng } from "../src/base/prng.ts";
import { LocalDisk } from "../src/lsm/disk/local.ts";
import { GroupCommit } from "../src/lsm/wal/group-commit.ts";
import { SegmentWalStore } from "../src/lsm/wal/segments.ts";
import { SystemClock } from "../src/runtime/clock.ts";
import { formatTable } from "./report.ts";

const PAYLOAD_BYTES = 128;
const CALLERS: readonly number[] = [1, 16, 128];

/** Durable puts a second, and how often that is the peer's rate in the same rounds. */
export interface WalCell {
  readonly callers: number;
  readonly perSecond: number;
  readonly ratio: number;
}

/** One caller, one thread: append and `fdatasync` to a file that grows, as simple logs do. */
function growingFile(directory: string, ms: number): number {
  const fd = openSync(join(directory, "peer"), "w");
  const block = Buffer.alloc(PAYLOAD_BYTES, 1);
  const start = performance.now();
  let writes = 0;
  for (; performance.now() - start < ms; writes++) {
    writeSync(fd, block);
    fdatasyncSync(fd);
  }
  const perSecond = (writes / (performance.now() - start)) * 1_000;
  closeSync(fd);
  return perSecond;
}

async function ours(commit: GroupCommit, callers: number, ms: number): Promise<number> {
  const payload = new Uint8Array(PAYLOAD_BYTES).fill(1);
  const start = performance.now();
  let writes = 0;
  let sequence = commit.durableSequence;
  const caller = async (): Promise<void> => {
    while (performance.now() - start < ms) {
      await commit.write({ firstSequence: ++sequence, count: 1, payload }).durable();
      writes++;
    }
  };
  await Promise.all(Array.from({ length: callers }, caller));
  return (writes / (performance.now() - start)) * 1_000;
}

const median = (list: readonly number[]): number =>
  list.toSorted((a, b) => a - b)[list.length >> 1] ?? Number.NaN;

/** Segments on the disk of the temporary directory, in turns with the peer: medians and ratios. */
export async function benchWal({ smoke }: { readonly smoke: boolean }): Promise<WalCell[]> {
  const [rounds, ms] = smoke ? [1, 50] : [7, 700];
  const directory = mkdtempSync(join(tmpdir(), "firn-bench-wal-"));
  const clock = new SystemClock();
  try {
    const store = new SegmentWalStore(new LocalDisk(join(directory, "wal")), {
      clock,
      prng: new SeededPrng(1),
    });
    const from = { file: 0, sequence: 0 };
    const wal = await store.open({ epoch: 1, from, onGroup: () => undefined });
    const commit = new GroupCommit(wal, { clock });
    const rates = CALLERS.map((): number[] => []);
    const peer: number[] = [];
    for (let round = 0; round < rounds; round++) {
      peer.push(growingFile(directory, ms));
      for (const [index, callers] of CALLERS.entries()) {
        rates[index]?.push(await ours(commit, callers, ms));
      }
      await commit.flush();
      const sequence = commit.durableSequence;
      await wal.release(wal.lowWater(sequence));
    }
    await commit.close();
    const cells = CALLERS.map((callers, index): WalCell => {
      const list = rates[index] ?? [];
      const ratios = list.map((rate, round) => rate / (peer[round] ?? Number.NaN));
      return { callers, perSecond: median(list), ratio: median(ratios) };
    });
    show(median(peer), cells);
    return cells;
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

function show(peer: number, cells: readonly WalCell[]): void {
  const rows = cells.map(({ callers, perSecond, ratio }) => [
    `log, ${callers} callers`,
    perSecond.toFixed(0),
    `${ratio.toFixed(2)}x`,
  ]);
  const header = ["durable puts of 128 B", "per second", "of the peer"];
  const peerRow = ["peer: append + fdatasync, 1 caller", peer.toFixed(0), "1.00x"];
  console.log(formatTable(header, [peerRow, ...rows]));
}
