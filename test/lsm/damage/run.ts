import { finish } from "../../clients/counts.ts";
import { runLakeFiles } from "../../lake-files/runner.ts";
import { type Options, readOptions, USAGE } from "./options.ts";
import { runDamages } from "./sample.ts";

/**
 * Memory of a run that reads files of 60 KB, whatever they say of their lengths: 370 MiB, most of
 * it what directories opened one after the other leave to be collected. A length that is believed
 * asks for gigabytes.
 */
const MAX_KIB = 512 * 1_024;

/** `npm run fuzz -- --store`: prints what it finds, and the plain line. */
export async function fuzzStore(args: readonly string[]): Promise<void> {
  try {
    await damageAll(readOptions(args));
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    console.error(USAGE);
    process.exitCode = 2;
  }
}

async function damageAll({ first, seeds, cases, only }: Options): Promise<void> {
  let passed = 0;
  let failed = 0;
  for (let seed = first; seed < first + seeds; seed++) {
    const startedMs = performance.now();
    const run = await runDamages(seed, cases, (name) => name.includes(only));
    const seconds = ((performance.now() - startedMs) / 1_000).toFixed(1);
    const outcomes = [...run.outcomes].map(([outcome, count]) => `${count} ${outcome}`).join(", ");
    console.log(`seed ${seed}: ${run.judged} of ${run.all} damages in ${seconds} s: ${outcomes}`);
    for (const wrong of run.wrong) console.log(`FAILED seed ${seed}: ${wrong}`);
    passed += run.judged - run.wrong.length;
    failed += run.wrong.length;
  }
  const peakKib = process.resourceUsage().maxRSS;
  console.log(`peak memory: ${Math.round(peakKib / 1_024)} MiB`);
  if (peakKib > MAX_KIB) {
    console.log("FAILED: more memory than any file can ask for");
    failed++;
  }
  const lake = await runLakeFiles(first, only);
  const outcomes = [...lake.outcomes].map(([outcome, count]) => `${count} ${outcome}`).join(", ");
  console.log(`${lake.judged} hostile files of a lake: ${outcomes}`);
  for (const wrong of lake.wrong) console.log(`FAILED seed ${first}: ${wrong}`);
  passed += lake.judged - lake.wrong.length;
  failed += lake.wrong.length;
  finish({ passed, failed, skipped: 0 });
}
