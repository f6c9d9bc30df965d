import { type ChildProcess, spawn } from "node:child_process";
import { createHash } from "node:crypto";
import {
  cpSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { parseArgs } from "node:util";
import { type Mutant, parseMutant, type Verdict, verdictOf } from "./mutant.ts";

const ROOT = join(import.meta.dirname, "..", "..");
/** Everything that a mutant's copy needs; the packages are linked. */
const COPIED = ["src", "test", "proto", "docs", "package.json", "tsconfig.json"];
const CONFIGS = ["vitest.config.ts", "tsconfig.build.json"];
const AT_ONCE = 2;
/** A mutant that loops is no survivor, and is told apart from one that is caught. */
const LIMIT_MS = 240_000;

interface Outcome {
  readonly mutant: Mutant;
  readonly verdict: Verdict;
  readonly seconds: number;
}

const { values, positionals } = parseArgs({
  options: {
    verbose: { type: "boolean", default: false },
    /** Judges only this share of them, chosen by `seed`: another seed chooses others. */
    share: { type: "string", default: "1" },
    seed: { type: "string", default: "" },
  },
  allowPositionals: true,
});

const running = new Set<ChildProcess>();

/** Runs a program in a mutant's copy. */
function run(command: readonly string[], cwd: string): Promise<{ code: number; output: string }> {
  const [file = "", ...args] = command;
  // No repository above the copy is meant, and nothing of this process's own test run.
  const env = { ...process.env, NO_COLOR: "1", GIT_CEILING_DIRECTORIES: tmpdir() };
  return new Promise((resolve) => {
    const child = spawn(file, args, { cwd, env, timeout: LIMIT_MS });
    running.add(child);
    let output = "";
    child.stdout.on("data", (text: Buffer) => (output += text.toString()));
    child.stderr.on("data", (text: Buffer) => (output += text.toString()));
    child.on("error", (error) => (output += error.message));
    child.on("close", (code) => {
      running.delete(child);
      resolve({ code: code ?? -1, output });
    });
  });
}

function bin(name: string): string {
  return join(ROOT, "node_modules", ".bin", name);
}

/** A mutant may leave a name unused. What is known of the tree lies beside it, in each copy. */
const TYPES: readonly string[] = [
  ...[bin("tsc"), "-p", "tsconfig.build.json", "--noEmit"],
  ...["--incremental", "--tsBuildInfoFile", "checked.tsbuildinfo"],
  ...["--noUnusedLocals", "false", "--noUnusedParameters", "false"],
];

/** Some bugs are seen by what never ends: sooner than a slow machine is waited for elsewhere. */
const IMPATIENT: readonly string[] = ["--testTimeout", "15000"];

const COMMANDS: Readonly<Record<Mutant["runs"][number]["program"], () => readonly string[]>> = {
  vitest: () => [bin("vitest"), "run", "--bail", "1", "--maxWorkers", "1", ...IMPATIENT],
  sim: () => [bin("node"), "test/sim/run.ts", "--bail", "--trace", "0"],
  faults: () => [bin("node"), "test/faults/run.ts", "--bail", "--pairs", "0"],
};

/** What other suites have installed beside their tests is a hundred times as much. */
function isSource(path: string): boolean {
  return ![".venv", "target"].includes(basename(path));
}

/** The tree, and what the compiler knows of it: a mutant's check then looks at what it changes. */
async function prepare(): Promise<string> {
  const base = mkdtempSync(join(tmpdir(), "firn-mutants-"));
  for (const name of [...COPIED, ...CONFIGS]) {
    cpSync(join(ROOT, name), join(base, name), { recursive: true, filter: isSource });
  }
  symlinkSync(join(ROOT, "node_modules"), join(base, "node_modules"));
  const { code, output } = await run(TYPES, base);
  if (code !== 0) throw new Error(`the tree itself does not compile: ${output}`);
  return base;
}

/** Applies one mutant to a copy of the tree and runs what should see it. */
async function judge(mutant: Mutant, base: string): Promise<Outcome> {
  const startedMs = performance.now();
  const copy = mkdtempSync(join(tmpdir(), "firn-mutant-"));
  try {
    cpSync(base, copy, { recursive: true, preserveTimestamps: true });
    writeFileSync(join(copy, "mutant.patch"), mutant.patch);
    const verdict = await judgeIn(copy, mutant);
    return { mutant, verdict, seconds: (performance.now() - startedMs) / 1_000 };
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
}

async function judgeIn(copy: string, { runs }: Mutant): Promise<Verdict> {
  const applied = await run(["git", "apply", "-C1", "mutant.patch"], copy);
  if (applied.code !== 0) return { state: "stale", why: applied.output.trim() };
  const types = await run(TYPES, copy);
  if (types.code !== 0) return { state: "wrong", why: types.output.trim() };
  for (const { program, args } of runs) {
    const { code, output } = await run([...COMMANDS[program](), ...args], copy);
    const verdict = verdictOf(program, code, output);
    if (verdict.state !== "survived") return verdict;
  }
  return { state: "survived" };
}

/** One line if it was caught: the errors of all of them would hide the one that was not seen. */
function show({ mutant, verdict, seconds }: Outcome): void {
  const line = `${verdict.state.padEnd(8)} ${mutant.name}  ${seconds.toFixed(0)} s`;
  if (verdict.state === "caught") {
    console.log(`${line}  by ${values.verbose ? verdict.by : verdict.by.replace(/: .*/, "")}`);
    return;
  }
  console.log(`${line}: ${mutant.what}`);
  if (verdict.state === "stale") console.log(`         the patch does not apply: ${verdict.why}`);
  if (verdict.state === "wrong") console.log(`         for another reason: ${verdict.why}`);
}

/** Whether a mutant belongs to the share that is judged. */
function isChosen(file: string): boolean {
  const digest = createHash("sha256").update(`${values.seed}\0${file}`).digest();
  return digest.readUInt32BE() / 2 ** 32 < Number(values.share);
}

async function main(wanted: readonly string[]): Promise<number> {
  const base = await prepare();
  try {
    return await judgeAll(wanted, base);
  } finally {
    rmSync(base, { recursive: true, force: true });
  }
}

/** Judges all whose names hold one of the texts, two at a time. */
async function judgeAll(wanted: readonly string[], base: string): Promise<number> {
  const files = readdirSync(import.meta.dirname).filter((file) => file.endsWith(".patch"));
  const mutants = files
    .filter((file) => wanted.some((text) => file.includes(text)) && isChosen(file))
    .sort()
    .map((file) => parseMutant(file, readFileSync(join(import.meta.dirname, file), "utf8")));
  const left = [...mutants];
  const outcomes: Outcome[] = [];
  const line = async (): Promise<void> => {
    for (let next = left.shift(); next !== undefined; next = left.shift()) {
      const outcome = await judge(next, base);
      outcomes.push(outcome);
      show(outcome);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, line));
  const caught = outcomes.filter(({ verdict }) => verdict.state === "caught").length;
  const failed = outcomes.length - caught;
  console.log(`\n${caught} passed, ${failed} failed, 0 skipped`);
  return failed > 0 || caught === 0 ? 1 : 0;
}

for (const signal of ["SIGINT", "SIGTERM"] as const) {
  process.once(signal, () => {
    for (const child of running) child.kill();
    process.exit(1);
  });
}

process.exitCode = await main(positionals.length > 0 ? positionals : [""]);
