import { expect, test } from "vitest";
import { SeededPrng } from "../../src/base/prng.ts";
import { probeBucket } from "../../src/blob/s3/probe.ts";
import { DynamoClient } from "../../src/pointer/dynamo/client.ts";
import { probeTable } from "../../src/pointer/dynamo/probe.ts";
import { sparesTrouble, troublesOf } from "../double/dynamo/trouble.ts";
import { openDynamoWorld, ShiftedClock, TABLE } from "../double/dynamo/world.ts";
import { faulty, seededPlan } from "../double/faults.ts";
import { BUCKET, openS3 } from "../double/s3/open.ts";
import { TROUBLE } from "../double/s3/trouble.ts";

/*
 * Starts of nodes while the network and the stores fail now and then: none is refused for that, and
 * above all no store is blamed for what it holds. `FIRN_PROBE_STARTS` asks for more of them.
 */

const STARTS = Number(process.env["FIRN_PROBE_STARTS"] ?? 12);
/** Of requests: many starts at 1 % meet each kind; these few meet it at more. */
const RATE = STARTS > 100 ? 0.01 : 0.05;
const TIMEOUTS = { connectMs: 5_000, idleMs: 300, wholeMs: 600 };
const WEIGHTS = {
  unsent: 3,
  lost: 6,
  resent: 3,
  late: 3,
  duplicated: 3,
  torn: 3,
  refused: 12,
  delayed: 2,
  reordered: 2,
};

test("tables are probed through faults", { timeout: 600_000 }, async () => {
  let faults = 0;
  const world = await openDynamoWorld({
    network: (handler, double) => {
      const refusals = Object.values(troublesOf(double));
      const plan = seededPlan({ rate: RATE, weights: WEIGHTS, refusals, spares: sparesTrouble });
      const network = faulty(handler, new SeededPrng(5), plan);
      network.onRequest = ({ fault }) => {
        if (fault !== undefined) faults++;
      };
      return network.service;
    },
  });
  const connection = { ...world.connection, timeouts: TIMEOUTS };
  const client = new DynamoClient({ clock: world.clock, connection });
  try {
    for (let seed = 0; seed < STARTS; seed++) {
      const target = { client, clock: world.clock, table: TABLE };
      const report = await probeTable(target, new SeededPrng(100 + seed));
      expect(report.warnings, `start ${seed}`).toEqual([]);
    }
  } finally {
    client.close();
    await world.close();
  }
  expect(faults).toBeGreaterThan(STARTS / 2);
});

test("buckets are probed through faults", { timeout: 600_000 }, async () => {
  let faults = 0;
  const plan = seededPlan({
    rate: RATE,
    weights: WEIGHTS,
    refusals: TROUBLE,
    spares: (fault, { headers }) =>
      fault.fault === "refused" &&
      fault.refusal.name.startsWith("409") &&
      headers["if-none-match"] === undefined,
  });
  const s3 = await openS3({}, ({ handler }) => {
    const network = faulty(handler, new SeededPrng(7), plan);
    network.onRequest = ({ fault }) => {
      if (fault !== undefined) faults++;
    };
    return network.service;
  });
  const options = {
    bucket: BUCKET,
    prefix: "firn/",
    endpoint: s3.serving.url,
    region: "us-east-1",
    credentials: { accessKeyId: "test", secretAccessKey: "secret" },
    timeouts: TIMEOUTS,
  };
  try {
    for (let seed = 0; seed < STARTS; seed++) {
      const components = { clock: new ShiftedClock(), prng: new SeededPrng(200 + seed) };
      const report = await probeBucket(options, components);
      expect(report.warnings, `start ${seed}`).toEqual([]);
    }
  } finally {
    await s3.close();
  }
  expect(faults).toBeGreaterThan(STARTS / 2);
});
