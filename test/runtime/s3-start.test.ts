import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { utf8, utf8Text } from "../../src/base/bytes.ts";
import { Firn, type FirnOptions } from "../../src/index.ts";
import { failure } from "../double/s3/xml.ts";
import { closeSites, NAME, openSite, type SiteOptions, type Through } from "../support/aws-site.ts";

const SECRET = "the secret that all nodes of a test share";

let dir: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), "firn-s3-"));
});
afterEach(async () => {
  await closeSites();
  await rm(dir, { recursive: true, force: true });
});

function open(profile: "aws" | "bucket", more: FirnOptions = {}): Promise<Firn> {
  return Firn.open({
    profile,
    dir,
    s3Bucket: NAME,
    secret: SECRET,
    logLevel: "silent",
    ...(profile === "aws" && { dynamodbTable: NAME }),
    ...more,
  });
}

/** The code and the text of what a start is refused with. */
async function refusal(profile: "aws" | "bucket"): Promise<string> {
  const firn = await open(profile).catch((error: unknown) => error);
  if (firn instanceof Firn) {
    await firn.close();
    return "it serves";
  }
  const { code, message } = firn as { readonly code: string; readonly message: string };
  return `${code}: ${message}`;
}

/** A store that takes no notice of conditions. */
const unconditional: Through = (handler) => (request) => {
  const { "if-none-match": _none, "if-match": _match, ...headers } = request.headers;
  return handler({ ...request, headers });
};

/** A table that takes no notice of conditions. */
const unconditionalItems: Through = (handler) => (request) => {
  const text = utf8Text(request.body);
  const input: { ConditionExpression?: string; ExpressionAttributeValues?: unknown } =
    JSON.parse(text);
  if (input.ConditionExpression === undefined) return handler(request);
  const { ConditionExpression: _, ExpressionAttributeValues: __, ...rest } = input;
  return handler({ ...request, body: utf8(JSON.stringify(rest)) });
};

/** Every bucket is in another region. */
const elsewhere: Through = () => () => {
  const moved = failure(301, "PermanentRedirect");
  return { ...moved, headers: { ...moved.headers, "x-amz-bucket-region": "eu-west-3" } };
};

const ahead = (ms: number) => () => Date.now() + ms;
const MINUTES = 180_000;

/** What is wrong, and what the refusal says: its code, the setting, and what mends it. */
const IN_S3: Readonly<Record<string, readonly [SiteOptions, RegExp]>> = {
  "no bucket": [{ bucket: false }, /^BUCKET_MISSING: .*firn storage init.*--s3-bucket/],
  "another region": [{ toS3: elsewhere }, /^BUCKET_REGION_WRONG: .*eu-west-3.*AWS_REGION/],
  "no permission to write": [
    { s3: { refuses: (operation) => (operation === "PutObject" ? "AccessDenied" : undefined) } },
    /^BUCKET_DENIED: .*AWS_PROFILE.*s3:PutObject/,
  ],
  "unknown credentials": [
    { s3: { accounts: new Map([["test", "another"]]) } },
    /^BUCKET_DENIED: .*AWS_ACCESS_KEY_ID/,
  ],
  "conditions ignored": [
    { toS3: unconditional },
    /^BUCKET_CONDITIONS_IGNORED: .*--s3-bucket.*AWS_ENDPOINT_URL/,
  ],
  "clocks apart": [{ s3: { now: ahead(MINUTES) } }, /^CLOCK_SKEWED: .*NTP/],
};

const IN_DYNAMODB: Readonly<Record<string, readonly [SiteOptions, RegExp]>> = {
  "no table": [{ table: false }, /^DYNAMODB_TABLE_MISSING: .*firn storage init.*--dynamodb-table/],
  "another's table": [
    { keys: { partition: "pk", sort: "sk" } },
    /^DYNAMODB_TABLE_UNFIT: .*--dynamodb-table/,
  ],
  "no permission to write": [
    { dynamo: { denied: new Set(["PutItem"]) } },
    /^DYNAMODB_DENIED: .*PutItem/,
  ],
  "conditions ignored": [
    { toDynamo: unconditionalItems },
    /^DYNAMODB_CONDITIONS_IGNORED: .*AWS_ENDPOINT_URL_DYNAMODB/,
  ],
  "clocks apart": [{ dynamo: { nowMs: ahead(-MINUTES) } }, /^CLOCK_SKEWED: .*NTP/],
};

describe("a start is refused, naming the setting and what mends it", () => {
  for (const [what, [wrong, expected]] of Object.entries(IN_S3)) {
    test(`profile bucket, ${what}`, async () => {
      await openSite(wrong);
      expect(await refusal("bucket")).toMatch(expected);
    });
  }

  for (const [what, [wrong, expected]] of Object.entries(IN_DYNAMODB)) {
    test(`profile aws, ${what}`, async () => {
      await openSite(wrong);
      expect(await refusal("aws")).toMatch(expected);
    });
  }

  test.each([
    ["region", /^BUCKET_UNCONFIGURED: .*AWS_REGION/],
    ["credentials", /^BUCKET_DENIED: .*AWS_PROFILE.*AWS_ACCESS_KEY_ID/],
  ])("without %s, before anybody is asked", async (what, expected) => {
    const { objects } = await openSite();
    for (const name of Object.keys(process.env)) {
      const isAsked = what === "region" ? /REGION/ : /ACCESS_KEY/;
      if (name.startsWith("AWS_") && isAsked.test(name)) vi.stubEnv(name, undefined);
    }
    // Nothing of the machine's own is found either.
    vi.stubEnv("AWS_EC2_METADATA_DISABLED", "true");
    vi.stubEnv("AWS_CONFIG_FILE", "/nowhere");
    vi.stubEnv("AWS_SHARED_CREDENTIALS_FILE", "/nowhere");
    expect(await refusal("bucket")).toMatch(expected);
    expect(objects.requests()).toBe(0);
  });

  test("a missing bucket and a missing table are reported together", async () => {
    await openSite({ bucket: false, table: false });
    expect(await refusal("aws")).toMatch(/^BUCKET_MISSING: .*--s3-bucket.*--dynamodb-table/);
  });

  test("without a secret, before anybody is asked", async () => {
    const { objects, items } = await openSite();
    for (const profile of ["aws", "bucket"] as const) {
      const refused = Firn.open({ profile, s3Bucket: NAME });
      await expect(refused).rejects.toMatchObject({
        code: "SETTINGS_INVALID",
        message: expect.stringContaining("FIRN_SECRET"),
      });
    }
    expect([objects.requests(), items.requests()]).toEqual([0, 0]);
  });
});

describe("what is absent", () => {
  test("is made where init asks for it, and serves", async () => {
    const { s3, dynamo } = await openSite({ bucket: false, table: false });
    const firn = await open("aws", { init: true });
    const config = await firn.fetch(new Request("http://firn/iceberg/v1/config"));
    expect(config.status).toBe(200);
    await firn.close();
    expect(s3.model.buckets.get(NAME)?.keys()).not.toEqual([]);
    expect(dynamo.tables.ready(NAME).all()).not.toEqual([]);
  });
});
