import pg from "pg";
import { afterAll, beforeAll, expect, it } from "vitest";
import { openServer, type TestServer } from "../pgwire/wire-client.ts";

let server: TestServer;
let client: pg.Client;
beforeAll(async () => {
  server = await openServer();
  client = new pg.Client({ host: "127.0.0.1", port: server.port, user: "tester" });
  await client.connect();
});
afterAll(async () => {
  await client.end();
  await server.close();
});

/** What PostgreSQL 15 answers, as text. */
const CASES: readonly (readonly [expression: string, answer: string | null])[] = [
  ["(array[10,20,30])[2]", "20"],
  ["(array[10,20,30])[0]", null],
  ["(array[10,20,30])[4]", null],
  ["(array[10,20,30])[null]", null],
  ["(array[[1,2],[3,4]])[2][1]", "3"],
  ["(array[[1,2],[3,4]])[2]", null],
  ["('[5:7]={1,2,3}'::int[])[6]", "2"],
  ["('7 8 9'::int2vector)[0]", "7"],
  ["('7 8 9'::oidvector)[2]", "9"],
  ["(array[10,20,30])[2:3]", "{20,30}"],
  ["(array[10,20,30])[:2]", "{10,20}"],
  ["(array[10,20,30])[2:]", "{20,30}"],
  ["(array[10,20,30])[:]", "{10,20,30}"],
  ["(array[10,20,30])[3:2]", "{}"],
  ["(array[10,20,30])[null:2]", null],
  ["(array[[1,2],[3,4]])[1:2][2]", "{{1,2},{3,4}}"],
  ["(array[[1,2],[3,4]])[2:2]", "{{3,4}}"],
  ["(array[[1,2],[3,4]])[1:1][2:2]", "{{2}}"],
  ["('[5:7]={1,2,3}'::int[])[6:9]", "{2,3}"],
  ["(array['a','b'])['1']", "a"],
  ["('7 8 9'::int2vector)::int2[]", "[0:2]={7,8,9}"],
  [`('{"a":[1,{"b":"x"}]}'::jsonb)['a'][1]['b']`, '"x"'],
  ["('[1,2]'::jsonb)[-1]", "2"],
  [`('{"1":2}'::jsonb)[1]`, "2"],
  ["('[5]'::jsonb)['0']", "5"],
  ["('[5]'::jsonb)[0::int2]", "5"],
  [`('{"a":1}'::jsonb)['x']['y']`, null],
  [`('{"a":null}'::jsonb)['a']`, "null"],
  ["(null::jsonb)['a']", null],
  ["('[7]'::jsonb)[null]", null],
  ["array_upper('7 8 9'::int2vector::int2[], 1)", "2"],
];

it.each(CASES)("%s", async (expression, answer) => {
  const { rows } = await client.query(`select (${expression})::text as value`);
  expect(rows).toEqual([{ value: answer }]);
});

it.each(["1.5", "1::int8", "0:1"])("jsonb has no subscript [%s]", async (subscript) => {
  const text = `select ('[1]'::jsonb)[${subscript}]`;
  await expect(client.query(text)).rejects.toMatchObject({ code: "42804" });
});

it("a value that is no array has no elements", async () => {
  await expect(client.query("select (1)[1]")).rejects.toMatchObject({ code: "42804" });
});
