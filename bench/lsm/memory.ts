import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import type { MemoryCell } from "./memory-child.ts";

const SMOKE_BYTES = 30_000_000;
const LOAD_BYTES = 300_000_000;

/** In a process of its own: what others have left behind in this one is not the engine's. */
export function benchMemory(smoke: boolean, shards: number): MemoryCell {
  const child = fileURLToPath(new URL("./memory-child.ts", import.meta.url));
  const bytes = String(smoke ? SMOKE_BYTES : LOAD_BYTES);
  const ran = spawnSync(process.execPath, [child, bytes, String(shards)], { encoding: "utf8" });
  if (ran.status !== 0) throw new Error(`the load ended with ${ran.status}: ${ran.stderr}`);
  return JSON.parse(ran.stdout) as MemoryCell;
}
