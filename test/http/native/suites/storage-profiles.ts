import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type * as api from "../../../../src/api/resources.ts";
import type { StorageReports } from "../../../../src/api/storage-operations.ts";
import { closeSites, NAME, openSite } from "../../../support/aws-site.ts";
import type { Api } from "../api.ts";

const PROFILES = "/storage-profiles";
const UNASKED = `${PROFILES}?skipCheck=true`;
const CANARY = "canary-5d0e41ab77c2";
const KEYS = { kind: "SEALED", accessKeyId: "AKIDEXAMPLE", secretAccessKey: CANARY };
const EAST = {
  name: "east",
  description: "the new lake",
  roots: ["s3://east/lake/", "s3://east-2"],
  endpoint: "http://127.0.0.1:9",
  region: "eu-central-1",
  roleArn: "arn:aws:iam::123456789012:role/lake",
  stsEndpoint: "http://127.0.0.1:9",
  kmsKeys: ["arn:aws:kms:eu-central-1:123456789012:key/0aa"],
  vend: true,
  sign: "READ",
  secret: KEYS,
  properties: { owner: "ann" },
};

/** Storage profiles, and what they refuse. */
export function describeStorageProfiles(served: () => Api): void {
  describe("storage profiles over HTTP", () => {
    creates(served);
    changes(served);
    refuses(served);
    holds(served);
    checks(served);
  });
}

function creates(served: () => Api): void {
  it("creates, reads and lists them, and never shows a secret", async () => {
    const firn = served();
    const key = { "Idempotency-Key": "make-east" };
    const made = await firn.done<api.StorageProfile>("POST", UNASKED, EAST, key);
    const { secret, ...rest } = EAST;
    const roots = ["s3://east-2", "s3://east/lake"];
    expect(made).toMatchObject({ ...rest, roots, pathStyle: true, version: "1" });
    expect(Object.keys(made.secret).sort()).toEqual(["kind", "setAt"]);
    expect(secret.secretAccessKey).toBe(CANARY);
    expect(await firn.done<api.StorageProfile>("POST", UNASKED, EAST, key)).toEqual(made);
    expect(await firn.done("GET", `${PROFILES}/east`)).toEqual(made);
    expect(await firn.done("GET", `${PROFILES}/id:${made.id}`)).toEqual(made);
    const page = await firn.done<api.Page<api.Summary>>("GET", PROFILES);
    expect(page.items.map(({ type, name }) => [type, name])).toEqual([["storageProfile", "east"]]);
    const again = await firn.refused("POST", UNASKED, EAST);
    expect(again.code).toBe("STORAGE_PROFILE_ALREADY_EXISTS");
    const none = await firn.refused("GET", `${PROFILES}/none`);
    expect(none.code).toBe("STORAGE_PROFILE_NOT_FOUND");
    const feed = await firn.ask("GET", "/changes");
    expect(feed.text).toContain("create-storage-profile");
    expect(feed.text).not.toContain(CANARY);
  });
}

function changes(served: () => Api): void {
  it("updates with masks, and only the version that was meant", async () => {
    const firn = served();
    const east = `${PROFILES}/east`;
    const before = await firn.done<api.StorageProfile>("GET", east);
    const patch = { sign: "OFF", description: "old", properties: { owner: null } };
    const masked = `${east}?skipCheck=true&updateMask=sign,properties`;
    const changed = await firn.done<api.StorageProfile>("PATCH", masked, patch);
    expect(changed).toMatchObject({ sign: "OFF", description: "the new lake", properties: {} });
    expect((await firn.done<api.StorageProfile>("PATCH", masked, patch)).etag).toBe(changed.etag);
    const late = await firn.refused("PATCH", masked, patch, { "If-Match": before.etag });
    expect(late).toMatchObject({ status: 412, code: "PRECONDITION_FAILED" });
    await firn.done("PATCH", `${east}?dryRun=true`, { vend: false });
    expect(await firn.done("GET", east)).toEqual(changed);
  });

  it("replaces the secret without showing either", async () => {
    const firn = served();
    const secret = { ...KEYS, secretAccessKey: `${CANARY}-2` };
    const asked = `${PROFILES}/east?skipCheck=true`;
    const answer = await firn.ask("PATCH", asked, { secret });
    expect([answer.status, answer.text.includes(CANARY)]).toEqual([200, false]);
    const { version } = answer.body as api.StorageProfile;
    // The same again is a change: it may be another one that is meant.
    const next = await firn.done<api.StorageProfile>("PATCH", asked, { secret });
    expect(Number(next.version)).toBe(Number(version) + 1);
  });
}

function refuses(served: () => Api): void {
  it("refuses what no store could be reached with", async () => {
    const firn = served();
    const codeOf = async (more: object) => {
      const body = { ...EAST, name: "x", roots: ["s3://far"], ...more };
      const problem = await firn.refused("POST", UNASKED, body);
      expect(JSON.stringify(problem)).not.toContain(CANARY);
      return problem.code;
    };
    expect(await codeOf({ roots: ["file:///etc"] })).toBe("STORAGE_PROFILE_INVALID");
    const long = `s3://far/${"abc/".repeat(60)}y`;
    expect(await codeOf({ roots: [long] })).toBe("STORAGE_ROOT_INVALID");
    expect(await codeOf({ roots: ["s3://east/lake"] })).toBe("STORAGE_ROOT_TAKEN");
    expect(await codeOf({ endpoint: "ftp://x" })).toBe("STORAGE_PROFILE_INVALID");
    expect(await codeOf({ endpoint: "http://ann:hush@x" })).toBe("STORAGE_PROFILE_INVALID");
    expect(await codeOf({ region: "eu west" })).toBe("STORAGE_PROFILE_INVALID");
    expect(await codeOf({ roleArn: "" })).toBe("STORAGE_PROFILE_INVALID");
    expect(await codeOf({ kmsKeys: ["mine"] })).toBe("STORAGE_PROFILE_INVALID");
    expect(await codeOf({ secret: { kind: "SEALED" } })).toBe("STORAGE_SECRET_INVALID");
    expect(await codeOf({ secret: { ...KEYS, accessKeyId: "a b" } })).toBe(
      "STORAGE_SECRET_INVALID",
    );
    expect(await codeOf({ secret: { ...KEYS, kind: "AMBIENT" } })).toBe("STORAGE_PROFILE_INVALID");
    expect(await codeOf({ secret: { kind: "FILE", file: "x" } })).toBe("STORAGE_PROFILE_INVALID");
    expect(await codeOf({ properties: { "client-secret": "hush" } })).toBe("PROPERTY_SECRET");
  });
}

function holds(served: () => Api): void {
  it("keeps a profile that a catalog uses, and deletes another one for good", async () => {
    const firn = served();
    const catalog = { name: "east", defaultLocation: "s3://east/lake/wh" };
    await firn.done("POST", "/catalogs", catalog);
    const inUse = "STORAGE_PROFILE_IN_USE";
    expect((await firn.refused("DELETE", `${PROFILES}/east`)).code).toBe(inUse);
    const fewer = { roots: ["s3://east-2"] };
    const asked = `${PROFILES}/east?skipCheck=true`;
    expect((await firn.refused("PATCH", asked, fewer)).code).toBe(inUse);
    const more = { roots: ["s3://east/lake"] };
    expect(await firn.done("PATCH", asked, more)).toMatchObject(more);
    // A root that went is free again.
    const west = { name: "west", roots: ["s3://east-2"] };
    await firn.done("POST", UNASKED, west);
    await firn.done("DELETE", "/catalogs/east");
    const { etag, id } = await firn.done<api.StorageProfile>("GET", `${PROFILES}/east`);
    const stale = { "If-Match": '"1-nonsense"' };
    const late = await firn.refused("DELETE", `${PROFILES}/east`, undefined, stale);
    expect(late.status).toBe(412);
    await firn.done("DELETE", `${PROFILES}/east`, undefined, { "If-Match": etag });
    await firn.done("DELETE", `${PROFILES}/west`);
    for (const gone of [`id:${id}`, "east"]) {
      const problem = await firn.refused("GET", `${PROFILES}/${gone}`);
      expect(problem.code).toBe("STORAGE_PROFILE_NOT_FOUND");
    }
  });
}

function checks(served: () => Api): void {
  describe("over a store", () => {
    beforeAll(async () => {
      await openSite();
    });
    afterAll(closeSites);

    it("asks a store before it is used, and whenever it is told to", async () => {
      const firn = served();
      const profile = { name: "here", roots: [`s3://${NAME}/lake`] };
      expect(await firn.done("POST", PROFILES, profile)).toMatchObject({ sign: "OFF" });
      const { reports } = await firn.done<StorageReports>("POST", `${PROFILES}/here:check`);
      expect(reports.map(({ location }) => location)).toEqual(profile.roots);
      expect(reports[0]?.findings.find(({ asked }) => asked === "signatures")?.holds).toBe(false);
      // This store checks no signature.
      const unsafe = await firn.refused("PATCH", `${PROFILES}/here`, { sign: "WRITE" });
      expect(unsafe).toMatchObject({ status: 400, code: "STORAGE_CHECK_FAILED" });
      const gone = { name: "gone", roots: ["s3://no-such-bucket"] };
      const missing = await firn.refused("POST", PROFILES, gone);
      expect(missing.code).toBe("BUCKET_MISSING");
      await firn.done("POST", `${PROFILES}?dryRun=true`, gone);
      expect((await firn.refused("GET", `${PROFILES}/gone`)).status).toBe(404);
      await firn.done("DELETE", `${PROFILES}/here`);
    });
  });
}
