import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { parseArgs } from "node:util";
import {
  drawn,
  type Extent,
  isItsTurn,
  LIMIT_SECONDS,
  type Part,
  type Phase,
  phasesOf,
} from "./parts.ts";
import { type Outcome, PartRunner, Report } from "./report.ts";
import { ROOT } from "./tools.ts";

const USAGE = `usage: .ci/run [--all] [--seed TEXT] [--list] [NAME…]
       npm run soak -- [--seed TEXT] [--list] [NAME…]
       npm run soak -- --commits N [--days N] [--keep]

  --all        the longer form of each part
  --seed TEXT  what seeds are drawn by; the commit's hash, in a soak the time
  --list       print the commands and run none
  --commits N  months of a catalog with so many commits: what is stored has to level off
  NAME         those parts alone`;

/** What fast-check takes: a whole number of 32 bits. */
const PROPERTY_SEEDS = 2 ** 31;

interface Options {
  readonly extent: Extent;
  readonly text: string;
  readonly names: readonly string[];
  readonly isList: boolean;
  /** Seconds that packages took to install, where that was part of the run. */
  readonly installed: number | undefined;
}

/** @throws Error for what cannot be run. */
function readOptions(args: readonly string[]): Options {
  const { values, positionals } = parseArgs({
    args: [...args],
    options: {
      all: { type: "boolean", default: false },
      soak: { type: "boolean", default: false },
      list: { type: "boolean", default: false },
      seed: { type: "string" },
      installed: { type: "string" },
    },
    allowPositionals: true,
  });
  const { all, soak, list, seed, installed } = values;
  return {
    extent: soak ? "soak" : all ? "all" : "commit",
    text: seed ?? (soak ? String(Date.now()) : commit()),
    names: positionals,
    isList: list,
    installed: installed === undefined ? undefined : Number(installed),
  };
}

/** Of a checkout without git there is one state alone. */
function commit(): string {
  const { status, stdout } = spawnSync("git", ["rev-parse", "HEAD"], {
    cwd: ROOT,
    encoding: "utf8",
  });
  return status === 0 ? stdout.trim() : "no commit";
}

/** @throws Error where a name is none. */
function wanted({ extent, text, names }: Options): readonly Phase[] {
  const phases = phasesOf(extent, text);
  if (names.length === 0) {
    if (extent !== "commit") return phases;
    return filtered(phases, (part) => isItsTurn(part, text));
  }
  const known = new Set(
    phases.flatMap(({ computes, waits }) => [...computes, ...waits]).map(({ name }) => name),
  );
  for (const name of names) {
    if (!known.has(name)) throw new Error(`no part ${name}: ${[...known].join(", ")}`);
  }
  return filtered(phases, ({ name }) => names.includes(name));
}

function filtered(phases: readonly Phase[], isKept: (part: Part) => boolean): readonly Phase[] {
  return phases.map(({ computes, waits }) => ({
    computes: computes.filter(isKept),
    waits: waits.filter(isKept),
  }));
}

/** Months of a catalog, which the part `months` runs too. @returns the exit code. */
function months(args: readonly string[]): number {
  const file = join(ROOT, "test", "soak", "run.ts");
  return spawnSync(process.execPath, [file, ...args], { stdio: "inherit" }).status ?? 1;
}

async function main(args: readonly string[]): Promise<number> {
  const [first, ...rest] = args;
  if (first === "--soak" && rest[0]?.startsWith("--commits") === true) return months(rest);
  let options: Options;
  let phases: readonly Phase[];
  try {
    options = readOptions(args);
    phases = wanted(options);
  } catch (error) {
    console.error(`${error instanceof Error ? error.message : error}\n${USAGE}`);
    return 2;
  }
  if (options.isList) {
    console.log(phases.map(listed).join("\n\n"));
    return 0;
  }
  const report = new Report((text) => process.stdout.write(text));
  if (options.installed !== undefined) report.add(installation(options.installed));
  const runner = new PartRunner(ROOT, LIMIT_SECONDS[options.extent]);
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    process.once(signal, () => {
      runner.end();
      process.exit(1);
    });
  }
  console.log(`\nseeds are drawn by: ${options.text}`);
  process.env["PROPERTY_SEED"] = String(drawn(options.text, "properties", PROPERTY_SEEDS));
  for (const phase of phases) await runPhase(phase, runner, report);
  report.close();
  runner.end();
  return report.failed === 0 ? 0 : 1;
}

/** The commands of a phase, one a line. */
function listed({ computes, waits }: Phase): string {
  return [...computes, ...waits]
    .map(({ name, stream, command }) => [name.padEnd(12), stream.padEnd(9), ...command].join(" "))
    .join("\n");
}

function installation(seconds: number): Outcome {
  const counts = { passed: 1, failed: 0, skipped: 0 };
  return {
    name: "install",
    command: ["npm", "ci"],
    seconds,
    cpuSeconds: 0,
    counts,
    why: "",
    log: "",
  };
}

async function runPhase(
  { computes, waits }: Phase,
  runner: PartRunner,
  report: Report,
): Promise<void> {
  const stream = async (parts: readonly (typeof computes)[number][]): Promise<void> => {
    for (const part of parts) {
      report.begin(part);
      report.add(await runner.run(part));
    }
  };
  await Promise.all([stream(computes), stream(waits)]);
}

process.exitCode = await main(process.argv.slice(2));
