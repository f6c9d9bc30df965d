import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { operatorSocket } from "../../../src/runtime/operator-place.ts";
import { Bucket } from "../../double/s3/model.ts";
import { closeSites, NAME, openSite, type Site } from "../../support/aws-site.ts";
import { asOperator } from "./operator-request.ts";
import { ADMIN_KEY, type Answered, Team, table } from "./support.ts";

/*
 * Two stores that both have a bucket of one name: that of the environment, and one that only
 * profiles lead to.
 */

const PROFILES = "/api/v1/storage-profiles";
const UNASKED = `${PROFILES}?skipCheck=true`;
const CANARY = "canary-91d3c07a5be2";
const SECRET = { kind: "SEALED", accessKeyId: "AKIDEXAMPLE", secretAccessKey: CANARY };

let home: string;
let team: Team;
let far: Site;
let near: Site;
const keys: Record<string, string> = {};

async function account(socket: string, name: string): Promise<void> {
  await asOperator(socket, "POST", "/api/v1/accounts", { name });
  const admins = `/api/v1/accounts/${name}/admins`;
  const made = await asOperator(socket, "POST", admins, { principal: "boss" });
  keys[name] = made.body["key"] as string;
}

const keyOf = (name: string): string => keys[name] ?? "";

beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), "firn-profiles-"));
  far = await openSite();
  near = await openSite();
  const dir = join(home, "store");
  team = await Team.open({
    profile: "local",
    dir,
    warehouse: `s3://${NAME}/wh`,
    allowLocation: ["s3://acme-bucket"],
    storageEndpoint: [far.objects.url],
    listen: { port: 0 },
  });
  for (const name of ["acme", "globex"]) await account(operatorSocket(dir), name);
});

afterAll(async () => {
  await team.firn.close();
  await closeSites();
  rmSync(home, { recursive: true, force: true });
});

function holds({ s3 }: Site, location: string): boolean {
  const key = location.slice(`s3://${NAME}/`.length);
  return s3.model.buckets.get(NAME)?.get(key) !== undefined;
}

async function made(key: string, catalog: string, more: object = {}): Promise<Answered["body"]> {
  const namespaces = `/iceberg/v1/${catalog}/namespaces`;
  await team.ask(key, "POST", namespaces, { namespace: ["n"] });
  const body = { ...table("t"), ...more };
  const answer = await team.ask(key, "POST", `${namespaces}/n/tables`, body);
  expect(answer.status, JSON.stringify(answer.body)).toBe(200);
  return answer.body;
}

const endpointOf = (body: Answered["body"]) =>
  (body["config"] as Record<string, string>)["s3.endpoint"];
const metadataOf = (body: Answered["body"]) => body["metadata-location"] as string;

test("files and settings follow the profile with the longest root", async () => {
  const root = `s3://${NAME}/wh/east`;
  const east = { name: "east", roots: [root], endpoint: far.objects.url, secret: SECRET };
  await team.admin("POST", UNASKED, east);
  await team.admin("POST", UNASKED, { name: "deep", roots: [`${root}/lake/deep`] });
  await team.admin("POST", "/api/v1/catalogs", { name: "east", defaultLocation: `${root}/lake` });
  const beside = await made(ADMIN_KEY, "default");
  const inEast = await made(ADMIN_KEY, "east");
  const inDeep = await made(ADMIN_KEY, "east", { name: "d", location: `${root}/lake/deep/d` });
  for (const [body, there, not] of [
    [beside, near, far],
    [inEast, far, near],
    [inDeep, near, far],
  ] as const) {
    expect(holds(there, metadataOf(body)), metadataOf(body)).toBe(true);
    expect(holds(not, metadataOf(body)), metadataOf(body)).toBe(false);
    expect(endpointOf(body)).toBe(there.objects.url);
  }
});

test("a change of a profile holds for the next request", async () => {
  const east = `${PROFILES}/east?skipCheck=true`;
  const load = () => team.admin("GET", "/iceberg/v1/east/namespaces/n/tables/t");
  expect(endpointOf(await load())).toBe(far.objects.url);
  await team.admin("PATCH", east, { endpoint: near.objects.url });
  expect(endpointOf(await load())).toBe(near.objects.url);
  await team.admin("PATCH", east, { endpoint: far.objects.url });
  expect(endpointOf(await load())).toBe(far.objects.url);
});

test("a profile of another account uses nothing of the deployment's", async () => {
  const codeOf = async (more: object) => {
    const body = { name: "a", roots: ["s3://acme-bucket/lake"], secret: SECRET, ...more };
    const answer = await team.ask(keyOf("acme"), "POST", UNASKED, body);
    expect(JSON.stringify(answer.body)).not.toContain(CANARY);
    return answer.body["code"];
  };
  expect(await codeOf({ secret: { kind: "AMBIENT" } })).toBe("STORAGE_PROFILE_INVALID");
  const file = { kind: "FILE", file: "/etc/hostname" };
  expect(await codeOf({ secret: file })).toBe("STORAGE_PROFILE_INVALID");
  const inner = "http://169.254.169.254";
  expect(await codeOf({ endpoint: inner })).toBe("STORAGE_PROFILE_INVALID");
  expect(await codeOf({ stsEndpoint: inner })).toBe("STORAGE_PROFILE_INVALID");
  for (const root of [`s3://${NAME}`, `s3://${NAME}/wh/default`, `s3://${NAME}/wh/east`]) {
    expect(await codeOf({ roots: [root] }), root).toBe("STORAGE_ROOT_TAKEN");
  }
});

test("roots of two accounts never overlap", async () => {
  const mine = { name: "mine", roots: [`s3://${NAME}-2/acme`], endpoint: far.objects.url };
  const body = { ...mine, secret: SECRET };
  expect((await team.ask(keyOf("acme"), "POST", UNASKED, body)).status).toBe(201);
  for (const root of [`s3://${NAME}-2/acme`, `s3://${NAME}-2/acme/x`, `s3://${NAME}-2`]) {
    const theirs = { ...body, roots: [root] };
    for (const key of [keyOf("globex"), ADMIN_KEY]) {
      const answer = await team.ask(key, "POST", UNASKED, theirs);
      expect([answer.status, answer.body["code"]], root).toEqual([409, "STORAGE_ROOT_TAKEN"]);
      expect(JSON.stringify(answer.body)).not.toContain("mine");
    }
  }
  // A bucket that the operator allows the default account: there, too.
  const other = { ...body, name: "other", roots: ["s3://acme-bucket/lake"] };
  const late = await team.ask(keyOf("acme"), "POST", UNASKED, other);
  expect(late.body["code"]).toBe("STORAGE_ROOT_TAKEN");
});

test("an account finds another one's profile as little as an absent one", async () => {
  const { body } = await team.ask(keyOf("acme"), "GET", `${PROFILES}/mine`);
  const id = body["id"] as string;
  const absent = id.replace(/.$/, (last) => (last === "0" ? "1" : "0"));
  const asks = [
    ["GET", "", undefined],
    ["PATCH", "?skipCheck=true", { region: "x" }],
    ["DELETE", "", undefined],
    ["POST", ":check", undefined],
  ] as const;
  for (const [method, tail, sent] of asks) {
    for (const [known, unknown] of [
      ["mine", "none"],
      [`id:${id}`, `id:${absent}`],
    ] as const) {
      const [there, gone] = await Promise.all(
        [known, unknown].map((name) =>
          team.ask(keyOf("globex"), method, `${PROFILES}/${name}${tail}`, sent),
        ),
      );
      const text = (answer?: Answered, name = "") =>
        JSON.stringify({ ...answer?.body, instance: "" }).replaceAll(name.replace("id:", ""), "?");
      expect(there?.status).toBe(404);
      expect(text(there, known)).toBe(text(gone, unknown));
    }
  }
});

test("another account's files are in its profile's store, and nowhere without one", async () => {
  far.s3.model.buckets.set(`${NAME}-2`, new Bucket("us-east-1"));
  near.s3.model.buckets.set(`${NAME}-2`, new Bucket("us-east-1"));
  const root = `s3://${NAME}-2/acme`;
  const acme = keyOf("acme");
  const lake = { name: "lake", defaultLocation: `${root}/lake` };
  expect((await team.ask(acme, "POST", "/api/v1/catalogs", lake)).status).toBe(201);
  const { "metadata-location": at } = await made(acme, "lake");
  const key = (at as string).slice(`s3://${NAME}-2/`.length);
  expect(far.s3.model.buckets.get(`${NAME}-2`)?.get(key)).toBeDefined();
  // The catalog goes, and the profile: its root must not lead to the server's own credentials.
  const dropped = "/iceberg/v1/lake/namespaces/n/tables/t";
  expect((await team.ask(acme, "DELETE", dropped)).status).toBe(204);
  const used = await team.ask(acme, "DELETE", `${PROFILES}/mine`);
  expect(used.body["code"]).toBe("STORAGE_PROFILE_IN_USE");
  const spare = { name: "spare", roots: [`s3://${NAME}-2/spare`], secret: SECRET };
  expect((await team.ask(acme, "POST", UNASKED, spare)).status).toBe(201);
  // Once its root has been used, this process knows it as one that tables may lie below.
  const brief = { name: "brief", defaultLocation: `s3://${NAME}-2/spare/y` };
  expect((await team.ask(acme, "POST", "/api/v1/catalogs", brief)).status).toBe(201);
  expect((await team.ask(acme, "DELETE", "/api/v1/catalogs/brief")).status).toBe(204);
  expect((await team.ask(acme, "DELETE", `${PROFILES}/spare`)).status).toBe(204);
  const left = { name: "left", defaultLocation: `s3://${NAME}-2/spare/x` };
  expect((await team.ask(acme, "POST", "/api/v1/catalogs", left)).status).toBe(201);
  await team.ask(acme, "POST", "/iceberg/v1/left/namespaces", { namespace: ["n"] });
  const refused = await team.ask(acme, "POST", "/iceberg/v1/left/namespaces/n/tables", table("t"));
  expect(refused.body).toMatchObject({ error: { type: "BadRequestException" } });
  expect(near.s3.model.buckets.get(`${NAME}-2`)?.keys()).toEqual([]);
});
