import { definite, type Tally, verdictOf } from "./campaign.ts";
import { type Options, readOptions, USAGE } from "./options.ts";

function show(name: string, tally: Tally, seconds: number): void {
  const { applied, refused, unknown } = tally.told;
  console.log(
    `${name}: ${applied + refused + unknown} operations, ${tally.requests} requests, ` +
      `${seconds.toFixed(1)} s\n` +
      `  told: ${applied} applied, ${refused} refused, ${unknown} unknown ` +
      `(${(100 * definite(tally)).toFixed(2)} % definite), ${tally.lies.length} lies`,
  );
  const faults = [...tally.faults].map(([kind, count]) => `${kind} ${count}`);
  console.log(`  faults: ${faults.sort().join(", ")}`);
}

/** Closes with the plain line that CI adds up: one test a campaign. */
async function main(args: readonly string[]): Promise<number> {
  let options: Options;
  try {
    options = readOptions(args);
  } catch (error) {
    console.error(`${error instanceof Error ? error.message : error}\n${USAGE}`);
    return 2;
  }
  const { ops, seed, campaigns } = options;
  let failed = 0;
  for (const campaign of campaigns) {
    const startedMs = performance.now();
    const tally = await campaign.run({ ops, seed });
    show(campaign.name, tally, (performance.now() - startedMs) / 1_000);
    const verdict = verdictOf(tally);
    if (verdict === undefined) continue;
    failed++;
    console.log(`FAILED ${campaign.name}: ${verdict}`);
    for (const lie of tally.lies.slice(0, 20)) console.log(`  ${lie}`);
    const again = `--ops ${ops} --seed ${seed} --store ${campaign.name}`;
    console.log(`  npm run test:ambiguity -- ${again}`);
  }
  console.log(`\n${campaigns.length - failed} passed, ${failed} failed, 0 skipped`);
  return failed > 0 ? 1 : 0;
}

process.exitCode = await main(process.argv.slice(2));
