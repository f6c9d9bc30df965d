import { execFile, spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openServer, type TestServer } from "./wire-client.ts";

/*
 * What psql 15 prints of PostgreSQL 15 for the same tables and user, byte for byte. Recorded as
 * psql -X -U postgres -f TABLES, then each command alone, each behind a line `== command`.
 */
const TABLES = `
create table t(id int primary key, s text not null default 'x', n numeric(10,2), unique(s));
create index on t(n);
create table "Other"(a bigint, b varchar(20) default 'q', c bool default true,
  d int default 5 check (d > 0), e timestamptz default now());
create index oi on "Other"(a desc nulls last, d nulls first) include (b) where d is not null;`;
const REFERENCES = `
create table customers(id int primary key, name text);
create table orders(id int primary key, customer int references customers on delete cascade,
  foreign key (customer) references customers(id) deferrable initially deferred);`;
const INVERTED = `
create table docs(id int primary key, body jsonb, tags text[], at int[]);
create index docs_body on docs using gin (body);
create index docs_path on docs using gin (body jsonb_path_ops, tags);
create index docs_at on docs using gin (at array_ops) where id > 3;`;

const run = promisify(execFile);
const hasPsql = spawnSync("psql", ["--version"]).stdout?.toString().includes(" 15.") === true;
if (!hasPsql) process.stdout.write("skipped: psql 15 is not installed\n");

function sectionsOf(file: string): readonly (readonly [string, string])[] {
  return readFileSync(`test/fixtures/sql/${file}`, "utf8")
    .split(/^== /m)
    .slice(1)
    .map((section) => {
      const end = section.indexOf("\n");
      return [section.slice(0, end), section.slice(end + 1)] as const;
    });
}

describe.skipIf(!hasPsql).each([
  ["tables and indexes", TABLES, "psql-describe.txt"],
  ["foreign keys", REFERENCES, "psql-foreign-keys.txt"],
  ["inverted indexes", INVERTED, "psql-inverted.txt"],
])("psql's \\d family: %s", (_what, tables, recorded) => {
  let server: TestServer;
  beforeAll(async () => {
    server = await openServer();
    await psql(tables);
  });
  afterAll(() => server.close());

  async function psql(command: string): Promise<string> {
    const url = `postgresql://postgres@127.0.0.1:${server.port}/default`;
    const { stdout, stderr } = await run("psql", ["-X", "-q", url, "-c", command]);
    return stdout + stderr;
  }

  it.each(sectionsOf(recorded))("%s", async (command, expected) => {
    expect(await psql(command)).toBe(expected);
    expect(server.defects).toEqual([]);
  });
});
