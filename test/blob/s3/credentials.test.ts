import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { SeededPrng } from "../../../src/base/prng.ts";
import { S3BlobStore } from "../../../src/blob/s3/store.ts";
import { DynamoPointerStore } from "../../../src/pointer/dynamo/store.ts";
import { SystemClock } from "../../../src/runtime/clock.ts";
import { type Serving, serve } from "../../double/server.ts";
import { TEST_FAMILIES } from "../../support/pointer-families.ts";

const clock = new SystemClock();
const prng = new SeededPrng(1);
let tokens: Serving;
let folder: string;

/** The service that lends credentials takes every request, and answers none. */
beforeEach(async () => {
  tokens = await serve(async () => ({ delivery: "silent" }));
  folder = mkdtempSync(join(tmpdir(), "firn-credentials-"));
  const token = join(folder, "token");
  writeFileSync(token, "token");
  for (const name of Object.keys(process.env)) {
    if (name.startsWith("AWS_")) vi.stubEnv(name, undefined);
  }
  vi.stubEnv("AWS_EC2_METADATA_DISABLED", "true");
  vi.stubEnv("AWS_CONFIG_FILE", "/nowhere");
  vi.stubEnv("AWS_SHARED_CREDENTIALS_FILE", "/nowhere");
  vi.stubEnv("AWS_REGION", "us-east-1");
  vi.stubEnv("AWS_WEB_IDENTITY_TOKEN_FILE", token);
  vi.stubEnv("AWS_ROLE_ARN", "arn:aws:iam::123456789012:role/firn");
  vi.stubEnv("AWS_ENDPOINT_URL_STS", tokens.url);
});
afterEach(async () => {
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true });
  await tokens.close();
});

test("requests to S3 end where nobody lends credentials, and sent nothing", async () => {
  const failures: (string | undefined)[] = [];
  const store = new S3BlobStore(
    {
      bucket: "lake",
      endpoint: "http://127.0.0.1:1",
      maxFailures: 0,
      timeouts: { wholeMs: 50, callMs: 50 },
    },
    { clock, prng, onRequest: ({ failure }) => void failures.push(failure?.reason) },
  );
  try {
    const unavailable = { kind: "Unavailable", code: "BLOB_STORE_UNAVAILABLE" };
    await expect(store.put("a", new Uint8Array(1), "absent")).rejects.toMatchObject(unavailable);
    await expect(store.get("a")).rejects.toMatchObject(unavailable);
    expect(failures).toEqual(["unsent", "unsent"]);
    // By the SDK, which does not say where it was.
    await expect(store.list("")).rejects.toMatchObject(unavailable);
    expect(tokens.requests()).toBeGreaterThan(0);
  } finally {
    store.close();
  }
});

test("neither do those to DynamoDB wait for ever", async () => {
  const store = new DynamoPointerStore({
    table: "t",
    families: TEST_FAMILIES,
    clock,
    prng,
    connection: {
      endpoint: "http://127.0.0.1:1",
      timeouts: { connectMs: 50, idleMs: 50, wholeMs: 50 },
    },
  });
  try {
    const batch = {
      writerId: "w",
      ops: [{ op: "bump", key: "/test/s/entities/by-id/a" }],
    } as const;
    await expect(store.commit(batch)).rejects.toMatchObject({
      kind: "Unavailable",
      code: "POINTERS_UNREACHABLE",
    });
  } finally {
    store.close();
  }
});
