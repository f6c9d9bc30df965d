import { openEngine } from "./firn.ts";
import { inScratch } from "./scratch.ts";
import { rowsOf } from "./workloads.ts";

/** What it takes to delete a range of many rows, and what is left of them. */
export interface DropCell {
  readonly rows: number;
  /** The deletion, durable; a scan of all right after it, which finds nothing. */
  readonly deleteMs: number;
  readonly scanMs: number;
  /** A compaction of everything, and the bytes of tables before and after it. */
  readonly compactMs: number;
  readonly bytesBefore: number;
  readonly bytesAfter: number;
}

const BATCH = 1_000;

/** Rows in one sorted run go by one deletion of their range. */
export async function benchDrop(rows: number): Promise<DropCell> {
  const data = rowsOf({ rows, keyBytes: 16, valueBytes: 100 });
  return await inScratch(async (scratch) => {
    const engine = await openEngine(scratch(), { durable: true });
    try {
      for (let at = 0; at < rows; at += BATCH) {
        const count = Math.min(BATCH, rows - at);
        const ops = Array.from({ length: count }, (_, i) => {
          return { op: "put" as const, key: data.key(at + i), value: data.value(at + i) };
        });
        await engine.write(ops);
      }
      await engine.compact();
      const bytesBefore = engine.stats().tree.fileBytes;
      const deleteMs = await elapsed(async () => {
        await engine.deleteRange(data.key(0), new Uint8Array(0), { durable: true });
      });
      const scanMs = await elapsed(async () => {
        if ((await engine.scan().next()) !== undefined) throw new Error("rows are left");
      });
      const compactMs = await elapsed(() => engine.compact());
      const bytesAfter = engine.stats().tree.fileBytes;
      return { rows, deleteMs, scanMs, compactMs, bytesBefore, bytesAfter };
    } finally {
      await engine.close();
    }
  });
}

async function elapsed(work: () => Promise<void>): Promise<number> {
  const startMs = performance.now();
  await work();
  return performance.now() - startMs;
}
