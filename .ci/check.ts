import { existsSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { protoFiles } from "./generate/proto.ts";
import { checkLock } from "./lock.ts";
import { ROOT, runTool } from "./tools.ts";

const MUTANTS = "test/mutants";
const BASELINE = "test/fixtures/proto/firn.v1.binpb";

/** `output` is shown where the part fails; `reason` where it is skipped. */
type Verdict =
  | { readonly state: "passed" }
  | { readonly state: "failed"; readonly output: string }
  | { readonly state: "skipped"; readonly reason: string };

interface Part {
  readonly name: string;
  readonly run: () => Promise<Verdict>;
}

async function tool(command: string, ...args: readonly string[]): Promise<Verdict> {
  const { exitCode, output } = await runTool(command, args, { env: { NO_COLOR: "1" } });
  return exitCode === 0 ? { state: "passed" } : { state: "failed", output };
}

async function lock(): Promise<Verdict> {
  const problems = await checkLock();
  return problems.length === 0
    ? { state: "passed" }
    : { state: "failed", output: problems.join("\n") };
}

async function bufLint(): Promise<Verdict> {
  if ((await protoFiles()).length === 0) return { state: "skipped", reason: "no protocol files" };
  return await tool("buf", "lint", "proto");
}

async function bufBreaking(): Promise<Verdict> {
  if (!existsSync(join(ROOT, BASELINE))) {
    return { state: "skipped", reason: `no ${BASELINE}; npm run gen -- --accept makes it` };
  }
  return await tool("buf", "breaking", "proto", "--against", BASELINE);
}

/** A patch that does not fit the source any more is found here, not at the end of a long run. */
async function mutants(): Promise<Verdict> {
  const { exitCode: hasNone } = await runTool("git", ["--version"]);
  if (hasNone !== 0) return { state: "skipped", reason: "no git" };
  const stale: string[] = [];
  for (const file of await readdir(join(ROOT, MUTANTS))) {
    if (!file.endsWith(".patch")) continue;
    const check = ["apply", "--check", "-C1", `${MUTANTS}/${file}`];
    const { exitCode, output } = await runTool("git", check);
    if (exitCode !== 0) stale.push(`${file}: ${output.trim()}`);
    const text = await readFile(join(ROOT, MUTANTS, file), "utf8");
    for (const [path] of text.matchAll(/(?<=^run: vitest (?:.* )?)test\/\S+\.ts/gm)) {
      if (!existsSync(join(ROOT, path))) stale.push(`${file}: no ${path}`);
    }
  }
  return stale.length === 0 ? { state: "passed" } : { state: "failed", output: stale.join("\n") };
}

const PARTS: readonly Part[] = [
  { name: "types (tsc)", run: () => tool("tsc", "-p", ".") },
  { name: "types of the console (tsc)", run: () => tool("tsc", "-p", "src/console") },
  { name: "lint and format (biome)", run: () => tool("biome", "ci", "--colors=off", ".") },
  { name: "unused files, exports, dependencies (knip)", run: () => tool("knip") },
  { name: "protocol style (buf lint)", run: bufLint },
  { name: "protocol compatibility (buf breaking)", run: bufBreaking },
  { name: "generated files", run: () => tool(process.execPath, ".ci/gen.ts", "--check") },
  { name: "lock file", run: lock },
  { name: "seeded bugs still apply (git)", run: mutants },
  { name: "house rules (tidy)", run: () => tool("vitest", "run", "--no-color", "test/tidy") },
];

/** Runs every part, also after a red one, and closes with the plain line that CI adds up. */
async function main(): Promise<number> {
  const count = { passed: 0, failed: 0, skipped: 0 };
  for (const { name, run } of PARTS) {
    const startedMs = performance.now();
    const verdict = await run();
    const seconds = ((performance.now() - startedMs) / 1_000).toFixed(1);
    count[verdict.state]++;
    console.log(`${verdict.state.padEnd(7)}  ${name}  ${seconds} s`);
    if (verdict.state === "failed") console.log(verdict.output.replace(/^/gm, "         "));
    if (verdict.state === "skipped") console.log(`         ${verdict.reason}`);
  }
  console.log(`\n${count.passed} passed, ${count.failed} failed, ${count.skipped} skipped`);
  return count.failed > 0 ? 1 : 0;
}

process.exitCode = await main();
