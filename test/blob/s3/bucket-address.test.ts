import { afterEach, expect, test, vi } from "vitest";
import { bucketAddress } from "../../../src/blob/s3/bucket-address.ts";
import type { S3Options } from "../../../src/blob/s3/options.ts";
import { SystemClock } from "../../../src/runtime/clock.ts";

afterEach(() => vi.unstubAllEnvs());

const LAKE: S3Options = {
  bucket: "lake",
  region: "eu-central-1",
  credentials: { accessKeyId: "test", secretAccessKey: "test" },
};

function site(options: Partial<S3Options> = {}) {
  vi.stubEnv("AWS_CONFIG_FILE", "/dev/null");
  return bucketAddress({ ...LAKE, ...options }, new SystemClock());
}

test("AWS's own endpoint is not told: every client makes it of the region", async () => {
  for (const pathStyle of [true, false]) {
    const found = await site({ pathStyle });
    expect(found).toEqual({ region: "eu-central-1", endpoint: undefined, pathStyle });
  }
  expect(await site({ region: "cn-north-1" })).toMatchObject({
    endpoint: undefined,
  });
});

test.each([
  ["http://127.0.0.1:4566", true, "http://127.0.0.1:4566"],
  ["https://s3.example.com", true, "https://s3.example.com"],
  ["https://s3.example.com/gate", true, "https://s3.example.com/gate"],
  ["https://s3.example.com:9000", false, "https://s3.example.com:9000"],
])("another server is told as %s, path style %s", async (named, pathStyle, endpoint) => {
  vi.stubEnv("AWS_ENDPOINT_URL", named);
  expect(await site({ pathStyle })).toEqual({ region: "eu-central-1", endpoint, pathStyle });
});

test("without a region or credentials nothing is known", async () => {
  for (const name of ["AWS_REGION", "AWS_DEFAULT_REGION", "AWS_ACCESS_KEY_ID", "AWS_PROFILE"]) {
    vi.stubEnv(name, undefined);
  }
  vi.stubEnv("AWS_EC2_METADATA_DISABLED", "true");
  vi.stubEnv("AWS_SHARED_CREDENTIALS_FILE", "/dev/null");
  vi.stubEnv("AWS_CONFIG_FILE", "/dev/null");
  const { credentials, ...bare } = LAKE;
  const nowhere: S3Options = { bucket: LAKE.bucket, ...(credentials && { credentials }) };
  expect(await bucketAddress(nowhere, new SystemClock())).toBeUndefined();
  expect(await bucketAddress(bare, new SystemClock())).toBeUndefined();
});
