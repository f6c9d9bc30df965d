import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { formatTable } from "./report.ts";

/*
 * What a shell waits for at a press of the tab key: from the start of `firn __complete` to its end.
 * Its modules are counted too, since a clock says little on a shared machine.
 */

const ROOT = join(import.meta.dirname, "..");
const BIN = join(ROOT, "bin", "firn.mjs");
const GOAL_MS = 300;
/** Counts the modules that Node loads, its own aside, and says how many at the end. */
const COUNTER = `data:text/javascript,${encodeURIComponent(
  `import { registerHooks } from "node:module";
   let count = 0;
   registerHooks({ load: (url, context, next) => {
     if (!url.startsWith("node:")) count++;
     return next(url, context);
   } });
   process.on("exit", () => process.stderr.write("modules " + count));`,
)}`;

export interface CompleteCell {
  readonly line: string;
  readonly runs: number;
  readonly medianMs: number;
  readonly maxMs: number;
  readonly modules: number;
  readonly met: boolean;
}

/** Completes a command by itself, and a name that a server on this machine is asked for. */
export async function benchComplete(smoke: boolean): Promise<readonly CompleteCell[]> {
  const runs = smoke ? 1 : 15;
  const server = spawn(
    process.execPath,
    [BIN, "serve", "--port", "0", "--pg-port", "0", "--profile", "memory"],
    { stdio: ["ignore", "pipe", "ignore"] },
  );
  try {
    let said = "";
    let url: string | undefined;
    for await (const chunk of server.stdout) {
      said += String(chunk);
      url = /serves (http:\/\/\S+)/.exec(said)?.[1];
      if (url !== undefined) break;
    }
    if (url === undefined) throw new Error(`the server did not start: ${said}`);
    const env = { ...process.env, FIRN_URL: url };
    const cells = [["tab"], ["ls", "def"]].map((words) => measure(words, env, runs));
    const rows = cells.map(({ line, medianMs, maxMs, modules, met }) => [
      line,
      medianMs.toFixed(0),
      maxMs.toFixed(0),
      String(modules),
      met ? "met" : "MISSED",
    ]);
    const titles = ["firn __complete --", "median ms", "max ms", "modules", `≤ ${GOAL_MS} ms`];
    console.log(formatTable(titles, rows));
    return cells;
  } finally {
    if (server.exitCode === null) {
      server.kill("SIGTERM");
      await once(server, "exit");
    }
  }
}

function measure(words: readonly string[], env: NodeJS.ProcessEnv, runs: number): CompleteCell {
  const run = (...flags: readonly string[]) => {
    const began = performance.now();
    const args = [...flags, BIN, "__complete", "--", ...words];
    const { status, stderr, stdout } = spawnSync(process.execPath, args, { env, encoding: "utf8" });
    if (status !== 0 || stdout === "") throw new Error(`${words.join(" ")}: ${status} ${stderr}`);
    return { ms: performance.now() - began, stderr };
  };
  // The first fills the cache of compiled code.
  const { stderr } = run("--import", COUNTER);
  const modules = Number(/modules (\d+)/.exec(stderr)?.[1]);
  const times = Array.from({ length: runs }, () => run().ms).toSorted((a, b) => a - b);
  const medianMs = times[Math.floor(times.length / 2)] ?? Number.NaN;
  const maxMs = times.at(-1) ?? Number.NaN;
  return { line: words.join(" "), runs, medianMs, maxMs, modules, met: medianMs <= GOAL_MS };
}
