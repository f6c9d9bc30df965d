import { Readable } from "node:stream";
import { fsck } from "../../src/cli/fsck.ts";
import { gc } from "../../src/cli/gc.ts";
import { housekeeping } from "../../src/cli/housekeeping.ts";
import { keys } from "../../src/cli/keys.ts";
import { lsm } from "../../src/cli/lsm.ts";
import type { Output } from "../../src/cli/output.ts";
import { run } from "../../src/cli/program.ts";
import { restore } from "../../src/cli/restore.ts";
import { completeNames } from "../../src/cli/verbs/complete-names.ts";
import { type LineParts, runCatalogLine } from "../../src/cli/verbs/run-line.ts";

/** What a command line came to. */
interface Said {
  readonly exitCode: number;
  readonly out: string;
  readonly errors: string;
}

/** The directories of running servers, by URL: their tokens lie there. */
const DIRECTORIES = new Map<string, string>();

/** Lets later lines ask a server by its URL. */
export function servedFrom(url: string | undefined, dir: string): void {
  if (url !== undefined) DIRECTORIES.set(url, dir);
}

/** `firn lsm` and its arguments, run in this process. */
export function firnLsm(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<Said> {
  return firnLine(["lsm", ...args], env);
}

/** Any command line that serves nothing, run in this process. */
export async function firnLine(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
  input = "",
): Promise<Said> {
  const printed: string[] = [];
  const refused: string[] = [];
  const output = {
    print: (text: string) => void printed.push(text),
    printError: (text: string) => void refused.push(text),
    drained: async () => {},
  };
  const dirs = args.flatMap((arg) => DIRECTORIES.get(arg.replace(/\/$/, "")) ?? []);
  const known = dirs[0] === undefined ? {} : { FIRN_DIR: dirs[0] };
  const exitCode = await run([...args], {
    env: { ...known, ...env },
    cwd: "/",
    printError: output.printError,
    serve: () => Promise.reject(new Error("nothing is served")),
    storageInit: () => Promise.reject(new Error("nothing is made")),
    storageCheck: () => Promise.reject(new Error("no store is checked")),
    housekeeping: (line) => housekeeping(line, output),
    keys: (line) => keys(line, output),
    restore: (line) => restore(line, output),
    lsm: (command) => lsm(command, output),
    fsck: (command) => fsck(command, output),
    gc: (command) => gc(command, output),
    print: output.print,
    look: { hasColour: false, columns: 80 },
    names: (kind, typed) => completeNames(kind, typed, { env, cwd: "/", printError: () => {} }),
    catalog: (line) => runCatalogLine(line, lineParts(output, env, input)),
  });
  return { exitCode, out: printed.join(""), errors: refused.join("") };
}

/** A pipe, not a terminal. */
function lineParts(
  output: Output,
  env: Readonly<Record<string, string>>,
  input: string,
): LineParts {
  const screen = {
    ...output,
    isTerminal: false,
    showsProgress: false,
    hasColour: false,
    columns: 80,
    rows: 24,
    nowMs: () => Date.now(),
    ask: async () => undefined,
  };
  const settings = { env, cwd: "/", printError: output.printError };
  return { settings, screen, stdin: Readable.from([Buffer.from(input)]) };
}
