import { parseArgs } from "node:util";
import { type Kills, runKills } from "./kills.ts";

const { values } = parseArgs({
  options: { rounds: { type: "string" }, seed: { type: "string" } },
});
const rounds = Number(values.rounds ?? 100);
const seed = Number(values.seed ?? Date.now() % 1_000_000);

function show(kills: Kills): string {
  return (
    `${kills.rounds} ends by SIGKILL (${kills.duringStart} more while starting, ` +
    `${kills.duringStop} while stopping)\n${kills.acknowledged} changes acknowledged, 0 lost; ` +
    `${kills.refused} refused; ${kills.doubtful} not answered, of which ${kills.landed} happened`
  );
}

console.log(`npm run test:kill -- --rounds ${rounds} --seed ${seed}`);
try {
  const startedMs = performance.now();
  console.log(show(await runKills(seed, rounds)));
  console.log(`${((performance.now() - startedMs) / 1_000).toFixed(0)} s`);
  console.log(`\n${rounds} passed, 0 failed, 0 skipped`);
} catch (error) {
  console.log(error instanceof Error ? error.message : error);
  console.log("\n0 passed, 1 failed, 0 skipped");
  process.exitCode = 1;
}
