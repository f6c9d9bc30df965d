import { expect, test } from "vitest";
import { Matrix } from "./matrix.ts";
import { Probes } from "./probe.ts";
import { PROBED } from "./requests.ts";
import { unreached } from "./summary.ts";

/** `npm run test:access` sends 10,000; this is a sample, drawn by the seed of the run. */
const SAMPLE = 1_200;

function drawnSeed(): number {
  return Number(process.env["PROPERTY_SEED"] ?? Date.now()) % 2 ** 31;
}

test("what may not be known answers as what is not there, to a sample of probes", async () => {
  const seed = drawnSeed();
  const probes = await Probes.open(1);
  try {
    const tally = await probes.run(SAMPLE, seed);
    expect(tally.findings, `drawn by ${seed}`).toEqual([]);
    expect(tally.probes).toBe(SAMPLE);
    expect(unreached(tally).length).toBeLessThan(PROBED.length / 4);
  } finally {
    await probes.close();
  }
});

test("operations ask for the privileges that the second model says, in a sample", async () => {
  const seed = drawnSeed();
  const matrix = await Matrix.open(seed);
  try {
    const { findings, undeclared, allowed, refused } = await matrix.run(seed, 0.12);
    expect({ findings, undeclared }, `drawn by ${seed}`).toEqual({ findings: [], undeclared: [] });
    expect(Math.min(allowed, refused)).toBeGreaterThan(100);
  } finally {
    await matrix.close();
  }
});
