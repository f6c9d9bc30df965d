import { DRILLS as INCIDENTS } from "./drills.ts";
import { PATTERN_DRILLS } from "./patterns.ts";

const DRILLS = [...INCIDENTS, ...PATTERN_DRILLS];

/** `npm run drill`: the incidents of docs/runbook.md and the designs of docs/patterns.md. */
async function main(names: readonly string[]): Promise<number> {
  const unknown = names.filter((name) => DRILLS.every((drill) => drill.name !== name));
  if (unknown.length > 0) {
    console.error(`usage: npm run drill [-- ${DRILLS.map(({ name }) => name).join("|")}]`);
    return 2;
  }
  const chosen = DRILLS.filter(({ name }) => names.length === 0 || names.includes(name));
  let failed = 0;
  for (const { name, play } of chosen) {
    const startMs = performance.now();
    try {
      await play((text) => console.log(`${name}: ${text.replaceAll("\n", `\n${name}: `)}`));
      console.log(`passed   ${name}, ${Math.round(performance.now() - startMs)} ms`);
    } catch (error) {
      failed++;
      console.log(`failed   ${name}:`, error);
    }
  }
  console.log(`\n${chosen.length - failed} passed, ${failed} failed, 0 skipped`);
  return failed === 0 ? 0 : 1;
}

process.exitCode = await main(process.argv.slice(2));
