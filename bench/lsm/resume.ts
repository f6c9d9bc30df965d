import { fork } from "node:child_process";
import { readdirSync, statSync } from "node:fs";
import { loadavg } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Engine } from "../../src/lsm/engine/engine.ts";
import type { WriteOp } from "../../src/lsm/write/write-path.ts";
import { openEngine } from "./firn.ts";
import { resumeOptions } from "./resume-options.ts";
import { inScratch } from "./scratch.ts";

/** A compaction that is killed half way, and goes on after a restart. */
export interface ResumeFigures {
  readonly load: number;
  readonly totalMib: number;
  readonly stepMib: number;
  readonly killedAfterInputMib: number;
  /** What lay in the store beside its tables when it was killed. */
  readonly extraMibBeforeKill: number;
  /** Read after the restart. */
  readonly resumedInputMib: number;
  readonly stepsAfterRestart: number;
  readonly restartCpuMs: number;
}

const MIB = 1_048_576;
const CHILD = fileURLToPath(new URL("./resume-child.ts", import.meta.url));

export async function benchResume(smoke: boolean): Promise<ResumeFigures> {
  const [totalBytes, stepBytes] = smoke ? [24 * MIB, 2 * MIB] : [512 * MIB, 32 * MIB];
  const figures = await inScratch((scratch) => resumed(scratch(), totalBytes, stepBytes));
  for (const [name, value] of Object.entries(figures)) {
    console.log(`${name.padEnd(20)} ${Number(value).toFixed(1)}`);
  }
  return figures;
}

async function resumed(directory: string, total: number, step: number): Promise<ResumeFigures> {
  const options = resumeOptions(step);
  const open = (): Promise<Engine> => openEngine(directory, { durable: false, options });
  let engine = await open();
  await fill(engine, total);
  await engine.close();
  const before = sizeOf(directory);
  const killedAfter = await killed(directory, step, total / 2);
  const extra = sizeOf(directory) - before;
  const { user, system } = process.cpuUsage();
  engine = await open();
  await engine.compact();
  const { inputBytes, compactions } = engine.stats().compaction;
  const used = process.cpuUsage({ user, system });
  await engine.close();
  return {
    load: loadavg()[0] ?? 0,
    totalMib: before / MIB,
    stepMib: step / MIB,
    killedAfterInputMib: killedAfter / MIB,
    extraMibBeforeKill: extra / MIB,
    resumedInputMib: inputBytes / MIB,
    stepsAfterRestart: compactions,
    restartCpuMs: (used.user + used.system) / 1_000,
  };
}

/** A run of all rows, and a table of level 0 with every eighth of them. */
async function fill(engine: Engine, bytes: number): Promise<void> {
  const rows = Math.floor(bytes / 1_016);
  for (const every of [1, 8]) {
    for (let at = 0; at < rows; at += 1_000 * every) {
      const count = Math.ceil((Math.min(rows, at + 1_000 * every) - at) / every);
      const ops = Array.from({ length: count }, (_, i) => rowOf(at + i * every, every));
      await engine.write(ops);
    }
    await engine.flush();
    if (every === 1) await engine.compact();
  }
  await engine.collectGarbage();
}

function rowOf(n: number, fill: number): WriteOp {
  const key = Buffer.alloc(16);
  key.writeUInt32BE(n, 12);
  return { op: "put", key, value: Buffer.alloc(1_000, fill) };
}

/** @returns bytes that a process had read of the inputs, and published, when it was killed. */
async function killed(directory: string, step: number, until: number): Promise<number> {
  const child = fork(CHILD, [directory, String(step), String(until)]);
  let read = 0;
  child.on("message", (bytes) => {
    read = Number(bytes);
  });
  await new Promise((resolve) => child.on("exit", resolve));
  if (read === 0) throw new Error("the compaction ended before it was to be killed");
  return read;
}

/** Of its tables. */
function sizeOf(directory: string): number {
  const sst = join(directory, "store", "sst");
  return readdirSync(sst).reduce((bytes, name) => bytes + statSync(join(sst, name)).size, 0);
}
