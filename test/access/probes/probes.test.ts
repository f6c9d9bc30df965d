import { expect, test } from "vitest";
import { Probes } from "./probe.ts";
import { PROBED } from "./requests.ts";
import { unreached } from "./summary.ts";

/** `npm run test:access` sends 10,000; this is a sample, drawn by the seed of the run. */
const SAMPLE = 1_200;

test("what may not be known answers as what is not there, to a sample of probes", async () => {
  const seed = Number(process.env["PROPERTY_SEED"] ?? Date.now()) % 2 ** 31;
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
