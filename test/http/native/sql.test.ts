import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { SqlAnswer } from "../../../src/api/sql-operations.ts";
import { Api } from "./api.ts";

let api: Api;
beforeAll(async () => {
  api = await Api.open();
  await api.done("POST", "/catalogs", { name: "default", root: "memory:///lake" }).catch(() => {});
});
afterAll(() => api.firn.close());

const sql = (statement: string, more: object = {}): Promise<SqlAnswer> =>
  api.done<SqlAnswer>("POST", "/sql", { statement, ...more });

const LINES = { Accept: "application/x-ndjson" };

describe("POST /api/v1/sql", () => {
  it("creates, inserts by parameters, and selects typed columns", async () => {
    expect(await sql("create table t (id int8 primary key, v numeric(6,2), j jsonb)")).toEqual({
      command: "CREATE TABLE",
      rowCount: 0,
      columns: [],
      rows: [],
    });
    const big = "9223372036854775807";
    const parameters = [big, 12.5, { a: [1] }];
    const inserted = await sql("insert into t values ($1, $2, $3)", { parameters });
    expect(inserted).toMatchObject({ command: "INSERT 0 1", rowCount: 1 });
    expect(await sql("select id, v, j, id is null as n, array[1, null] as a from t")).toEqual({
      command: "SELECT 1",
      rowCount: 1,
      columns: [
        { name: "id", type: "bigint", oid: 20 },
        { name: "v", type: "numeric", oid: 1700 },
        { name: "j", type: "jsonb", oid: 3802 },
        { name: "n", type: "boolean", oid: 16 },
        { name: "a", type: "integer[]", oid: 1007 },
      ],
      rows: [[big, "12.50", { a: [1] }, false, [1, null]]],
    });
  });

  it("reads parameters of every form of JSON", async () => {
    const parameters = [true, 7, null, [1, 2], ["a,b", 'q"', null], "2026-01-31", 1.5];
    const statement =
      "select $1::bool, $2::int8, $3::text, $4::int4[], $5::text[], $6::date, $7::float8";
    const { rows } = await sql(statement, { parameters });
    expect(rows).toEqual([[true, "7", null, [1, 2], ["a,b", 'q"', null], "2026-01-31", 1.5]]);
    const floats = await sql("select 'NaN'::float8, 'Infinity'::float4");
    expect(floats.rows).toEqual([["NaN", "Infinity"]]);
  });

  it("says where an error is, with its SQLSTATE", async () => {
    const refused = await api.ask("POST", "/sql", { statement: "select nothing from t" });
    expect(refused.status).toBe(400);
    expect(refused.body).toMatchObject({
      code: "SQL_42703",
      context: { sqlState: "42703", position: 8 },
    });
    const absent = await api.ask("POST", "/sql", { statement: "select 1", catalog: "none" });
    expect(absent.body).toMatchObject({ code: "DATABASE_NOT_FOUND" });
    const few = await api.ask("POST", "/sql", { statement: "select $1::int4" });
    expect(few.body).toMatchObject({ code: "SQL_08P01" });
  });

  it("makes all statements of a text one transaction", async () => {
    const text = "insert into t values (1); insert into t values (2); select 1 / 0";
    expect((await api.ask("POST", "/sql", { statement: text })).status).toBe(400);
    expect((await sql("select count(*) from t")).rows).toEqual([["1"]]);
    await sql("insert into t values (1); insert into t values (2)");
    expect((await sql("select count(*) from t")).rows).toEqual([["3"]]);
    const open = await api.ask("POST", "/sql", { statement: "begin; delete from t" });
    expect(open.body).toMatchObject({ code: "TRANSACTION_OPEN" });
    expect((await sql("begin; delete from t where id = 1; commit")).command).toBe("COMMIT");
    expect((await sql("select count(*) from t")).rows).toEqual([["2"]]);
  });
});

describe("bounds and forms of POST /api/v1/sql", () => {
  it("keeps a transaction from writing, and takes settings", async () => {
    const body = { statement: "delete from t", transaction: { readOnly: true } };
    const refused = await api.ask("POST", "/sql", body);
    expect(refused.body).toMatchObject({ context: { sqlState: "25006" } });
    const settings = { TimeZone: "Asia/Tokyo" };
    expect((await sql("show timezone", { settings })).rows).toEqual([["Asia/Tokyo"]]);
    const isolated = await sql("show transaction_isolation", {
      transaction: { isolation: "serializable" },
    });
    expect(isolated.rows).toEqual([["serializable"]]);
  });

  it("ends a statement that takes too long", async () => {
    const slow = "select count(*) from generate_series(1, 1000000000)";
    const late = await api.ask("POST", "/sql", { statement: slow, timeoutMs: 50 });
    expect(late.body).toMatchObject({ context: { sqlState: "57014" } });
  });

  it("answers in lines, the end or an error last", async () => {
    const lines = await api.ask(
      "POST",
      "/sql",
      { statement: "select n from generate_series(1, 2500) n" },
      LINES,
    );
    const told = lines.body as readonly unknown[];
    expect(told).toHaveLength(2502);
    expect(told[0]).toEqual({ columns: [{ name: "n", type: "integer", oid: 23 }] });
    expect(told[2500]).toEqual([2500]);
    expect(told[2501]).toEqual({ command: "SELECT 2500", rowCount: 2500 });
    const failing = "select 10 / (2000 - n) from generate_series(1, 2500) n";
    const broken = await api.ask("POST", "/sql", { statement: failing }, LINES);
    const last = (broken.body as readonly object[]).at(-1);
    expect(last).toMatchObject({ error: { code: "SQL_22012", context: { sqlState: "22012" } } });
    const refused = await api.ask("POST", "/sql", { statement: "selekt" }, LINES);
    expect(refused.status).toBe(400);
  });

  it("keeps a row of json with line feeds in one line", async () => {
    const statement = `select '{"a":\n1}'::json`;
    const lines = await api.ask("POST", "/sql", { statement }, LINES);
    expect((lines.body as readonly unknown[])[1]).toEqual([{ a: 1 }]);
  });

  it("refuses a result that is too large for one answer, and COPY", async () => {
    const wide = "select repeat('x', 100000) from generate_series(1, 1000)";
    const refused = await api.ask("POST", "/sql", { statement: wide });
    expect(refused.body).toMatchObject({ code: "RESULT_TOO_LARGE" });
  });
});
