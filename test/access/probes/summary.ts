import type { MatrixTally } from "./matrix.ts";
import type { ProbeTally } from "./probe.ts";
import { PROBED } from "./requests.ts";

/** Operations that no probe got beyond the check of its request: what was not tried. */
export function unreached({ reached }: ProbeTally): readonly string[] {
  return PROBED.map(({ name }) => name).filter((name) => !reached.has(name));
}

/** What a run came to, for a reader who wants to repeat it. */
export function tellProbes(tally: ProbeTally, seed: number): void {
  for (const { operation, identity, target, seed: drawn, what } of tally.findings) {
    console.log(`${operation} by ${identity}, ${target} (drawn by ${drawn}): ${what}`);
  }
  const { probes, pairs, findings, hiddenMs, absentMs } = tally;
  const medians = `${hiddenMs.toFixed(3)} ms hidden, ${absentMs.toFixed(3)} ms absent`;
  const sent = `${probes} probes (--seed ${seed}), ${pairs} of them by name or id`;
  console.log(`${sent}: ${findings.length} findings; medians ${medians}`);
}

/** What the operations came to by privileges; true where nothing is left to be explained. */
export function tellMatrix(tally: MatrixTally, seed: number): boolean {
  const { findings, undeclared, undecided, requests, allowed, refused } = tally;
  for (const finding of findings.slice(0, 20)) console.log(finding);
  if (undeclared.length > 0) console.log(`not declared: ${undeclared.join(", ")}`);
  if (undecided.length > 0) console.log(`not both allowed and refused: ${undecided.join(", ")}`);
  const sent = `${requests} requests by privileges (--seed ${seed})`;
  console.log(`${sent}: ${allowed} allowed, ${refused} refused, ${findings.length} findings`);
  return findings.length + undeclared.length + undecided.length === 0;
}
