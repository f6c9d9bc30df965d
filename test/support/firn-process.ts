import { type ChildProcessByStdio, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import type { Readable } from "node:stream";

const ROOT = join(import.meta.dirname, "..", "..");

/** `firn` in a process of its own, without the settings of this one. */
export function startFirn(
  ...args: readonly string[]
): ChildProcessByStdio<null, Readable, Readable> {
  const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith("FIRN_"));
  return spawn(process.execPath, ["bin/firn.mjs", ...args], {
    cwd: ROOT,
    env: Object.fromEntries(inherited),
    stdio: ["ignore", "pipe", "pipe"],
  });
}

/** One command line in a process of its own, as an operator runs it. */
export async function firnProcess(...args: readonly string[]): Promise<{
  readonly out: string;
  readonly errors: string;
  readonly exitCode: number;
}> {
  const child = startFirn(...args);
  const out: string[] = [];
  const errors: string[] = [];
  child.stdout.setEncoding("utf8").on("data", (text: string) => out.push(text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => errors.push(text));
  const [exitCode] = await once(child, "close");
  return { out: out.join(""), errors: errors.join(""), exitCode: exitCode as number };
}

/** The same with an environment of AWS's and Firn's variables. */
export async function firnWith(
  env: Readonly<Record<string, string>>,
  ...args: readonly string[]
): Promise<{ readonly out: string; readonly errors: string; readonly exitCode: number }> {
  const inherited = Object.entries(process.env).filter(([name]) => !/^(?:AWS|FIRN)_/.test(name));
  const child = spawn(process.execPath, ["bin/firn.mjs", ...args], {
    cwd: ROOT,
    env: { ...Object.fromEntries(inherited), ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const out: string[] = [];
  const errors: string[] = [];
  child.stdout.setEncoding("utf8").on("data", (text: string) => out.push(text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => errors.push(text));
  const [exitCode] = await once(child, "close");
  return { out: out.join(""), errors: errors.join(""), exitCode: exitCode as number };
}
