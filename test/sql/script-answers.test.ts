import pg from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openServer, type TestServer } from "../pgwire/wire-client.ts";

/*
 * Answers of PostgreSQL 15 that its regression scripts showed Firn to miss: small statements, so
 * that they are held without PostgreSQL too.
 */

let server: TestServer;

beforeAll(async () => {
  server = await openServer();
});
afterAll(async () => {
  await server.close();
  expect(server.defects).toEqual([]);
});

/** What the last of some statements answers: column names, then rows; or the SQLSTATE. */
async function answer(statements: string): Promise<string> {
  const client = new pg.Client({ host: "127.0.0.1", port: server.port, user: "tester" });
  await client.connect();
  try {
    const types = { getTypeParser: () => (value: string) => value };
    const query = { text: statements, rowMode: "array" as const, types };
    const answers = [await client.query<(string | null)[]>(query)].flat();
    const { fields = [], rows = [] } = answers.at(-1) ?? {};
    const lines = rows.map((row) => row.map((value) => value ?? "NULL").join("|"));
    return [fields.map(({ name }) => name).join("|"), ...lines].join("\n");
  } catch (error) {
    return (error as { code?: string }).code ?? String(error);
  } finally {
    await client.end();
  }
}

async function holds(statements: string, expected: string): Promise<void> {
  expect(await answer(statements)).toBe(expected);
}

describe("names of columns", () => {
  it.each([
    ["select 1::int2::int8, true::int, (select 1::int4)::int8", "int8|int4|int4\n1|1|1"],
    ["select case when true then 1::int8 end, (array[1])[1]", "case|array\n1|1"],
    ["select lower('A')::varchar::text", "lower\na"],
    ["select (a.*)::text from (values (1)) a(n)", "a\n(1)"],
  ])("%s", holds);
});

describe("date and interval styles", () => {
  const zone = "set timezone = 'America/Los_Angeles'; set datestyle = ";
  const values =
    "select '2001-07-03 04:05:06.5+00'::timestamptz a, '2001-02-03'::date b, " +
    "'0044-03-15 04:05 BC'::timestamp c";
  it.each([
    [`${zone}iso; ${values}`, "2001-07-02 21:05:06.5-07|2001-02-03|0044-03-15 04:05:00 BC"],
    [
      `${zone}postgres; ${values}`,
      "Mon Jul 02 21:05:06.5 2001 PDT|02-03-2001|Fri Mar 15 04:05:00 0044 BC",
    ],
    [
      `${zone}'postgres, dmy'; ${values}`,
      "Mon 02 Jul 21:05:06.5 2001 PDT|03-02-2001|Fri 15 Mar 04:05:00 0044 BC",
    ],
    [`${zone}sql; ${values}`, "07/02/2001 21:05:06.5 PDT|02/03/2001|03/15/0044 04:05:00 BC"],
    [
      `set timezone = 'Europe/Berlin'; set datestyle = german; ${values}`,
      "03.07.2001 06:05:06.5 CEST|03.02.2001|15.03.0044 04:05:00 BC",
    ],
  ])("%s", async (sql, expected) => holds(sql, `a|b|c\n${expected}`));

  const intervals =
    "select '1 year 2 mons -3 days 04:05:06.7'::interval a, '-1 day -02:03:04'::interval b, " +
    "'0'::interval c, '-00:00:01'::interval d, '2 years 1 mon'::interval e";
  it.each([
    [
      "postgres_verbose",
      "@ 1 year 2 mons -3 days 4 hours 5 mins 6.7 secs|@ 1 day 2 hours 3 mins 4 secs ago|@ 0|" +
        "@ 1 sec ago|@ 2 years 1 mon",
    ],
    ["sql_standard", "+1-2 -3 +4:05:06.7|-1 2:03:04|0|-0:00:01|2-1"],
    ["iso_8601", "P1Y2M-3DT4H5M6.7S|P-1DT-2H-3M-4S|PT0S|PT-1S|P2Y1M"],
    [
      "postgres",
      "1 year 2 mons -3 days +04:05:06.7|-1 days -02:03:04|00:00:00|-00:00:01|2 years 1 mon",
    ],
  ])("%s", async (style, expected) =>
    holds(`set intervalstyle = ${style}; ${intervals}`, `a|b|c|d|e\n${expected}`),
  );
});

describe("columns of type name", () => {
  it("are keys, and are found by texts", async () => {
    await answer(
      "create table named (n name primary key, i int); " +
        "insert into named values ('b', 2), ('a', 1), ('ab', 3)",
    );
    await holds("select n, i from named where n = 'a'::text", "n|i\na|1");
    await holds("select n from named where n like 'a%' order by n", "n\na\nab");
    await holds("insert into named values ('a', 9)", "23505");
  });
});

describe("intervals", () => {
  it.each([
    ["select interval '1 2' day to hour, interval '1' year to month", "1 day 02:00:00|1 mon"],
    [
      "select '4 millenniums 5 centuries 1 year'::interval, '1-2 3 4:05'::interval",
      "4501 years|1 year 2 mons 3 days 04:05:00",
    ],
    [
      "select 'P0001-02-03T04:05:06'::interval, 'P00010203T040506'::interval",
      "1 year 2 mons 3 days 04:05:06|1 year 2 mons 3 days 04:05:06",
    ],
    [
      "select 'P1.5Y-2M3W4.5DT-1H'::interval, 'P10.5e4Y'::interval",
      "1 year 4 mons 25 days 11:00:00|105000 years",
    ],
    [
      "select '-2147483648 days'::interval, '9223372036854775807 us'::interval",
      "-2147483648 days|2562047788:00:54.775807",
    ],
    ["select justify_interval('2147483647 days 24 hrs')", "5965232 years 4 mons 8 days"],
  ])("%s", async (sql, expected) => {
    expect((await answer(sql)).split("\n")[1]).toBe(expected);
  });

  it.each([
    ["2562047789 hours", "22015"],
    ["2147483647 decades", "22015"],
    ["178956970 years 9 months", "22008"],
    ["5.5 seconds 3 milliseconds", "22007"],
    ["1999-12-31", "22015"],
    ["1 foo", "22007"],
    ["", "22007"],
  ])("refuses %s", async (text, state) => holds(`select '${text}'::interval`, state));

  it("takes the sign of SQL's own form for all of it", () =>
    holds(
      "set intervalstyle = sql_standard; select '-1 day 23 hours'::interval as i",
      "i\n-1 23:00:00",
    ));
});

describe("words for time zones", () => {
  it.each([
    ["'2014-10-26 00:59:59 MSK'", "2014-10-25 20:59:59+00"],
    ["'2011-03-27 02:00:00 MSK'", "2011-03-26 22:00:00+00"],
    ["'2001-07-11 10:51:14 PST-03:00'", "2001-07-11 07:51:14+00"],
    ["'2001-07-11 10:51:14 GMT+4'", "2001-07-11 14:51:14+00"],
    ["'2001-07-11 10:51:14 ACST'", "2001-07-11 01:21:14+00"],
  ])("%s", (text, expected) => holds(`select ${text}::timestamptz as t`, `t\n${expected}`));
});

describe("times", () => {
  it.each([
    ["select '23:59:60.01'::time", "22008"],
    ["select '15:36:39 America/New_York'::time", "22007"],
    ["select '15:36:39 America/New_York'::timetz", "22007"],
    ["select '2001-01-01 15:36:39 America/New_York'::time as t", "t\n15:36:39"],
    ["select '23:59:60'::time as t", "t\n24:00:00"],
  ])("%s", holds);
});

describe("arguments of VARIADIC", () => {
  it.each([
    ["concat(variadic array[1,2,3]), concat_ws(',', variadic array[1,null,3])", "123|1,3"],
    ["concat(variadic null::int[]), concat(variadic '{}'::int[])", "NULL|"],
    ["format('%2$s, %1$s', variadic array['a','b']), num_nulls(variadic array[1,null])", "b, a|1"],
  ])("%s", async (sql, expected) => {
    expect((await answer(`select ${sql}`)).split("\n")[1]).toBe(expected);
  });
  it("are an array", () => holds("select concat(variadic 10)", "42804"));
});

describe("what would be answered otherwise is refused", () => {
  const recursive = "with recursive t(i) as (values (1) union all ";
  it.each([
    [
      `${recursive}select i + 1 from t where i < 3) search depth first by i set s select * from t`,
      "0A000",
    ],
    [`${recursive}select i + 1 from t where i < 3) cycle i set c using p select * from t`, "0A000"],
    [
      `${recursive}(select i + 1 from t where i < 9 union all select i from t)) select * from t`,
      "42P19",
    ],
    [`${recursive}select i + 1 from t where i in (select i from t)) select * from t`, "42P19"],
    [
      `${recursive}select t.i + 1 from (values (1)) v(x) left join t on true) select * from t`,
      "42P19",
    ],
    [`${recursive}select 2 except select i from t) select * from t`, "42P19"],
    ["select sum() within group (order by x) from generate_series(1, 3) x", "42809"],
    ["select max(x) filter (where sum(x) > 0) from generate_series(1, 3) x", "42803"],
    ["create table sys (i int); select ctid from sys", "0A000"],
    ["create table bits (b bit(4))", "0A000"],
  ])("%s", holds);
});

describe("rows of a table without a key", () => {
  it("come in the order in which they were inserted", async () => {
    const values = Array.from({ length: 300 }, (_, i) => `(${(i * 7919) % 300})`);
    await answer(`create table heap (n int); insert into heap values ${values.join(",")}`);
    await answer("insert into heap values (1000); insert into heap values (999)");
    const [, ...rows] = (await answer("select n from heap")).split("\n");
    expect(rows).toEqual([...values.map((each) => each.slice(1, -1)), "1000", "999"]);
  });
});

describe("settings of PostgreSQL's planner", () => {
  it("are kept, and change nothing", async () => {
    await holds("set enable_sort = off; show enable_sort", "enable_sort\noff");
    await holds("set work_of_nobody = 1", "42704");
    await holds("reset session authorization; select 1 as a", "a\n1");
  });
});

it("percentiles of an array have its shape", () =>
  holds(
    "select percentile_disc(array[[null,1],[0.5,0.25]]) " +
      "within group (order by x) as p from generate_series(1, 8) x",
    "p\n{{NULL,8},{4,2}}",
  ));

describe("functions of jsonb", () => {
  it.each([
    [
      "jsonb_build_object('a', 1, 'b', array[[1,2],[3,4]], 'c', '2001-02-03'::date, 'd', null)",
      '{"a": 1, "b": [[1, 2], [3, 4]], "c": "2001-02-03", "d": null}',
    ],
    ["jsonb_build_array(1.50, 'x', true, '[1]'::jsonb)", '[1.50, "x", true, [1]]'],
    ["to_jsonb('2001-02-03 04:05:06+00'::timestamptz)", '"2001-02-03T04:05:06+00:00"'],
    ["to_jsonb('NaN'::float8)", '"NaN"'],
    [`jsonb_set('{"a":[1,2,{"b":3}]}', '{a,2,b}', '9')`, '{"a": [1, 2, {"b": 9}]}'],
    [`jsonb_set('{"a":[1]}', '{a,-5}', '0')`, '{"a": [0, 1]}'],
    [`jsonb_set('{"a":1}', '{b}', '2', false)`, '{"a": 1}'],
    [`jsonb_insert('{"a":[0,1,2]}', '{a,1}', '"n"')`, '{"a": [0, "n", 1, 2]}'],
    [`jsonb_insert('{"a":[0,1,2]}', '{a,1}', '"n"', true)`, '{"a": [0, 1, "n", 2]}'],
    [`'{"a":[1,2]}'::jsonb #- '{a,0}'`, '{"a": [2]}'],
    [`jsonb_set_lax('{"a":1}', '{a}', null, true, 'delete_key')`, "{}"],
  ])("%s", async (sql, expected) => holds(`select ${sql} as j`, `j\n${expected}`));

  it.each([
    ["jsonb_build_object('a')", "22023"],
    ["jsonb_build_object(null, 1)", "22023"],
    [`jsonb_insert('{"a":1}', '{a}', '2')`, "22023"],
    [`jsonb_set('{"a":[1]}', '{a,x}', '0')`, "22P02"],
    [`jsonb_set('{"a":[1]}', '{a,null}', '0')`, "22004"],
    [`jsonb_set('1', '{a}', '0')`, "22023"],
  ])("refuses %s", async (sql, state) => holds(`select ${sql}`, state));
});

describe("to_char of times", () => {
  it.each([
    ["2001-02-03 04:05:06.789", "YYYY-MM-DD HH24:MI:SS.US", "2001-02-03 04:05:06.789000"],
    ["2001-02-03 14:05:06", "FMMonth FMDDth, YYYY HH12:MI am", "February 3rd, 2001 02:05 pm"],
    ["1999-12-31 23:59:59", "Day|DDD|IYYY-IW-ID|Q|CC|J", "Friday   |365|1999-52-5|4|20|2451544"],
    ["0044-03-15 12:00:00 BC", "Y,YYY AD RM", "0,044 BC III "],
    ["2001-02-03 04:05:06", '"at" HH24"h"', "at 04h"],
  ])("%s by %s", (at, pattern, expected) =>
    holds(`select to_char('${at}'::timestamp, '${pattern}') as t`, `t\n${expected}`),
  );
  it("tells the zone", () =>
    holds(
      "set timezone = 'America/New_York'; " +
        "select to_char('2001-07-03 12:00+00'::timestamptz, 'HH24 TZ OF TZH:TZM') as t",
      "t\n08 EDT -04 -04:00",
    ));
});

describe("prepared statements and MERGE", () => {
  it("take types by name, and refuse names of none", async () => {
    await holds("prepare a(no_such_type) as select $1", "42704");
    const prepare = "create type tone as enum ('low', 'high'); prepare b(tone) as select $1 as t;";
    await holds(`${prepare} execute b('high')`, "t\nhigh");
  });

  it("refuse WITH RECURSIVE in MERGE", async () => {
    const into = "merge into merged using r on merged.k = r.k when matched then delete";
    const table = "create table merged (k int primary key);";
    await holds(`${table} with recursive r as (select 1 as k) ${into}`, "42601");
  });
});

describe("the user of a session", () => {
  it("may be named again, and not be another one", async () => {
    await holds("set session authorization tester; select session_user", "session_user\ntester");
    await holds("set session authorization other", "0A000");
  });
});
