import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { add, type Counts, finish, missing, ONE_FAILED } from "../clients/counts.ts";
import { startDynoxide } from "./dynoxide.ts";
import { startLocalStack } from "./localstack.ts";
import { startMiniStack } from "./ministack.ts";
import { tryPyIceberg } from "./pyiceberg.ts";
import type { StandIn } from "./stand-in.ts";
import { startVersitygw } from "./versitygw.ts";

/*
 * Suites over servers that stand in for AWS: `npm run test:cloud [-- FILTER…]`. Each server is
 * installed once, started for the run, and named to the suites by an environment variable.
 */

/** Among the filters: PyIceberg over the profiles, which is not a suite of this runner's. */
const PYICEBERG = "pyiceberg";
const ONE_SKIPPED: Counts = { passed: 0, failed: 0, skipped: 1 };
const ROOT = join(import.meta.dirname, "..", "..");
/** A first run installs what its suites need. */
const HOOKS: readonly string[] = ["--hookTimeout", "300000"];

interface Server {
  readonly start: () => Promise<StandIn | string>;
  /** Tried where the toolchain that builds it is there; skipped, with the reason, where not. */
  readonly optional: boolean;
}

const SERVERS: Readonly<Record<string, Server>> = {
  FIRN_TEST_MINISTACK: { start: () => startMiniStack(), optional: false },
  FIRN_TEST_MINISTACK_AUTH: { start: () => startMiniStack({ judges: true }), optional: false },
  FIRN_TEST_LOCALSTACK: { start: startLocalStack, optional: false },
  FIRN_TEST_DYNOXIDE: { start: startDynoxide, optional: true },
  FIRN_TEST_VERSITYGW: { start: startVersitygw, optional: true },
};

async function main(filters: readonly string[]): Promise<Counts> {
  const running: StandIn[] = [];
  const env: Record<string, string> = {};
  let counts: Counts = { passed: 0, failed: 0, skipped: 0 };
  try {
    for (const [name, { start, optional }] of Object.entries(SERVERS)) {
      const server = await start();
      if (typeof server === "string") {
        if (optional) console.log(`not tried: ${server}`);
        counts = add(counts, optional ? ONE_SKIPPED : missing(server));
        continue;
      }
      console.log(`${server.name} serves at ${server.url}`);
      running.push(server);
      env[name] = server.url;
    }
    const suites = filters.filter((filter) => filter !== PYICEBERG);
    if (filters.length === 0 || suites.length > 0) {
      counts = add(counts, await runSuites(suites, env));
    }
    const asked = filters.length === 0 || filters.includes(PYICEBERG);
    return asked ? add(counts, await tryPyIceberg(env)) : counts;
  } finally {
    for (const server of running) await server.stop();
  }
}

async function runSuites(
  filters: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<Counts> {
  const vitest = join(ROOT, "node_modules", "vitest", "vitest.mjs");
  const child = spawn(
    process.execPath,
    [vitest, "run", "--project", "cloud", "--maxWorkers", "1", ...HOOKS, ...filters],
    { cwd: ROOT, env: { ...process.env, ...env }, stdio: ["ignore", "pipe", "inherit"] },
  );
  let tail = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    tail = (tail + text).slice(-1_000);
    process.stdout.write(text);
  });
  const [exitCode] = await once(child, "close");
  const [, passed, failed, skipped] =
    /(\d+) passed, (\d+) failed, (\d+) skipped\s*$/.exec(tail) ?? [];
  if (passed === undefined) return ONE_FAILED;
  const counts = { passed: Number(passed), failed: Number(failed), skipped: Number(skipped) };
  return exitCode !== 0 && counts.failed === 0 ? add(counts, ONE_FAILED) : counts;
}

finish(await main(process.argv.slice(2)));
