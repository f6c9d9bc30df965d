import { afterEach, describe, expect, it } from "vitest";
import { SeededPrng } from "../../../src/base/prng.ts";
import { initBucket } from "../../../src/blob/s3/init.ts";
import type { S3Options } from "../../../src/blob/s3/options.ts";
import { probeBucket } from "../../../src/blob/s3/probe.ts";
import { SystemClock } from "../../../src/runtime/clock.ts";
import { BUCKET, type OpenedS3, openS3 } from "../../double/s3/open.ts";
import type { S3ServiceOptions } from "../../double/s3/service.ts";
import { failure } from "../../double/s3/xml.ts";
import type { Handler, Request } from "../../double/server.ts";

let s3: OpenedS3 | undefined;
afterEach(async () => {
  await s3?.close();
  s3 = undefined;
});

const COMPONENTS = { clock: new SystemClock(), prng: new SeededPrng(1) };

/** Options that reach a double, whose requests may be changed on their way. */
async function opened(
  options: S3ServiceOptions = {},
  change: (request: Request, handler: Handler) => ReturnType<Handler> = (request, handler) =>
    handler(request),
): Promise<S3Options> {
  s3 = await openS3(
    options,
    ({ handler }) =>
      (request) =>
        change(request, handler),
  );
  return {
    bucket: BUCKET,
    prefix: "firn/",
    endpoint: s3.serving.url,
    region: "us-east-1",
    credentials: { accessKeyId: "test", secretAccessKey: "secret" },
    timeouts: { idleMs: 500 },
    maxFailures: 2,
  };
}

const without =
  (...names: readonly string[]) =>
  (request: Request, handler: Handler) => {
    const kept = Object.entries(request.headers).filter(([name]) => !names.includes(name));
    return handler({ ...request, headers: Object.fromEntries(kept) });
  };

describe("a bucket is probed", () => {
  it("and accepted, and no object is left behind", async () => {
    const options = await opened();
    expect(await probeBucket(options, COMPONENTS)).toEqual({ clockSkewMs: 0, warnings: [] });
    expect(s3?.bucket.keys()).toEqual([]);
    expect(s3?.bucket.uploads.size).toBe(0);
    expect(s3?.serving.requests()).toBeLessThan(170);
  });

  it("and refused where it is not there, and made", async () => {
    const options = { ...(await opened()), bucket: "another" };
    await expect(probeBucket(options, COMPONENTS)).rejects.toMatchObject({
      code: "BUCKET_MISSING",
      message: expect.stringContaining("firn storage init"),
    });
    expect(await initBucket(options, COMPONENTS)).toEqual({ bucket: "created", warnings: [] });
    const made = s3?.service.model.buckets.get("another");
    expect(made?.lifecycle).toMatch(/<Prefix>firn\/<.*<DaysAfterInitiation>7</s);
    expect(await probeBucket(options, COMPONENTS)).toMatchObject({ warnings: [] });
    expect(await initBucket(options, COMPONENTS)).toEqual({ bucket: "existed", warnings: [] });
  });

  it.each([
    ["s3:PutObject", "PutObject"],
    ["s3:GetObject", "GetObject"],
    ["s3:ListBucket", "ListBucket"],
    ["s3:DeleteObject", "DeleteObject"],
  ])("and refused if it lacks %s", async (permission, denied) => {
    const options = await opened({
      refuses: (operation) => (operation === denied ? "AccessDenied" : undefined),
    });
    await expect(probeBucket(options, COMPONENTS)).rejects.toMatchObject({
      kind: "Invalid",
      code: "BUCKET_DENIED",
      context: { permission },
      message: expect.stringContaining(permission),
    });
  });

  it("and refused with credentials that are not known", async () => {
    const options = await opened({ accounts: new Map([["test", "other secret"]]) });
    await expect(probeBucket(options, COMPONENTS)).rejects.toMatchObject({
      code: "BUCKET_DENIED",
      message: expect.stringContaining("AWS_ACCESS_KEY_ID"),
    });
  });

  it("and refused in another region", async () => {
    const moved = { ...failure(301, "PermanentRedirect"), body: new Uint8Array(0) };
    const headers = { ...moved.headers, "x-amz-bucket-region": "eu-west-3" };
    const options = await opened({}, () => ({ ...moved, headers }));
    await expect(probeBucket(options, COMPONENTS)).rejects.toMatchObject({
      code: "BUCKET_REGION_WRONG",
      message: expect.stringMatching(/eu-west-3.*AWS_REGION/),
    });
  });

  it("and refused where nobody answers", async () => {
    const options = await opened();
    await s3?.serving.close();
    await expect(probeBucket(options, COMPONENTS)).rejects.toMatchObject({
      kind: "Unavailable",
      code: "BUCKET_UNREACHABLE",
      message: expect.stringContaining("AWS_ENDPOINT_URL"),
    });
  });
});

describe("a bucket is probed for what Firn relies on", () => {
  it.each([
    ["no condition", without("if-none-match", "if-match")],
    ["If-None-Match alone", without("if-match")],
    ["If-Match alone", without("if-none-match")],
  ])("and refused where the store holds %s", async (_what, change) => {
    const options = await opened({}, change);
    await expect(probeBucket(options, COMPONENTS)).rejects.toMatchObject({
      kind: "Invalid",
      code: "BUCKET_CONDITIONS_IGNORED",
      message: expect.stringContaining("--s3-bucket"),
    });
    expect(s3?.bucket.keys()).toEqual([]);
  });

  it("and refused where uploads in parts ignore conditions", async () => {
    const options = await opened({}, (request, handler) =>
      request.method === "POST" ? without("if-none-match")(request, handler) : handler(request),
    );
    await expect(probeBucket(options, COMPONENTS)).rejects.toMatchObject({
      code: "BUCKET_CONDITIONS_IGNORED",
    });
  });

  it("and refused where a look comes before the write", async () => {
    // Racers that looked together all win: the condition is judged by what stood a moment ago.
    const looked = new Set<string>();
    const options = await opened({}, (request, handler) => {
      const conditional = request.method === "PUT" && request.path.endsWith("/race");
      if (!conditional || looked.size > 1) return handler(request);
      looked.add(request.headers["x-amz-meta-firn-put"] ?? "");
      return without("if-none-match")(request, handler);
    });
    await expect(probeBucket(options, COMPONENTS)).rejects.toMatchObject({
      code: "BUCKET_CONDITIONS_IGNORED",
    });
  });

  it("and refused where metadata are lost", async () => {
    const options = await opened(
      {},
      without("x-amz-meta-firn-put", "x-amz-meta-firn-over", "x-amz-meta-firn-sha256"),
    );
    await expect(probeBucket(options, COMPONENTS)).rejects.toMatchObject({
      code: "BUCKET_UNFAITHFUL",
    });
  });
});

describe("a bucket is probed for its clock", () => {
  it.each([
    [-7_500, { warnings: ["this machine's clock is off"] }],
    [10_000, { warnings: ["this machine's clock is off"] }],
    [2_000, { warnings: [] }],
  ])("and its clock is %i ms off", async (offMs, report) => {
    const options = await opened({ now: () => Date.now() + offMs });
    const probed = await probeBucket(options, COMPONENTS);
    expect(probed).toMatchObject(report);
    // Told in whole seconds, and some time passes.
    expect(Math.abs(probed.clockSkewMs + offMs)).toBeLessThan(3_000);
  });

  it.each([-90_000, 90_000])("and refused where its clock is %i ms off", async (offMs) => {
    const options = await opened({ now: () => Date.now() + offMs });
    await expect(probeBucket(options, COMPONENTS)).rejects.toMatchObject({ code: "CLOCK_SKEWED" });
  });

  it("and refused where its clock is so far off that signatures are", async () => {
    const accounts = new Map([["test", "secret"]]);
    const options = await opened({ accounts, now: () => Date.now() + 3_600_000 });
    await expect(probeBucket(options, COMPONENTS)).rejects.toMatchObject({ code: "CLOCK_SKEWED" });
  });
});

it("a bucket that is another account's is not taken", async () => {
  const options = await opened({}, ({ method }) => {
    return method === "HEAD" ? failure(404, "NoSuchBucket") : failure(409, "BucketAlreadyExists");
  });
  await expect(initBucket(options, COMPONENTS)).rejects.toMatchObject({ code: "BUCKET_TAKEN" });
});
