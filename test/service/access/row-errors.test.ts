import { afterAll, beforeAll, expect, test } from "vitest";
import { Team } from "./support.ts";

let team: Team;
let writer: string;

const ROWS = "/api/v1/catalogs/default/namespaces/open/tables/customers/rows";

/** What a deletion of a row that others refer to is refused with. */
async function refusal(key: string): Promise<string> {
  const writes = [{ op: "delete", key: { id: 1 } }];
  const { status, body } = await team.ask(key, "POST", `${ROWS}:write`, { writes });
  expect([status, body["code"]]).toEqual([409, "ROW_FOREIGN_KEY"]);
  return JSON.stringify(body);
}

beforeAll(async () => {
  team = await Team.open();
  await team.namespace("open");
  await team.namespace("hidden");
  const statement = `
    create table open.customers (id int primary key);
    create table hidden.orders (id int primary key, customer int references open.customers);
    insert into open.customers values (1); insert into hidden.orders values (7, 1)`;
  await team.admin("POST", "/api/v1/sql", { statement });
  writer = await team.principal("writer");
  const on = { catalog: "default", namespace: ["open"] };
  await team.grant("writer", ["read-metadata", "read-data", "write-data"], on);
});

afterAll(async () => {
  await team.firn.close();
});

test("a refused row names no table that its writer may not see", async () => {
  expect(await refusal(writer)).not.toMatch(/orders|hidden/);
  await team.grant("writer", ["read-metadata"], { catalog: "default", namespace: ["hidden"] });
  expect(await refusal(writer)).toMatch(/orders/);
});
