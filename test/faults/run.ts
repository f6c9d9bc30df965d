import { KINDS } from "./kinds.ts";
import { Lab } from "./lab.ts";
import { type Case, drawn, newTally, PARTS, PartRuns, type Tally } from "./matrix.ts";
import { type Options, readOptions, USAGE } from "./options.ts";

const CELL = 7;

/** One table a part: its steps, and how often each fault struck there. */
function show(runs: PartRuns): void {
  const { part, steps } = runs;
  const width = Math.max(...steps.map(({ name }) => name.length));
  const row = (name: string, cells: readonly string[]): string =>
    `  ${name.padEnd(width)}${cells.map((cell) => cell.padStart(CELL)).join("")}`;
  const names = KINDS.map(({ name }) => name);
  console.log(`\n${row(part.name, names)}`);
  for (const step of steps) {
    const counts = KINDS.map((kind) => String(runs.struck(step, kind) ?? "."));
    console.log(row(step.name, counts));
  }
}

/** A case is repeated by its name; before a pair comes the single one that it begins with. */
function isWanted({ wanted }: Options, { name, blows }: Case): boolean {
  return name.startsWith(wanted) || (blows.length === 1 && wanted.startsWith(name));
}

function isOver({ bail }: Options, { findings }: Tally): boolean {
  return bail && findings.length > 0;
}

async function runSingles(lab: Lab, options: Options, tally: Tally): Promise<readonly PartRuns[]> {
  const all: PartRuns[] = [];
  for (const part of PARTS.filter(({ name }) => name.includes(options.part))) {
    const runs = await PartRuns.open(lab, part, tally);
    if (runs === undefined) continue;
    all.push(runs);
    for (const one of runs.singles().filter((one) => isWanted(options, one))) {
      if (!isOver(options, tally)) await runs.run(one, tally);
    }
    if (options.wanted === "" && !isOver(options, tally)) show(runs);
  }
  return all;
}

async function runPairs(all: readonly PartRuns[], options: Options, tally: Tally): Promise<number> {
  const total = all.reduce((sum, { pairCount }) => sum + pairCount, 0);
  const picked = drawn(options.pairs, total, options.seed);
  let index = 0;
  let shownMs = performance.now();
  for (const runs of all) {
    for (const pair of runs.pairs()) {
      const due = picked.has(index++) && isWanted(options, pair) && !isOver(options, tally);
      if (due) await runs.run(pair, tally);
      if (performance.now() - shownMs < 30_000) continue;
      shownMs = performance.now();
      console.log(`pair ${index} of ${total}: ${tally.runs} run`);
    }
  }
  return total;
}

function said(what: string, { runs, certain, heard, findings }: Tally): string {
  const share = ((100 * certain) / Math.max(1, heard)).toFixed(2);
  return `${what}: ${runs} runs, ${share} % told for certain, ${findings.length} wrong`;
}

/** Closes with the plain line that CI adds up: a test is a part, or the pairs of all. */
async function main(args: readonly string[]): Promise<number> {
  let options: Options;
  try {
    options = readOptions(args);
  } catch (error) {
    console.error(`${error instanceof Error ? error.message : error}\n${USAGE}`);
    return 2;
  }
  for (const { name, what } of KINDS) console.log(`${name.padStart(CELL)}  ${what}`);
  const startedMs = performance.now();
  const lab = await Lab.open();
  const singles = newTally();
  const pairs = newTally();
  const all = await runSingles(lab, options, singles);
  const total = isOver(options, singles) ? 0 : await runPairs(all, options, pairs);
  await lab.close();
  const judged = options.wanted === "" && !options.bail;
  const empty = judged ? all.flatMap((runs) => runs.empty) : [];
  const findings = [...singles.findings, ...pairs.findings];
  for (const { case: one, why } of findings) {
    console.log(`\nFAILED ${one.name}\n  npm run test:faults -- --case "${one.name}"\n  ${why}`);
  }
  if (empty.length > 0) console.log(`\nFAILED: never struck:\n  ${empty.join("\n  ")}`);
  const seconds = ((performance.now() - startedMs) / 1_000).toFixed(1);
  console.log(`\n${said("single faults", singles)}`);
  console.log(`${said(`pairs, of ${total} by seed ${options.seed}`, pairs)}`);
  console.log(`${lab.requests} requests in ${seconds} s`);
  const wrong = new Set(findings.map(({ case: one }) => one.name));
  const failed = wrong.size + empty.length;
  const passed = singles.runs + pairs.runs - wrong.size;
  console.log(`\n${passed} passed, ${failed} failed, 0 skipped`);
  return failed > 0 || passed === 0 ? 1 : 0;
}

process.exitCode = await main(process.argv.slice(2));
