import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { startServer } from "../../clients/server-process.ts";
import { ROOT } from "../../tidy/source.ts";
import { must } from "../ledger.ts";
import type { Moment, Plan } from "./fate.ts";
import { keyOf } from "./matrix.ts";

const PRELOAD = fileURLToPath(new URL("./fatal-fs.ts", import.meta.url));
const SECRET_BYTES = 32;
const LIMIT_MS = 60_000;
const LANES = 2;

/** What a first start does to make its secret, each call with the moments to die at. */
const SECRET_STEPS: readonly (readonly [what: string, ...moments: Moment[]])[] = [
  ["read the file", "before", "after"],
  ["make the directory", "before", "after"],
  ["open a temporary file", "before", "after"],
  ["write the file", "before", "half", "after"],
  ["sync the file", "before", "after"],
  ["name the file", "before", "after"],
  ["remove the temporary name", "before", "after"],
  ["sync the directory", "before", "after"],
];

export const SECRET_CELLS: readonly Plan[] = SECRET_STEPS.flatMap(([what, ...moments]) =>
  // The first read finds nothing, so nothing comes after it; the second one is of what was made.
  moments.map((moment) => ({
    step: `secret: ${what}`,
    moment,
    nth: what === "read the file" && moment === "after" ? 2 : 1,
  })),
);

/**
 * First starts of a server that die while they make its secret; the next start serves, with the
 * secret that stood there if one did, and leaves nothing else of it.
 *
 * @returns the cells in which a process died.
 * @throws Violation
 */
export async function runSecretCells(plans: readonly Plan[]): Promise<ReadonlySet<string>> {
  const died = new Set<string>();
  const left = [...plans];
  const lane = async (): Promise<void> => {
    for (let plan = left.shift(); plan !== undefined; plan = left.shift()) {
      if (await dieAt(plan)) died.add(keyOf(plan.step, plan.moment, false));
    }
  };
  await Promise.all(Array.from({ length: LANES }, lane));
  return died;
}

async function dieAt(plan: Plan): Promise<boolean> {
  const parent = mkdtempSync(join(tmpdir(), "firn-kill-"));
  const directory = join(parent, "firn-secret-home");
  const file = join(directory, "secret");
  try {
    const died = await firstStart(directory, plan);
    const before = existsSync(file) ? readFileSync(file) : undefined;
    const server = await startServer(directory, ["--log-level", "error"]);
    const answer = await fetch(`${server.url}/iceberg/v1/config`);
    await server.kill();
    must(answer.ok, `${plan.step}: the next start does not serve`);
    const secret = readFileSync(file);
    must(secret.length === SECRET_BYTES, `${plan.step}: a secret of ${secret.length} bytes`);
    must((statSync(file).mode & 0o777) === 0o600, `${plan.step}: others may read the secret`);
    must(before === undefined || before.equals(secret), `${plan.step}: another secret`);
    const others = readdirSync(directory).filter((name) => name.startsWith(".secret"));
    must(others.length === 0, `${plan.step}: ${others} stays`);
    return died;
  } finally {
    rmSync(parent, { recursive: true, force: true });
  }
}

/** @returns whether it came to its plan; it is ended where it serves instead. */
async function firstStart(directory: string, plan: Plan): Promise<boolean> {
  const args = ["--import", PRELOAD, "bin/firn.mjs", "serve", "--port", "0", "--dir", directory];
  args.push("--log-level", "error");
  const child = spawn(process.execPath, args, {
    cwd: ROOT,
    env: { ...process.env, SECRET_FATE: JSON.stringify(plan) },
    stdio: ["ignore", "pipe", "inherit"],
    timeout: LIMIT_MS,
  });
  let told = "";
  child.stdout.on("data", (chunk) => {
    told += String(chunk);
    if (/https?:/.test(told)) child.kill("SIGKILL");
  });
  await once(child, "close");
  return told.includes(`dies ${plan.moment} ${plan.step}`);
}
