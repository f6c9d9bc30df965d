import { spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { Firn, type FirnOptions } from "../../src/index.ts";
import { closeSites, NAME, openSite, type Site } from "../support/aws-site.ts";
import { ask, exchange } from "./support.ts";

const ROOT = join(import.meta.dirname, "..", "..");
const SECRET = "the secret that all nodes of a test share";
const SCHEMA = {
  type: "struct",
  fields: [{ id: 1, name: "id", required: true, type: "long" }],
};

let dir: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), "firn-s3-"));
});
afterEach(async () => {
  await closeSites();
  await rm(dir, { recursive: true, force: true });
});

function open(options: FirnOptions): Promise<Firn> {
  return Firn.open({ dir, logLevel: "silent", ...options });
}

/** What stands in the bucket below a prefix. */
function keysBelow({ s3 }: Site, prefix: string): readonly string[] {
  const keys = s3.model.buckets.get(NAME)?.keys() ?? [];
  return keys.filter((key) => key.startsWith(prefix));
}

/** Takes the object of a location away, behind Firn's back. */
function take({ s3 }: Site, location: string): void {
  s3.model.buckets.get(NAME)?.delete(location.slice(`s3://${NAME}/`.length));
}

const TABLE = "/namespaces/ns/tables/t";

describe.each(["aws", "bucket"] as const)("profile %s", (profile) => {
  const options: FirnOptions = {
    profile,
    s3Bucket: NAME,
    secret: SECRET,
    cacheDiskMib: 8,
    ...(profile === "aws" && { dynamodbTable: NAME }),
  };

  test("keeps everything over a restart, on a machine that knows nothing", async () => {
    const site = await openSite();
    const first = await open(options);
    await ask(first, "POST", "/namespaces", { namespace: ["ns"] });
    for (const name of ["t", "u", "v"]) {
      await ask(first, "POST", "/namespaces/ns/tables", { name, schema: SCHEMA });
    }
    const update = { action: "set-properties", updates: { owner: "ice" } };
    const done = await ask(first, "POST", TABLE, { requirements: [], updates: [update] });
    expect(done["metadata-location"]).toMatch(/^s3:\/\/firn-test\/warehouse\/ns\/t-.*\/metadata\//);
    const page = await ask(first, "GET", "/namespaces/ns/tables?pageSize=2&pageToken=");
    await first.close();
    expect(keysBelow(site, "warehouse/ns/t-")).toHaveLength(2);
    expect(keysBelow(site, "firn/accounts/")).not.toEqual([]);
    expect(keysBelow(site, "firn/shards/").length > 0).toBe(profile === "bucket");
    expect(keysBelow(site, "firn/.firn-probe/")).toEqual([]);

    await rm(dir, { recursive: true });
    const again = await open(options);
    const loaded = await ask(again, "GET", TABLE);
    expect(loaded["metadata-location"]).toBe(done["metadata-location"]);
    expect(loaded.metadata).toEqual(done.metadata);
    const token = encodeURIComponent(page["next-page-token"]);
    const rest = await ask(again, "GET", `/namespaces/ns/tables?pageSize=2&pageToken=${token}`);
    expect(rest.identifiers).toEqual([{ namespace: ["ns"], name: "v" }]);
    await again.close();
    // A request that was signed before may still land on them: nothing is deleted at that age.
    const first20 = "1".padStart(20, "0");
    const oldest = ["wal", "manifest"].map(
      (kind) => `firn/shards/system/${kind}/${first20}.${kind}`,
    );
    const kept = keysBelow(site, "firn/shards/").filter((key) => oldest.includes(key));
    expect(kept.sort()).toEqual(profile === "bucket" ? oldest.sort() : []);
  });
});

describe("tables in S3", () => {
  const options = { profile: "aws", s3Bucket: NAME, dynamodbTable: NAME, secret: SECRET } as const;

  test("are looked after where that is asked for, and always at a register", async () => {
    const site = await openSite();
    for (const s3CheckMetadata of [false, true]) {
      const firn = await open({ ...options, s3CheckMetadata });
      const ns = `/namespaces/${s3CheckMetadata}`;
      await ask(firn, "POST", "/namespaces", { namespace: [`${s3CheckMetadata}`] });
      const made = await ask(firn, "POST", `${ns}/tables`, { name: "t", schema: SCHEMA });
      take(site, made["metadata-location"]);
      const load = await exchange(firn, "GET", `${ns}/tables/t`);
      const missing = [404, "METADATA_FILE_MISSING"];
      expect([load.status, load.code]).toEqual(s3CheckMetadata ? missing : [200, null]);
      const register = { name: "u", "metadata-location": made["metadata-location"] };
      const registered = await exchange(firn, "POST", `${ns}/register`, register);
      expect([registered.status, registered.code]).toEqual(missing);
      await firn.close();
    }
  });

  test("come with what their clients need to reach them", async () => {
    const { objects } = await openSite();
    const region = { "s3.region": "us-east-1", "client.region": "us-east-1" };
    const style = { "s3.path-style-access": "true", "s3.force-virtual-addressing": "false" };
    const elsewhere = "https://s3.example.com";
    for (const [i, [s3ClientEndpoint, told]] of [
      [undefined, { ...region, ...style, "s3.endpoint": objects.url }] as const,
      [elsewhere, { ...region, ...style, "s3.endpoint": elsewhere }] as const,
      ["none", region] as const,
    ].entries()) {
      const firn = await open({ ...options, ...(s3ClientEndpoint && { s3ClientEndpoint }) });
      const ns = `/namespaces/n${i}`;
      await ask(firn, "POST", "/namespaces", { namespace: [`n${i}`] });
      const config = async (method: string, path: string, body?: object) =>
        (await ask(firn, method, ns + path, body)).config;
      // A staged create comes first: no file of the bucket has been asked for yet.
      const staged = { name: "s", schema: SCHEMA, "stage-create": true };
      expect(await config("POST", "/tables", staged)).toEqual(told);
      expect(await config("POST", "/tables", { name: "t", schema: SCHEMA })).toEqual(told);
      const loaded = await ask(firn, "GET", `${ns}/tables/t`);
      expect(loaded.config).toEqual(told);
      // The protocol's answer to a commit has no config.
      const update = { action: "set-properties", updates: { owner: "ice" } };
      const commit = { requirements: [], updates: [update] };
      expect(await config("POST", "/tables/t", commit)).toBeUndefined();
      const metadata = loaded["metadata-location"];
      await ask(firn, "POST", `${ns}/tables/t/unregister`);
      const register = { name: "r", "metadata-location": metadata };
      expect(await config("POST", "/register", register)).toEqual(told);
      await firn.close();
    }
  });

  test("of a directory come with nothing, whatever the server knows of S3", async () => {
    await openSite();
    const firn = await open({ ...options, allowLocation: dir });
    await ask(firn, "POST", "/namespaces", { namespace: ["ns"] });
    const table = { name: "t", schema: SCHEMA, location: `file://${dir}/t` };
    expect((await ask(firn, "POST", "/namespaces/ns/tables", table)).config).toEqual({});
    await firn.close();
  });

  test("never lie among the catalog's own objects, whatever root is allowed", async () => {
    const site = await openSite();
    const firn = await open({ ...options, allowLocation: `s3://${NAME}` });
    await ask(firn, "POST", "/namespaces", { namespace: ["ns"] });
    const own = keysBelow(site, "firn/");
    for (const location of [`s3://${NAME}/firn/x`, `s3://${NAME}/firn`]) {
      const body = { name: "t", schema: SCHEMA, location };
      const refused = await exchange(firn, "POST", "/namespaces/ns/tables", body);
      expect([refused.status, refused.code]).toEqual([400, "LOCATION_NOT_ALLOWED"]);
      const register = { name: "t", "metadata-location": `${location}/v1.metadata.json` };
      const unread = await exchange(firn, "POST", "/namespaces/ns/register", register);
      expect([unread.status, unread.code]).toEqual([400, "LOCATION_NOT_ALLOWED"]);
    }
    expect(keysBelow(site, "firn/")).toEqual(own);
    await firn.close();
  });

  test("are served by any profile, which asks nobody before the first of them", async () => {
    const site = await openSite();
    const firn = await open({ profile: "local", warehouse: `s3://${NAME}/lake` });
    await ask(firn, "POST", "/namespaces", { namespace: ["ns"] });
    expect(site.objects.requests()).toBe(0);
    const made = await ask(firn, "POST", "/namespaces/ns/tables", { name: "t", schema: SCHEMA });
    expect(made.metadata.location).toMatch(/^s3:\/\/firn-test\/lake\/ns\/t-/);
    expect(keysBelow(site, "lake/ns/t-")).toHaveLength(1);
    expect(keysBelow(site, "firn/")).toEqual([]);
    await firn.close();
  });
});

test("a node is ready as long as it reaches bucket and table", async () => {
  const denied = new Set<string>();
  const refuses = (operation: string) => (denied.has(operation) ? "AccessDenied" : undefined);
  await openSite({ s3: { refuses }, dynamo: { denied } });
  const firn = await open({
    profile: "aws",
    s3Bucket: NAME,
    dynamodbTable: NAME,
    secret: SECRET,
  });
  const readiness = async () => (await firn.fetch(new Request("http://firn/readyz"))).status;
  expect(await readiness()).toBe(200);
  for (const operation of ["GetObject", "GetItem"]) {
    denied.add(operation);
    expect([operation, await readiness()]).toEqual([operation, 503]);
    denied.clear();
  }
  expect(await readiness()).toBe(200);
  await firn.close();
});

test("bucket and table that do not belong together are not called damaged alone", async () => {
  await openSite();
  const options = { profile: "aws", s3Bucket: NAME, dynamodbTable: NAME, secret: SECRET } as const;
  await (await open(options)).close();
  await expect(open({ ...options, s3Prefix: "another/" })).rejects.toMatchObject({
    code: "CATALOG_CORRUPT",
    message: expect.stringMatching(/--s3-prefix.*--dynamodb-table/),
  });
});

test("the SDKs are loaded by the profiles that need them alone", async () => {
  await openSite();
  const common = { dir, logLevel: "silent" };
  const aws = { profile: "aws", s3Bucket: NAME, dynamodbTable: NAME, secret: SECRET };
  const child = spawn(process.execPath, ["--input-type=module", "--eval", WATCHED], {
    cwd: ROOT,
    env: {
      ...process.env,
      OPTIONS: JSON.stringify([
        { ...common, profile: "local" },
        { ...common, ...aws },
      ]),
    },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const printed = (await child.stdout.toArray()).join("");
  expect(printed.split("\n")).toEqual(["loaded:", "loaded: dynamodb s3", ""]);
});

/** Opens a Firn and closes it, one after the other; prints the SDK's clients loaded by then. */
const WATCHED = `
  import { registerHooks } from "node:module";
  const loaded = new Set();
  registerHooks({
    load(url, context, next) {
      const client = /@aws-sdk\\/client-(\\w+)/.exec(url)?.[1];
      if (client !== undefined) loaded.add(client);
      return next(url, context);
    },
  });
  const { Firn } = await import("./src/index.ts");
  for (const options of JSON.parse(process.env.OPTIONS)) {
    const firn = await Firn.open(options);
    await firn.close();
    process.stdout.write(["loaded:", ...[...loaded].sort()].join(" ") + "\\n");
  }
`;
