import type { Profile } from "../src/runtime/settings.ts";
import { startDouble } from "./double-process.ts";

/** The services that a server rests on, and how it finds them. */
export interface Stores {
  readonly flags: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly pids: readonly number[];
  stop(): Promise<void>;
}

export const NO_STORES: Stores = { flags: [], env: {}, pids: [], stop: async () => {} };
const STORE = "firn-bench";

/** Doubles of S3 and DynamoDB, each in a process: their time is not counted as ours. */
export async function startStores(profile: Profile): Promise<Stores> {
  const s3 = await startDouble("s3", "--bucket", STORE);
  const dynamo = profile === "aws" ? await startDouble("dynamo", "--table", STORE) : undefined;
  return {
    flags: ["--s3-bucket", STORE, ...(dynamo ? ["--dynamodb-table", STORE] : [])],
    env: {
      AWS_ENDPOINT_URL_S3: s3.url,
      ...(dynamo && { AWS_ENDPOINT_URL_DYNAMODB: dynamo.url }),
      AWS_REGION: "us-east-1",
      AWS_ACCESS_KEY_ID: "bench",
      AWS_SECRET_ACCESS_KEY: "bench",
      FIRN_SECRET: "of a store that is gone with the bench",
    },
    pids: [s3.pid, ...(dynamo ? [dynamo.pid] : [])],
    stop: async () => {
      await s3.stop();
      await dynamo?.stop();
    },
  };
}
