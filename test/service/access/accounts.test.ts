import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { operatorSocket } from "../../../src/runtime/operator-place.ts";
import { asOperator } from "./operator-request.ts";
import { ADMIN_KEY, type Answered, Team, table } from "./support.ts";

let team: Team;
let socket: string;
let home: string;
/** Administrators of accounts. */
const keys: Record<string, string> = {};

async function operator(method: string, path: string, body?: object): Promise<Answered["body"]> {
  const answer = await asOperator(socket, method, path, body);
  if (answer.status >= 300) throw new Error(`${path}: ${JSON.stringify(answer.body)}`);
  return answer.body;
}

async function account(name: string): Promise<void> {
  await operator("POST", "/api/v1/accounts", { name });
  const admin = { principal: "boss" };
  const { key } = await operator("POST", `/api/v1/accounts/${name}/admins`, admin);
  keys[name] = key as string;
}

beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), "firn-accounts-"));
  const dir = join(home, "store");
  socket = operatorSocket(dir);
  team = await Team.open({
    profile: "local",
    dir,
    warehouse: join(home, "lake"),
    listen: { port: 0 },
  });
  await account("acme");
  await account("globex");
});

afterAll(async () => {
  await team.firn.close();
  rmSync(home, { recursive: true, force: true });
});

const NAMESPACES = "/iceberg/v1/default/namespaces";

async function ok(key: string, method: string, path: string, body?: object): Promise<Answered> {
  const answer = await team.ask(key, method, path, body);
  expect(answer.status, `${method} ${path}: ${JSON.stringify(answer.body)}`).toBeLessThan(300);
  return answer;
}

function keyOf(name: string): string {
  return keys[name] ?? "";
}

test("the credential decides the account: equal names are different things", async () => {
  for (const name of ["acme", "globex"]) {
    await ok(keyOf(name), "POST", NAMESPACES, { namespace: ["sales"], properties: { of: name } });
    await ok(keyOf(name), "POST", `${NAMESPACES}/sales/tables`, table("t"));
    const loaded = await ok(keyOf(name), "GET", `${NAMESPACES}/sales`);
    expect(loaded.body["properties"]).toMatchObject({ of: name });
    expect((await ok(keyOf(name), "GET", "/api/v1/me")).body).toMatchObject({ account: name });
  }
  const [one, other] = await Promise.all(
    ["acme", "globex"].map((name) => ok(keyOf(name), "GET", `${NAMESPACES}/sales/tables/t`)),
  );
  const locationOf = (answer?: Answered) =>
    (answer?.body["metadata"] as { location: string } | undefined)?.location;
  expect(locationOf(one)).not.toBe(locationOf(other));
  expect((await team.ask(ADMIN_KEY, "GET", `${NAMESPACES}/sales`)).status).toBe(404);
  const { body } = await ok(keyOf("acme"), "GET", "/api/v1/principals");
  expect(JSON.stringify(body)).toContain("boss");
  expect(JSON.stringify(body)).not.toContain('"admin"');
});

test("files of one account are out of reach of the others", async () => {
  const path = `${NAMESPACES}/sales/tables/t`;
  const { body } = await ok(keyOf("acme"), "GET", path);
  const metadataLocation = body["metadata-location"] as string;
  const location = (body["metadata"] as { location: string }).location;
  for (const key of [keyOf("globex"), ADMIN_KEY]) {
    await team.ask(key, "POST", NAMESPACES, { namespace: ["thief"] });
    const register = { name: "x", "metadata-location": metadataLocation };
    const registered = await team.ask(key, "POST", `${NAMESPACES}/thief/register`, register);
    expect(registered.status).toBe(400);
    const at = { ...table("y"), location: `${location}/inside` };
    expect((await team.ask(key, "POST", `${NAMESPACES}/thief/tables`, at)).status).toBe(400);
    const root = { name: "loot", defaultLocation: location };
    expect((await team.ask(key, "POST", "/api/v1/catalogs", root)).status).toBe(400);
  }
});

test("only operators make, see and suspend accounts", async () => {
  for (const key of [keyOf("acme"), ADMIN_KEY]) {
    for (const [method, path, body] of [
      ["GET", "/api/v1/accounts", undefined],
      ["GET", "/api/v1/accounts/globex", undefined],
      ["GET", "/api/v1/accounts/absent", undefined],
      ["POST", "/api/v1/accounts", { name: "mine" }],
      ["PATCH", "/api/v1/accounts/globex", { suspended: true }],
      ["POST", "/api/v1/accounts/globex/admins", { principal: "thief" }],
      ["POST", "/api/v1/accounts/system/admins", { principal: "thief" }],
    ] as const) {
      const { status, body: said } = await team.ask(key, method, path, body);
      expect([path, status, said["code"]]).toEqual([path, 403, "PRIVILEGE_MISSING"]);
    }
  }
});

test("a principal of the account system manages accounts and reads no data", async () => {
  const made = await operator("POST", "/api/v1/accounts/system/admins", { principal: "ops" });
  const key = made["key"] as string;
  await ok(key, "POST", "/api/v1/accounts", { name: "initech" });
  expect(JSON.stringify((await ok(key, "GET", "/api/v1/accounts")).body)).toContain("acme");
  for (const path of [NAMESPACES, "/api/v1/catalogs", "/api/v1/changes"]) {
    expect((await team.ask(key, "GET", path)).status, path).toBe(403);
  }
  expect((await ok(key, "GET", "/api/v1/principals")).body["items"]).toHaveLength(1);
  await ok(key, "POST", "/api/v1/principals", { name: "intern" });
  const intern = await ok(key, "POST", "/api/v1/principals/intern/keys", {});
  const its = intern.body["key"] as string;
  expect((await team.ask(its, "GET", "/api/v1/accounts")).status).toBe(403);
});

test("a suspended account is 401 within the staleness time, and comes back", async () => {
  const token = async () =>
    (
      await team.firn.fetch(
        new Request("http://firn/iceberg/v1/oauth/tokens", {
          method: "POST",
          headers: { "content-type": "application/x-www-form-urlencoded" },
          body: `grant_type=client_credentials&client_secret=${keyOf("globex")}`,
        }),
      )
    ).json() as Promise<{ access_token: string }>;
  const { access_token: access } = await token();
  await ok(access, "GET", NAMESPACES);
  await operator("PATCH", "/api/v1/accounts/globex", { suspended: true });
  await expect
    .poll(async () => (await team.ask(access, "GET", NAMESPACES)).status, { timeout: 5_000 })
    .toBe(401);
  expect((await team.ask(keyOf("globex"), "GET", NAMESPACES)).status).toBe(401);
  expect((await team.ask(keyOf("acme"), "GET", NAMESPACES)).status).toBe(200);
  await operator("PATCH", "/api/v1/accounts/globex", { suspended: false });
  expect((await team.ask(keyOf("globex"), "GET", NAMESPACES)).status).toBe(200);
  const kept = await asOperator(socket, "PATCH", "/api/v1/accounts/default", { suspended: true });
  expect([kept.status, kept.body["code"]]).toEqual([409, "ACCOUNT_KEPT"]);
});

test("a page token is worth nothing to another principal or account", async () => {
  for (const name of ["acme", "globex"]) {
    for (const one of ["a", "b", "c"]) {
      await ok(keyOf(name), "POST", NAMESPACES, { namespace: [`page-${one}`] });
    }
  }
  const { body } = await ok(keyOf("acme"), "GET", `${NAMESPACES}?pageToken=&pageSize=1`);
  const token = encodeURIComponent(body["next-page-token"] as string);
  await ok(keyOf("acme"), "POST", "/api/v1/principals", { name: "second" });
  await ok(keyOf("acme"), "POST", "/api/v1/grants", {
    principal: "second",
    privileges: ["admin"],
  });
  const made = await ok(keyOf("acme"), "POST", "/api/v1/principals/second/keys", {});
  const next = `${NAMESPACES}?pageSize=1&pageToken=${token}`;
  await ok(keyOf("acme"), "GET", next);
  for (const key of [keyOf("globex"), made.body["key"] as string]) {
    const refused = await team.ask(key, "GET", next);
    expect([refused.status, refused.headers["x-firn-error"]]).toEqual([400, "PAGE_TOKEN_INVALID"]);
  }
});

test("no account rotates a key of another one, nor does a suspended one its own", async () => {
  const made = await operator("POST", "/api/v1/accounts", { name: "rotating" });
  expect(made).toMatchObject({ name: "rotating" });
  const boss = await operator("POST", "/api/v1/accounts/rotating/admins", { principal: "boss" });
  const [own, id] = [boss["key"] as string, boss["id"] as string];
  const path = `/api/v1/principals/boss/keys/${id}:rotate`;
  const foreign = await team.ask(keys["acme"] ?? "", "POST", path, {});
  expect([foreign.status, foreign.body["code"]]).toEqual([404, "KEY_NOT_FOUND"]);
  const fromDefault = await team.ask(ADMIN_KEY, "POST", path, {});
  expect([fromDefault.status, fromDefault.body["code"]]).toEqual([404, "PRINCIPAL_NOT_FOUND"]);
  const { body } = await ok(own, "POST", path, {});
  await operator("PATCH", "/api/v1/accounts/rotating", { suspended: true });
  await expect
    .poll(async () => (await team.ask(own, "POST", path, {})).status, { timeout: 10_000 })
    .toBe(401);
  expect((await team.ask(body["key"] as string, "POST", path, {})).status).toBe(401);
  await operator("PATCH", "/api/v1/accounts/rotating", { suspended: false });
});
