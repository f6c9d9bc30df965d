import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { type Counts, ONE_FAILED } from "../counts.ts";

/** A program hangs that takes longer, on a slow machine too. */
const LIMIT_MS = 300_000;

/** A program that reports its checks, as `checks.ts` says. */
export interface Program {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/** Runs it, and counts what it reports. An end that no failed check explains is one more. */
export async function runProgram({ command, args, env }: Program): Promise<Counts> {
  const child = spawn(command, args, {
    env: { ...process.env, ...env },
    stdio: ["ignore", "pipe", "inherit"],
    timeout: LIMIT_MS,
  });
  const closed = once(child, "close");
  let counts: Counts = { passed: 0, failed: 0, skipped: 0 };
  for await (const line of createInterface(child.stdout)) {
    console.log(`  ${line}`);
    const word = /^(ok|not ok|skip) /.exec(line)?.[1];
    if (word === "ok") counts = { ...counts, passed: counts.passed + 1 };
    if (word === "not ok") counts = { ...counts, failed: counts.failed + 1 };
    if (word === "skip") counts = { ...counts, skipped: counts.skipped + 1 };
  }
  const [exitCode, signal] = await closed;
  if (counts.failed === 0 && (exitCode !== 0 || counts.passed === 0)) {
    console.log(`  not ok end: exit code ${exitCode}, signal ${signal}`);
    return { ...counts, failed: ONE_FAILED.failed };
  }
  return counts;
}
