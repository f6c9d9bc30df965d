import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { expect, it } from "vitest";

const KEPT = join(import.meta.dirname, "..", "cloud", "kept.ts");

function runs(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

it.each(["SIGKILL", "SIGTERM", "SIGINT"] as const)(
  "a stand-in ends with whoever started it, by %s too",
  async (signal) => {
    const runner = spawn(process.execPath, [KEPT], { stdio: ["ignore", "pipe", "inherit"] });
    const [told] = await once(runner.stdout, "data");
    const pid = Number(String(told));
    expect(runs(pid)).toBe(true);
    runner.kill(signal);
    await expect.poll(() => runs(pid), { timeout: 10_000 }).toBe(false);
  },
);
