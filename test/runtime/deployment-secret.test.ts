import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { S3Service } from "../double/s3/service.ts";
import { type Serving, serve } from "../double/server.ts";
import { firnWith } from "../support/firn-process.ts";

let dir: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), "firn-secret-"));
});
afterEach(() => rm(dir, { recursive: true, force: true }));

describe("keys of a store in a bucket", () => {
  let serving: Serving;
  afterEach(() => serving.close());

  it("need the deployment's secret", async () => {
    const s3 = new S3Service();
    serving = await serve(s3.handler);
    const env = {
      AWS_ENDPOINT_URL_S3: serving.url,
      AWS_REGION: s3.region,
      AWS_ACCESS_KEY_ID: "test",
      AWS_SECRET_ACCESS_KEY: "test",
      FIRN_PROFILE: "bucket",
      FIRN_S3_BUCKET: "firn-keys",
      FIRN_DIR: dir,
    };
    const [own, other] = ["a".repeat(64), "b".repeat(64)];
    expect((await firnWith(env, "storage", "init")).exitCode).toBe(0);
    const first = await firnWith({ ...env, FIRN_SECRET: own }, "keys", "rotate");
    expect(first).toMatchObject({ exitCode: 0, errors: "" });
    for (const args of [
      ["keys", "rotate"],
      ["access", "reset-admin"],
    ]) {
      const unset = await firnWith(env, ...args);
      expect([args, unset.exitCode, unset.out]).toEqual([args, 2, ""]);
      expect(unset.errors).toContain("FIRN_SECRET");
      const wrong = await firnWith({ ...env, FIRN_SECRET: other }, ...args);
      expect([args, wrong.exitCode, wrong.out]).toEqual([args, 4, ""]);
      expect(wrong.errors).toContain("SECRET_WRONG");
    }
    const made = await firnWith({ ...env, FIRN_SECRET: own }, "access", "reset-admin");
    expect(made).toMatchObject({ exitCode: 0, errors: "" });
    expect(made.out).toMatch(/^key of admin, shown once: firn_/);
  });
});
