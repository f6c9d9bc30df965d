import { execFile } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { formatTable } from "./report.ts";

const ROOT = join(import.meta.dirname, "..");
const REQUESTS = fileURLToPath(new URL("./borders/requests.ts", import.meta.url));
const MAX_BYTES = 1 << 27;
/** The best of so many: a timer of the server that comes in between adds to a trace. */
const ROUNDS = 10;

/** What one warm request passes through. */
export interface BordersCell {
  readonly request: string;
  readonly calls: number;
  readonly files: number;
  /** Changes of the top-level folder of `src/` from one called function to the next. */
  readonly borders: number;
  /** Those before the first function of `service/`. */
  readonly beforeService: number;
  /** The folders, in order. */
  readonly path: readonly string[];
}

/**
 * What no request passes through: timers that watch the event loop, which come in between as often
 * as a slow machine makes them, and the meter that the stores tell of what they are asked for.
 */
const WATCHERS: ReadonlySet<string> = new Set([
  "src/server/loop-delays.ts",
  "src/server/time-slices.ts",
  "src/service/usage.ts",
]);

/** All layers use `base/`, and ask what the time is. */
function isPlain(file: string): boolean {
  return file.startsWith("src/base/") || file === "src/runtime/clock.ts" || WATCHERS.has(file);
}

/** The figures of one trace: the file of every function that was called, in order. */
export function cellOf(request: string, trace: readonly string[]): BordersCell {
  const path: string[] = [];
  for (const file of trace) {
    if (isPlain(file)) continue;
    const folder = file.split("/")[1] ?? "";
    if (path.at(-1) !== folder) path.push(folder);
  }
  return {
    request,
    calls: trace.length,
    files: new Set(trace).size,
    borders: Math.max(0, path.length - 1),
    beforeService: path.indexOf("service"),
    path,
  };
}

/** Traces warm requests of one client to the sources below `root`, profile `local`. */
export async function traceBorders(
  root: string = ROOT,
  rounds: number = ROUNDS,
): Promise<readonly BordersCell[]> {
  const args = ["--no-warnings", REQUESTS, root, String(rounds)];
  const { stdout } = await promisify(execFile)(process.execPath, args, { maxBuffer: MAX_BYTES });
  const traces = JSON.parse(stdout) as Readonly<Record<string, readonly (readonly string[])[]>>;
  return Object.entries(traces).map(([request, each]) => {
    const cells = each.map((trace) => cellOf(request, trace));
    return cells.reduce((best, cell) => (cell.borders < best.borders ? cell : best));
  });
}

/** Prints what requests pass through. `root`: the sources of another version. */
export async function benchBorders(root?: string): Promise<readonly BordersCell[]> {
  const cells = await traceBorders(root);
  const columns = ["request", "calls", "files", "borders", "before the service"];
  const rows = cells.map(({ request, calls, files, borders, beforeService }) => [
    request,
    ...[calls, files, borders, beforeService].map(String),
  ]);
  console.log(formatTable(columns, rows));
  for (const { request, path } of cells) console.log(`\n${request}: ${path.join(" ")}`);
  return cells;
}
