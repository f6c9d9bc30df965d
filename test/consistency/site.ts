import { vi } from "vitest";
import type { Clock } from "../../src/base/clock.ts";
import { DynamoDouble } from "../double/dynamo/service.ts";
import { Bucket } from "../double/s3/model.ts";
import { S3Service } from "../double/s3/service.ts";
import { Network } from "./network.ts";

/** The bucket and the table of every site. */
export const NAME = "firn-consistency";

/** Doubles of the services of a profile, behind networks of their own. */
export interface Site {
  readonly s3: Network;
  /** Of profile `aws`. */
  readonly dynamo: Network;
  /** Where the SDK finds them. */
  readonly env: Readonly<Record<string, string>>;
  /** From here on, the SDK of this process does. */
  enter(): void;
  close(): Promise<void>;
}

export async function openSite(clock: Clock, seed: number): Promise<Site> {
  const now = (): number => clock.nowMs();
  const objects = new S3Service({ now });
  objects.model.buckets.set(NAME, new Bucket(objects.region));
  const items = new DynamoDouble({ nowMs: now });
  items.tables.createReady(NAME, { partition: "p", sort: "s" });
  const s3 = new Network(objects.handler, seed);
  const dynamo = new Network(items.handler, seed + 1);
  const servings = [await s3.serve(), await dynamo.serve()] as const;
  const env = {
    AWS_ENDPOINT_URL_S3: servings[0].url,
    AWS_ENDPOINT_URL_DYNAMODB: servings[1].url,
    AWS_REGION: "us-east-1",
    AWS_ACCESS_KEY_ID: "test",
    AWS_SECRET_ACCESS_KEY: "test",
  };
  return {
    s3,
    dynamo,
    env,
    enter: () => {
      for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value);
    },
    close: async () => {
      vi.unstubAllEnvs();
      for (const serving of servings) await serving.close();
    },
  };
}
