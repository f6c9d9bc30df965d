import { invalid } from "../base/error.ts";
import { initBucket } from "../blob/s3/init.ts";
import { probeBucket } from "../blob/s3/probe.ts";
import { DynamoClient } from "../pointer/dynamo/client.ts";
import { probeTable } from "../pointer/dynamo/probe.ts";
import { initTable } from "../pointer/dynamo/table.ts";
import { s3Options } from "./s3-stores.ts";
import type { Settings } from "./settings.ts";
import type { Components } from "./stores.ts";

/**
 * Makes what a profile keeps its catalog in, where it is absent, and tries whether it does what it
 * must. What is there stays as it is, so this may be run again.
 *
 * @returns a line for each of them, and for each warning.
 * @throws FirnError as `initBucket`, `probeBucket`, `initTable` and `probeTable`; `Invalid`,
 *   code `NOTHING_TO_INIT`.
 */
export async function initStorage(
  settings: Settings,
  components: Pick<Components, "clock" | "prng">,
): Promise<readonly string[]> {
  const { profile, s3Bucket } = settings;
  if ((profile !== "aws" && profile !== "bucket") || s3Bucket === undefined) {
    const message = "a directory is made when it is first used: see --profile aws and bucket";
    throw invalid("NOTHING_TO_INIT", message, { profile });
  }
  const bucket = await bucketLines(s3Bucket, settings, components);
  return profile === "bucket" ? bucket : [...bucket, ...(await tableLines(settings, components))];
}

async function bucketLines(
  bucket: string,
  settings: Settings,
  components: Pick<Components, "clock" | "prng">,
): Promise<readonly string[]> {
  const options = { ...s3Options(bucket, settings), prefix: settings.s3Prefix };
  const made = await initBucket(options, components);
  const probed = await probeBucket(options, components);
  return [`bucket ${bucket}: ${made.bucket}`, ...made.warnings, ...probed.warnings];
}

async function tableLines(
  { dynamodbTable: table }: Settings,
  { clock, prng }: Pick<Components, "clock" | "prng">,
): Promise<readonly string[]> {
  const client = new DynamoClient({ clock });
  try {
    const made = await initTable({ client, clock, table });
    const { warnings } = await probeTable({ client, clock, table }, prng);
    return [`table ${table}: ${made}`, ...warnings];
  } finally {
    client.close();
  }
}
