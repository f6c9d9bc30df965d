import { afterAll, beforeAll, expect, it } from "vitest";
import { Team } from "./support.ts";

let team: Team;
const keys: Record<string, string> = {};

beforeAll(async () => {
  team = await Team.open();
  await team.namespace("w");
  for (let i = 0; i < 30; i++) await team.table("w", `t${String(i).padStart(2, "0")}`);
  for (const name of ["ann", "bob"]) keys[name] = await team.principal(name);
});
afterAll(() => team.firn.close());

async function grant(principal: string, name: string): Promise<void> {
  const on = { catalog: "default", namespace: ["w"], name };
  await team.grant(principal, ["read-metadata"], on);
}

/** All pages of the tables that somebody is told. */
async function told(principal: string, pageSize: number): Promise<readonly string[]> {
  const names: string[] = [];
  for (let token: unknown = ""; typeof token === "string"; ) {
    const path = `/iceberg/v1/default/namespaces/w/tables?pageSize=${pageSize}&pageToken=${token}`;
    const { status, body } = await team.ask(keys[principal] ?? "", "GET", path);
    expect(status).toBe(200);
    const page = body["identifiers"] as readonly { readonly name: string }[];
    expect(page.length).toBeLessThanOrEqual(pageSize);
    names.push(...page.map(({ name }) => name));
    token = body["next-page-token"];
  }
  return names;
}

it("each principal is told its own tables, whoever asked before, as grants change", async () => {
  for (const name of ["t01", "t03", "t20"]) await grant("ann", name);
  for (const name of ["t02", "t29"]) await grant("bob", name);
  for (const pageSize of [1_000, 1, 2, 1_000]) {
    expect(await told("ann", pageSize)).toEqual(["t01", "t03", "t20"]);
    expect(await told("bob", pageSize)).toEqual(["t02", "t29"]);
  }
  await grant("bob", "t03");
  expect(await told("bob", 1_000)).toEqual(["t02", "t03", "t29"]);
  await team.admin("POST", "/api/v1/grants:revoke", {
    principal: "bob",
    privileges: ["read-metadata"],
    catalog: "default",
    namespace: ["w"],
    name: "t29",
  });
  expect(await told("bob", 1_000)).toEqual(["t02", "t03"]);
});

it("a table that has the name of one that was told is not", async () => {
  await grant("ann", "t05");
  expect(await told("ann", 1_000)).toContain("t05");
  await team.admin("DELETE", "/iceberg/v1/default/namespaces/w/tables/t05");
  await team.table("w", "t05");
  expect(await told("ann", 1_000)).not.toContain("t05");
});

it("a name that others have asked for is not there for who may not know it", async () => {
  const at = "/iceberg/v1/default/namespaces/w/tables";
  await team.admin("GET", `${at}/t07`);
  await grant("bob", "t08");
  const ask = async (name: string) => {
    const { status, body } = await team.ask(keys["bob"] ?? "", "GET", `${at}/${name}`);
    return { status, error: JSON.stringify(body["error"])?.replaceAll(name, "NAME") };
  };
  expect((await ask("t08")).status).toBe(200);
  const absent = await ask("none");
  expect([absent.status, await ask("t07")]).toEqual([404, absent]);
  await grant("bob", "t07");
  expect((await ask("t07")).status).toBe(200);
});
