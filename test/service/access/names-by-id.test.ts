import { afterAll, beforeAll, expect, test } from "vitest";
import type { Home } from "../../../src/api/page-operations.ts";
import type { FoundThing, Thing } from "../../../src/api/resources.ts";
import { ADMIN_KEY, Team } from "./support.ts";

let team: Team;
let stranger: string;
let things: readonly Thing[];

const AT = "/api/v1/catalogs/default/namespaces";

async function thing(type: Thing["type"], path: string): Promise<Thing> {
  const { id } = await team.admin("GET", path);
  return { type, id: String(id) };
}

async function found(key: string): Promise<readonly string[]> {
  const { status, body } = await team.ask(key, "POST", "/api/v1/names:find", { things });
  expect(status).toBe(200);
  return (body as unknown as { items: readonly FoundThing[] }).items
    .map(({ type, name }) => `${type} ${name}`)
    .toSorted();
}

beforeAll(async () => {
  team = await Team.open();
  await team.namespace("open");
  await team.namespace("hidden");
  for (const [namespace, name] of [
    ["open", "seen"],
    ["open", "secret"],
    ["hidden", "lost"],
  ] as const) {
    await team.table(namespace, name);
  }
  stranger = await team.principal("stranger");
  const on = { catalog: "default", namespace: ["open"], name: "seen" };
  await team.grant("stranger", ["read-metadata"], on);
  things = [
    await thing("catalog", "/api/v1/catalogs/default"),
    await thing("namespace", `${AT}/open`),
    await thing("namespace", `${AT}/hidden`),
    await thing("table", `${AT}/open/tables/seen`),
    await thing("table", `${AT}/open/tables/secret`),
    await thing("table", `${AT}/hidden/tables/lost`),
    { type: "table", id: "01890a5d-ac96-774b-bcce-b302099a8057" },
  ];
});

afterAll(async () => {
  await team.firn.close();
});

test("ids have the names of what the caller may see, and no others", async () => {
  expect(await found(ADMIN_KEY)).toEqual([
    "catalog default",
    "namespace hidden",
    "namespace open",
    "table lost",
    "table secret",
    "table seen",
  ]);
  expect(await found(stranger)).toEqual(["catalog default", "namespace open", "table seen"]);
  const { body } = await team.ask(stranger, "GET", "/api/v1/home");
  const { catalogs, changes, minutes, failedJobs, names } = body as unknown as Home;
  expect(catalogs.map(({ name }) => name)).toEqual(["default"]);
  expect([changes, minutes, failedJobs, names]).toEqual([[], [], [], []]);
  expect((await team.ask(ADMIN_KEY, "GET", "/api/v1/home")).body["names"]).not.toEqual([]);
});

test("what a node is set to is for administrators; its usage for those who may read", async () => {
  const node = async (key: string) => (await team.ask(key, "GET", "/api/v1/node")).body;
  const admin = await node(ADMIN_KEY);
  const settings = admin["settings"] as readonly { name: string; value: string }[];
  expect(settings.find(({ name }) => name === "--auth")?.value).toBe("required");
  expect(JSON.stringify(admin)).not.toContain(ADMIN_KEY);
  expect(settings.find(({ name }) => name === "FIRN_BOOTSTRAP_KEY")?.value).toBe("(set)");
  expect(Object.keys(await node(stranger)).toSorted()).toEqual(["info", "me"]);
  const { body } = await team.ask(stranger, "GET", "/api/v1/home");
  expect([body["hours"], body["days"]]).toEqual([undefined, undefined]);
  await team.grant("stranger", ["read-metadata"]);
  expect(Object.keys(await node(stranger)).toSorted()).toEqual(["info", "me", "usage"]);
});
