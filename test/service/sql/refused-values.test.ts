import pg from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { freePort } from "../../support/postgres-server.ts";
import { Team } from "../access/support.ts";
import { rowsOf } from "./support.ts";

let team: Team;
let port: number;
const clients: pg.Client[] = [];

beforeAll(async () => {
  port = await freePort();
  team = await Team.open({ accessStaleness: "0", listen: { port: 0, pgPort: port } });
  await rowsOf(
    team,
    `create schema w; create schema hidden;
     create table hidden.parent(id int primary key);
     create table w.t(a int primary key, secret text unique check (secret <> 'no'),
       p int references hidden.parent);
     create table hidden.child(id int primary key,
       t int constraint hidden_key references w.t);
     insert into hidden.parent values (1);
     insert into w.t values (1, 'whisper', 1), (2, 'other', 1);
     insert into hidden.child values (1, 2)`,
  );
});
afterAll(async () => {
  for (const client of clients) await client.end();
  await team.firn.close();
});

/** A session of a principal with some privileges on the one table. */
async function session(user: string, privileges: readonly string[]): Promise<pg.Client> {
  const password = await team.principal(user);
  await team.grant(user, privileges, { catalog: "default", namespace: ["w"], name: "t" });
  const at = { host: "127.0.0.1", port, user, database: "default" };
  const client = new pg.Client({ ...at, password });
  await client.connect();
  clients.push(client);
  return client;
}

async function refused(client: pg.Client, statement: string): Promise<pg.DatabaseError> {
  const error = await client.query(statement).then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (error instanceof pg.DatabaseError) return error;
  throw new Error(`${statement} was not refused`);
}

/** A statement, its SQLSTATE, and the values that its DETAIL shows. */
const OWN = [
  ["insert into w.t values (1, 'new', 1)", "23505", /^Key \(a\)=\(1\) already exists/],
  ["update w.t set secret = 'whisper'", "23505", /^Key \(secret\)=\(whisper\) already/],
  ["insert into w.t values (3, 'no', 1)", "23514", /^Failing row contains \(3, no, 1\)/],
  ["insert into w.t values (null, 'x', 1)", "23502", /^Failing row contains \(null, x, 1\)/],
] as const;

describe("values of refused rows", () => {
  it("are told to who may read them, and to no one else", async () => {
    const writer = await session("writer", ["write-data"]);
    const reader = await session("reader", ["write-data", "read-data"]);
    for (const [statement, code, detail] of OWN) {
      const bare = await refused(writer, statement);
      expect(bare, statement).toMatchObject({ code });
      expect(bare.detail, statement).toBeUndefined();
      expect(JSON.stringify(bare), statement).not.toContain("whisper");
      const whole = await refused(reader, statement);
      expect(whole, statement).toMatchObject({ code });
      expect(whole.detail, statement).toMatch(detail);
    }
  });

  it("are not told where they name a table that may not be seen", async () => {
    const client = await session("beside", ["write-data", "read-data"]);
    for (const statement of [
      "insert into w.t values (9, 'nine', 77)",
      "delete from w.t where a = 2",
      "begin; delete from w.t where a = 2; commit",
      "truncate w.t",
    ]) {
      const error = await refused(client, statement);
      const facts = `${statement}: ${JSON.stringify(error)} ${error.message}`;
      expect(facts.replace(statement, "")).not.toMatch(/hidden|parent|child/);
      expect(["23503", "0A000"], facts).toContain(error.code);
      expect(error.detail, facts).toBeUndefined();
      await client.query("rollback");
    }
  });

  it("are told with all tables that they name in sight", async () => {
    const client = await session("all", ["write-data", "read-data"]);
    await team.grant("all", ["read-data"], { catalog: "default", namespace: ["hidden"] });
    const orphan = await refused(client, "insert into w.t values (9, 'nine', 77)");
    expect(orphan.detail).toBe('Key (p)=(77) is not present in table "parent".');
    const used = await refused(client, "delete from w.t where a = 2");
    expect(used.detail).toBe('Key (a)=(2) is still referenced from table "child".');
  });
});
