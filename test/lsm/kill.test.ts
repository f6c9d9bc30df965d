import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { randomBelow, SeededPrng } from "../../src/base/prng.ts";

const ROUNDS = Number(process.env["FIRN_LSM_KILLS"] ?? 3);
const SEED = Number(process.env["FIRN_LSM_SEED"] ?? Date.now() % 1_000_000);
const CHILD = fileURLToPath(new URL("./support/kill-process.ts", import.meta.url));

interface Life {
  /** Batches that it found; the last one that it acknowledged. */
  readonly found: number;
  readonly acknowledged: number;
  readonly errors: string;
}

/** Lets a process write until it has acknowledged so many batches, then kills it. */
async function live(directory: string, acknowledgements: number): Promise<Life> {
  const child = spawn(process.execPath, [CHILD, directory], { stdio: ["ignore", "pipe", "pipe"] });
  let errors = "";
  child.stderr.on("data", (chunk) => {
    errors += String(chunk);
  });
  let found = -1;
  let acknowledged = 0;
  let count = 0;
  for await (const line of createInterface({ input: child.stdout })) {
    const [word, number] = line.split(" ");
    if (word === "found") found = Number(number);
    if (word !== "ack") continue;
    acknowledged = Math.max(acknowledged, Number(number));
    if (++count === acknowledgements) child.kill("SIGKILL");
  }
  return { found, acknowledged, errors };
}

describe("kill -9", () => {
  it(`loses no acknowledged batch in ${ROUNDS} rounds (seed ${SEED})`, async () => {
    const prng = new SeededPrng(SEED);
    const directory = mkdtempSync(join(tmpdir(), "firn-kill-"));
    try {
      let acknowledged = 0;
      for (let round = 0; round < ROUNDS; round++) {
        const life = await live(directory, 1 + randomBelow(prng, 400));
        expect(life.errors).toBe("");
        expect(life.found).toBeGreaterThanOrEqual(acknowledged);
        expect(life.acknowledged).toBeGreaterThan(life.found);
        acknowledged = life.acknowledged;
      }
    } finally {
      rmSync(directory, { recursive: true, force: true });
    }
  }, 600_000);
});
