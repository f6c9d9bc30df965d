import { afterEach, describe, expect, test } from "vitest";
import { DynamoDouble } from "../double/dynamo/service.ts";
import { TABLE } from "../double/dynamo/world.ts";
import { S3Service } from "../double/s3/service.ts";
import { type Serving, serve } from "../double/server.ts";
import { firnWith } from "../support/firn-process.ts";

const BUCKET = "firn-made";

const open: Serving[] = [];
afterEach(async () => {
  for (const serving of open.splice(0)) await serving.close();
});

/** Empty doubles of both services, and what leads a process of Firn's to them. */
async function site() {
  const s3 = new S3Service();
  const dynamo = new DynamoDouble();
  const [objects, table] = await Promise.all([serve(s3.handler), serve(dynamo.handler)]);
  open.push(objects, table);
  const env = {
    AWS_ENDPOINT_URL_S3: objects.url,
    AWS_ENDPOINT_URL_DYNAMODB: table.url,
    AWS_REGION: s3.region,
    AWS_ACCESS_KEY_ID: "test",
    AWS_SECRET_ACCESS_KEY: "test",
  };
  return { s3, dynamo, env };
}

const AWS = ["--profile", "aws", "--s3-bucket", BUCKET, "--dynamodb-table", TABLE] as const;

describe("firn storage init", () => {
  test("makes bucket and table once, and leaves nothing in them", async () => {
    const { s3, dynamo, env } = await site();
    const first = await firnWith(env, "storage", "init", ...AWS);
    expect(first).toMatchObject({ exitCode: 0, errors: "" });
    expect(first.out).toMatch(/firn-made: created\n.*firn-test: created\n/s);
    expect(s3.model.buckets.has(BUCKET)).toBe(true);
    expect(dynamo.tables.ready(TABLE).all()).toEqual([]);
    const second = await firnWith(env, "storage", "init", ...AWS);
    expect(second).toMatchObject({ exitCode: 0, errors: "" });
    expect(second.out).toMatch(/firn-made: existed\n.*firn-test: existed\n/s);
  });

  test("makes the bucket alone for profile bucket", async () => {
    const { s3, dynamo, env } = await site();
    const args = ["--profile", "bucket", "--s3-bucket", BUCKET];
    expect(await firnWith(env, "storage", "init", ...args)).toMatchObject({ exitCode: 0 });
    expect(s3.model.buckets.has(BUCKET)).toBe(true);
    expect(() => dynamo.tables.ready("firn")).toThrow();
  });

  test("says what is wrong, by exit code and stable code", async () => {
    const { env } = await site();
    const local = await firnWith(env, "storage", "init");
    expect(local.exitCode).toBe(1);
    expect(local.errors).toContain("[NOTHING_TO_INIT]");
    const unknown = await firnWith(env, "storage", "init", "--s3-buckets", BUCKET);
    expect(unknown.exitCode).toBe(2);
    const { AWS_SECRET_ACCESS_KEY: _, ...without } = env;
    const nobody = await firnWith(
      { ...without, AWS_EC2_METADATA_DISABLED: "true" },
      "storage",
      "init",
      ...AWS,
    );
    expect(nobody.exitCode).toBe(1);
    expect(nobody.errors).toMatch(/AWS_|credentials/);
  });
});
