import { type ChildProcess, spawn } from "node:child_process";
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
import { type Mutant, parseMutant, type Verdict, verdictOf } from "./mutant.ts";
import { inTurn, readOptions } from "./options.ts";
import { TreeCopy } from "./tree-copy.ts";

const ROOT = join(import.meta.dirname, "..", "..");
/** Everything that a mutant's copy needs; the packages are linked. */
const COPIED = ["src", "test", "proto", "docs", "package.json", "tsconfig.json"];
const CONFIGS = ["vitest.config.ts", "tsconfig.build.json"];
const AT_ONCE = 2;
/** A mutant that loops is not a survivor, and is told apart from one that is caught. */
const LIMIT_MS = 240_000;
/** So many are compiled in one run. */
const BATCH = 24;

interface Outcome {
  readonly mutant: Mutant;
  readonly verdict: Verdict;
  readonly seconds: number;
}

/** Everything that is made, the copies by the same paths, so that compiled modules are known. */
const WORK = mkdtempSync(join(tmpdir(), "firn-mutants-"));

const options = readOptions(process.argv.slice(2));
const endsMs = performance.now() + options.minutes * 60_000;

const running = new Set<ChildProcess>();

/** Runs a program in a mutant's copy. */
function run(command: readonly string[], cwd: string): Promise<{ code: number; output: string }> {
  const [file = "", ...args] = command;
  // No repository above the copy is meant, and nothing of this process's own test run.
  const env = {
    ...process.env,
    NO_COLOR: "1",
    GIT_CEILING_DIRECTORIES: tmpdir(),
    NODE_COMPILE_CACHE: join(WORK, "compiled"),
  };
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

/** Node strips the types itself: a transformation of each copy took most of a mutant's time. */
const NATIVE: readonly string[] = ["--experimental.viteModuleRunner=false"];

const COMMANDS: Readonly<Record<Mutant["runs"][number]["program"], () => readonly string[]>> = {
  vitest: () => [bin("vitest"), "run", "--bail", "1", "--maxWorkers", "1", ...IMPATIENT, ...NATIVE],
  sim: () => [bin("node"), "test/sim/run.ts", "--bail", "--trace", "0"],
  faults: () => [bin("node"), "test/faults/run.ts", "--bail", "--pairs", "0"],
};

/** What other suites have installed beside their tests is a hundred times as much. */
function isSource(path: string): boolean {
  // Sessions of tools come and go beside this.
  return !/^(?:\.venv.*|\.prisma-.*|target)$/.test(basename(path));
}

/** The tree, and what the compiler knows of it: a mutant's check then looks at what it changes. */
async function prepare(): Promise<string> {
  const base = join(WORK, "base");
  for (const name of [...COPIED, ...CONFIGS]) {
    cpSync(join(ROOT, name), join(base, name), { recursive: true, filter: isSource });
  }
  symlinkSync(join(ROOT, "node_modules"), join(base, "node_modules"));
  const { code, output } = await run(TYPES, base);
  if (code !== 0) throw new Error(`the tree itself does not compile: ${output}`);
  return base;
}

async function applied({ patch }: Mutant, copy: string): Promise<Verdict | undefined> {
  writeFileSync(join(copy, "mutant.patch"), patch);
  const { code, output } = await run(["git", "apply", "-C1", "mutant.patch"], copy);
  return code === 0 ? undefined : { state: "stale", why: output.trim() };
}

/**
 * Those that compile, as far as many at once show it: one run of the compiler judges all that apply
 * beside each other. What is missing here is compiled alone.
 */
async function compiling(mutants: readonly Mutant[], tree: TreeCopy): Promise<Set<string>> {
  const good = new Set<string>();
  let left = mutants;
  while (left.length > 1) {
    const copy = tree.fresh();
    const [together, apart]: [Mutant[], Mutant[]] = [[], []];
    for (const mutant of left) {
      const isApart = (await applied(mutant, copy)) !== undefined;
      (isApart ? apart : together).push(mutant);
    }
    const { code } = await run(TYPES, copy);
    if (code === 0) for (const { name } of together) good.add(name);
    if (together.length === 0) break;
    left = apart;
  }
  return good;
}

/** Applies one mutant to a fresh copy of the tree and runs what should see it. */
async function judge(mutant: Mutant, copy: string, compiles: boolean): Promise<Outcome> {
  const startedMs = performance.now();
  const verdict = await judgeIn(copy, mutant, compiles);
  return { mutant, verdict, seconds: (performance.now() - startedMs) / 1_000 };
}

async function judgeIn(copy: string, mutant: Mutant, compiles: boolean): Promise<Verdict> {
  const stale = await applied(mutant, copy);
  if (stale !== undefined) return stale;
  if (!compiles) {
    const types = await run(TYPES, copy);
    if (types.code !== 0) return { state: "wrong", why: types.output.trim() };
  }
  for (const { program, args } of mutant.runs) {
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
    console.log(`${line}  by ${options.isVerbose ? verdict.by : verdict.by.replace(/: .*/, "")}`);
    return;
  }
  console.log(`${line}: ${mutant.what}`);
  if (verdict.state === "stale") console.log(`         the patch does not apply: ${verdict.why}`);
  if (verdict.state === "wrong") console.log(`         for another reason: ${verdict.why}`);
}

async function main(): Promise<number> {
  try {
    return await judgeAll(await prepare());
  } finally {
    rmSync(WORK, { recursive: true, force: true });
  }
}

/** Judges those that are wanted, as far as the time allows. */
async function judgeAll(base: string): Promise<number> {
  const files = readdirSync(import.meta.dirname).filter((file) => file.endsWith(".patch"));
  const mutants = inTurn(options, files).map((file) =>
    parseMutant(file, readFileSync(join(import.meta.dirname, file), "utf8")),
  );
  const outcomes = await judgeEach(mutants, base);
  const left = mutants.length - outcomes.length;
  if (left > 0) console.log(`\n${left} seeded bugs are left to other runs: the time is over`);
  const caught = outcomes.filter(({ verdict }) => verdict.state === "caught").length;
  const failed = outcomes.length - caught;
  console.log(`\n${caught} passed, ${failed} failed, 0 skipped`);
  return failed > 0 || caught === 0 ? 1 : 0;
}

/** Two at a time; whichever has nothing left to judge compiles the next ones for both. */
async function judgeEach(mutants: readonly Mutant[], base: string): Promise<readonly Outcome[]> {
  const copy = (name: string) => new TreeCopy(base, join(WORK, name));
  const types = copy("types");
  const outcomes: Outcome[] = [];
  const ready: (readonly [mutant: Mutant, compiles: boolean])[] = [];
  let begun = 0;
  let compiled = Promise.resolve();
  const compile = async (): Promise<void> => {
    if (ready.length > 0) return;
    const batch = mutants.slice(begun, begun + BATCH);
    begun += BATCH;
    const good = await compiling(batch, types);
    ready.push(...batch.map((mutant) => [mutant, good.has(mutant.name)] as const));
  };
  const line = async (tree: TreeCopy): Promise<void> => {
    while (performance.now() < endsMs) {
      const next = ready.shift();
      if (next === undefined) {
        if (begun >= mutants.length) return;
        compiled = compiled.then(compile);
        await compiled;
        continue;
      }
      const outcome = await judge(next[0], tree.fresh(), next[1]);
      outcomes.push(outcome);
      show(outcome);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, (_, i) => line(copy(`copy-${i}`))));
  return outcomes;
}

for (const signal of ["SIGINT", "SIGTERM"] as const) {
  process.once(signal, () => {
    for (const child of running) child.kill();
    rmSync(WORK, { recursive: true, force: true });
    process.exit(1);
  });
}

process.exitCode = await main();
