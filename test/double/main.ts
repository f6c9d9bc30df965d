import { parseArgs } from "node:util";
import { SeededPrng } from "../../src/base/prng.ts";
import { DynamoDouble } from "./dynamo/service.ts";
import { EVERY_DYNAMO_FAULT, sparesTrouble, troublesOf } from "./dynamo/trouble.ts";
import { faulty, type SeededFaults, seededPlan } from "./faults.ts";
import { Bucket } from "./s3/model.ts";
import { S3Service } from "./s3/service.ts";
import { EVERY_FAULT, TROUBLE } from "./s3/trouble.ts";
import { type Handler, serve } from "./server.ts";

/*
 * A double as a process of its own, for whatever speaks to one over a port:
 *
 *   node test/double/main.ts s3 [--port P] [--bucket B] [--rate R] [--seed S]
 *   node test/double/main.ts dynamo [--port P] [--table T] [--rate R] [--seed S]
 *
 * Prints its URL on one line, then serves until it is told to end. `--rate` is the share of
 * requests that suffer a fault (default 0), `--seed` which.
 */

interface Double {
  readonly handler: Handler;
  readonly faults: Pick<SeededFaults, "weights" | "refusals" | "spares">;
}

/** What is there from the start; of DynamoDB only the table that is named. */
interface Made {
  readonly bucket: string;
  readonly table: string | undefined;
}

const DOUBLES: Readonly<Record<string, (made: Made) => Double>> = {
  dynamo: ({ table }) => {
    const double = new DynamoDouble();
    if (table !== undefined) double.tables.createReady(table, { partition: "p", sort: "s" });
    const refusals = Object.values(troublesOf(double));
    const faults = { weights: EVERY_DYNAMO_FAULT, refusals, spares: sparesTrouble };
    return { handler: double.handler, faults };
  },
  s3: ({ bucket }) => {
    const service = new S3Service();
    service.model.buckets.set(bucket, new Bucket(service.region));
    return { handler: service.handler, faults: { weights: EVERY_FAULT, refusals: TROUBLE } };
  },
};

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    port: { type: "string", default: "0" },
    bucket: { type: "string", default: "firn" },
    table: { type: "string" },
    rate: { type: "string", default: "0" },
    seed: { type: "string", default: "1" },
  },
});
const make = DOUBLES[positionals[0] ?? ""];
if (make === undefined) throw new Error(`no double; there are: ${Object.keys(DOUBLES).join(", ")}`);
const { handler, faults } = make({ bucket: values.bucket, table: values.table });
const plan = seededPlan({ rate: Number(values.rate), ...faults });
const network = faulty(handler, new SeededPrng(Number(values.seed)), plan);
const serving = await serve(network.service, Number(values.port));
console.log(serving.url);
process.once("SIGTERM", () => void serving.close());
