import { spawn } from "node:child_process";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { Firn } from "../../src/index.ts";
import { Engine } from "../../src/lsm/engine/engine.ts";
import { MemoryBudget } from "../../src/lsm/write/budget.ts";
import { SystemClock } from "../../src/runtime/clock.ts";
import { localParts } from "../../src/runtime/local-shard.ts";
import { SystemPrng } from "../../src/runtime/prng.ts";
import { scratchDirectory } from "../support/open-iceberg.ts";

const BIN = join(import.meta.dirname, "..", "..", "bin", "firn.mjs");
const ROWS = 600;
/** Less than one batch of a scan, and more than a pipe holds. */
const FEW = 100;

interface Piped {
  /** Of the command, not of its reader. */
  readonly exitCode: number;
  readonly lines: readonly string[];
  readonly errors: string;
}

/** `firn … | READER`, by a shell: a real pipe, of 64 KiB. */
async function piped(reader: string, ...args: readonly string[]): Promise<Piped> {
  const line = `{ "$@"; echo "ended $?" >&2; } | { ${reader}; }`;
  const child = spawn("sh", ["-c", line, "sh", process.execPath, BIN, ...args]);
  let [out, errors] = ["", ""];
  child.stdout.on("data", (chunk) => {
    out += chunk;
  });
  child.stderr.on("data", (chunk) => {
    errors += chunk;
  });
  await new Promise((resolve) => child.once("close", resolve));
  const [ended = "", code = "-1"] = /ended (\d+)\n/.exec(errors) ?? [];
  const lines = out.split("\n").slice(0, -1);
  return { exitCode: Number(code), lines, errors: errors.replace(ended, "") };
}

/** Takes nothing while the command fills the pipe. */
const SLOW = 'read -r first; sleep 1; echo "$first"; cat';

/** A directory whose shard holds so many rows, all of them in the log as well. */
async function directoryOfRows(): Promise<string> {
  const dir = scratchDirectory();
  const firn = await Firn.open({ profile: "local", dir, logLevel: "silent" });
  await firn.close();
  const [clock, prng] = [new SystemClock(), new SystemPrng()];
  const parts = localParts(dir, "system", {
    clock,
    prng,
    budget: new MemoryBudget(64 * 1_048_576),
    takeOver: "refuse",
    self: {},
    options: {},
  });
  const engine = await Engine.open(parts);
  for (let i = 0; i < ROWS; i++) {
    engine.put(Buffer.from(`zz/${1_000 + i}`), Buffer.alloc(4_096, i));
  }
  await engine.durable();
  await engine.close();
  return dir;
}

describe("output that is larger than a pipe", () => {
  it("reaches a slow reader whole, and ends quietly where the reader goes", async () => {
    const dir = await directoryOfRows();
    const scan = ["lsm", "scan", dir, "--prefix", "zz/", "--limit"];
    const [whole, few, cut, help] = await Promise.all([
      piped(SLOW, ...scan, String(ROWS)),
      piped(SLOW, ...scan, String(FEW)),
      piped("head -n 2", ...scan, String(ROWS)),
      piped("sleep 1; cat", "serve", "--help"),
    ]);
    expect([whole.exitCode, whole.lines.length]).toEqual([0, ROWS]);
    expect(JSON.parse(whole.lines.at(-1) ?? "")).toMatchObject({ key: `zz/${999 + ROWS}` });
    expect([few.exitCode, few.lines.length]).toEqual([0, FEW]);
    expect([cut.exitCode, cut.lines.length]).toEqual([0, 2]);
    expect(cut.errors).toMatch(/^sequence \d+\n$/);
    expect([help.exitCode, help.errors]).toEqual([0, ""]);
  });
});
