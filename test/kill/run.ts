import { type Kills, runKills } from "./kills.ts";
import { keyOf, type Matrix, runMatrix } from "./matrix/matrix.ts";
import { runSecretCells, SECRET_CELLS } from "./matrix/secret.ts";
import { showMatrix } from "./matrix/show.ts";
import { readOptions } from "./options.ts";

const { rounds, seed, isMatrix, steps } = readOptions(process.argv.slice(2));

interface Ended {
  readonly passed: number;
  /** Each in a line. */
  readonly problems: readonly string[];
}

function show(kills: Kills): string {
  return (
    `${kills.rounds} ends by SIGKILL (${kills.duringStart} more while starting, ` +
    `${kills.duringStop} while stopping)\n${kills.acknowledged} changes acknowledged, 0 lost; ` +
    `${kills.refused} refused; ${kills.doubtful} not answered, of which ${kills.landed} happened`
  );
}

async function kill(): Promise<Ended> {
  console.log(`npm run test:kill -- --rounds ${rounds} --seed ${seed}`);
  console.log(show(await runKills(seed, rounds)));
  return { passed: rounds, problems: [] };
}

function told({ lives, deaths, acknowledged, landed, temporary }: Matrix): string {
  return (
    `${deaths.size} cells, ${lives} lives; ${acknowledged} batches acknowledged, 0 lost; ` +
    `${landed} more were there, whole; ${temporary} unfinished files were found, and removed by ` +
    "the next writes"
  );
}

/** Every named step of the engine, or those whose names hold a text. */
async function matrix(): Promise<Ended> {
  console.log(`npm run test:kill -- --matrix --seed ${seed}${steps && ` --steps "${steps}"`}`);
  const run = await runMatrix(seed, (step) => step.includes(steps));
  console.log(showMatrix(run));
  console.log(told(run));
  const plans = SECRET_CELLS.filter(({ step }) => step.includes(steps));
  const secrets = await runSecretCells(plans);
  console.log(`secret of a server: ${secrets.size} of ${plans.length} cells`);
  const unmade = plans.filter(({ step, moment }) => !secrets.has(keyOf(step, moment, false)));
  const problems = [
    ...unmade.map(({ step, moment }) => `nobody died at ${step}, ${moment}`),
    ...run.empty.map((cell) => `nobody died at ${cell}`),
    ...run.unnamed.map((step) => `no cell is named ${step}`),
  ];
  return { passed: run.deaths.size + secrets.size, problems };
}

const startedMs = performance.now();
try {
  const { passed, problems } = await (isMatrix ? matrix() : kill());
  for (const problem of problems) console.log(`FAILED: ${problem}`);
  console.log(`${((performance.now() - startedMs) / 1_000).toFixed(0)} s`);
  console.log(`\n${passed} passed, ${problems.length} failed, 0 skipped`);
  if (problems.length > 0) process.exitCode = 1;
} catch (error) {
  console.log(error instanceof Error ? error.message : error);
  console.log("\n0 passed, 1 failed, 0 skipped");
  process.exitCode = 1;
}
