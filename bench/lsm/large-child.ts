import { openEngine } from "./firn.ts";
import { keyOf, VALUE_BYTES } from "./large-rows.ts";

/** About as much as a memtable holds before it is flushed. */
const MOST_BYTES = 56 * 1_048_576;
const BATCH = 1_000;

/** Overwrites rows until a memtable is nearly full, and ends as a process does that is killed. */
async function main(directory: string, rows: number): Promise<void> {
  const engine = await openEngine(directory, { durable: false });
  const value = new Uint8Array(VALUE_BYTES).fill(7);
  for (let at = 0; at < rows && engine.stats().memtables.bytes < MOST_BYTES; at += BATCH) {
    const ops = Array.from({ length: Math.min(BATCH, rows - at) }, (_, i) => {
      return { op: "put" as const, key: keyOf(at + i), value };
    });
    await engine.write(ops);
  }
  await engine.durable();
  process.kill(process.pid, "SIGKILL");
}

await main(process.argv[2] ?? "", Number(process.argv[3]));
