import { Coverage, emptyCells, matrixOf, type Row } from "./harness/coverage.ts";
import { runSeed, type SeedResult, type Suite } from "./harness/sim.ts";
import { type Options, readOptions, USAGE } from "./options.ts";

function showFailure({ suite, traceLines }: Options, result: SeedResult): void {
  const { seed, sim, violation } = result;
  console.log(`\nFAILED seed ${seed}: npm run sim -- --suite ${suite.name} --seed ${seed}`);
  for (const line of sim.trace.tail(traceLines)) console.log(`  ${line}`);
  console.log(violation instanceof Error ? (violation.stack ?? violation.message) : violation);
}

function showMatrix(matrix: readonly Row[], suite: Suite): void {
  for (const site of Object.keys(suite.sites)) {
    const rows = matrix.filter((row) => row.site === site);
    if (rows.length === 0) continue;
    console.log(`\n${site.padEnd(18)} ${["calls", ...(suite.sites[site] ?? [])].join(" ")}`);
    for (const { operation, calls, injected } of rows) {
      console.log(`  ${operation.padEnd(16)} ${[calls, ...injected].join(" ")}`);
    }
  }
}

/** Runs seeds until there are enough, time is up, or too many have failed. */
async function runAll(options: Options, coverage: Coverage) {
  const { suite, from, seeds, minutes, alone } = options;
  const startedMs = performance.now();
  const untilMs = minutes === undefined ? undefined : startedMs + minutes * 60_000;
  let passed = 0;
  let failed = 0;
  let shownMs = startedMs;
  const more = () =>
    untilMs === undefined ? passed + failed < seeds : performance.now() < untilMs;
  while (more() && failed < options.maxFailures) {
    const result = await runSeed(suite, from + passed + failed);
    coverage.add(result.sim.coverage);
    if (result.violation === undefined) passed++;
    else failed++;
    if (result.violation !== undefined) showFailure(options, result);
    else if (alone) {
      for (const line of result.sim.trace.tail(options.traceLines)) console.log(line);
    }
    if (alone) console.log(`trace ${result.digest}, ${result.sim.trace.count} lines`);
    if (performance.now() - shownMs > 10_000) {
      shownMs = performance.now();
      console.log(`${passed + failed} seeds`);
    }
  }
  return { passed, failed, seconds: (performance.now() - startedMs) / 1_000 };
}

async function main(args: readonly string[]): Promise<number> {
  let options: Options;
  try {
    options = readOptions(args);
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    console.error(USAGE);
    return 2;
  }
  const { suite } = options;
  const coverage = new Coverage();
  const { passed, failed: failedSeeds, seconds } = await runAll(options, coverage);
  const seeds = passed + failedSeeds;
  let failed = failedSeeds;
  const matrix = matrixOf(coverage, suite.sites, suite.operations);
  if (!options.alone) {
    showMatrix(matrix, suite);
    console.log("\noutcomes");
    for (const [what, count] of [...coverage.notes].sort()) console.log(`  ${what}  ${count}`);
    const empty = emptyCells(matrix, suite.sites);
    if (seeds < suite.fullSeeds) {
      console.log(`\n${empty.length} empty cells, not judged below ${suite.fullSeeds} seeds`);
    } else if (empty.length > 0) {
      failed++;
      console.log(`\nFAILED: never injected:\n  ${empty.join("\n  ")}`);
    }
  }
  const rate = (seeds / seconds).toFixed(1);
  console.log(`\n${suite.name}: ${seeds} seeds from ${options.from} in ${seconds.toFixed(1)} s`);
  console.log(
    `${rate} seeds/s, ${coverage.totalCalls} store calls, ${coverage.totalInjected} faults`,
  );
  console.log(`\n${passed} passed, ${failed} failed, 0 skipped`);
  return failed > 0 ? 1 : 0;
}

process.exitCode = await main(process.argv.slice(2));
