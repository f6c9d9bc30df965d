import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import type { MemoryCell } from "./memory-child.ts";

const SMOKE_BYTES = 30_000_000;
const LOAD_BYTES = 300_000_000;

/** As `bin/firn.mjs` and the container start Node. */
const FLAGS = ["--max-semi-space-size=16"];

/** What is loaded, twice as much as the budget and more, into how many shards that share it. */
export interface MemoryLoad {
  readonly loadBytes: number;
  readonly shards: number;
  readonly budgetMib: number;
}

/** The last one is the budget that a server has unless it is told another. */
export const MEMORY_LOADS: readonly MemoryLoad[] = [
  { loadBytes: LOAD_BYTES, shards: 1, budgetMib: 128 },
  { loadBytes: LOAD_BYTES, shards: 200, budgetMib: 128 },
  { loadBytes: 2 * LOAD_BYTES, shards: 1, budgetMib: 256 },
];

/** In a process of its own: what others have left behind in this one is not the engine's. */
export function benchMemory(smoke: boolean, { loadBytes, ...load }: MemoryLoad): MemoryCell {
  const child = fileURLToPath(new URL("./memory-child.ts", import.meta.url));
  const numbers = [smoke ? SMOKE_BYTES : loadBytes, load.shards, load.budgetMib].map(String);
  const ran = spawnSync(process.execPath, [...FLAGS, child, ...numbers], { encoding: "utf8" });
  if (ran.status !== 0) throw new Error(`the load ended with ${ran.status}: ${ran.stderr}`);
  return JSON.parse(ran.stdout) as MemoryCell;
}
