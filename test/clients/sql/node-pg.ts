import { once } from "node:events";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import pg from "pg";
import { from, to } from "pg-copy-streams";
import Cursor from "pg-cursor";
import { check, equal } from "./checks.ts";

/** node `pg`: a session of an application, as its documentation shows it. */

const client = new pg.Client();

const KINDS = `CREATE TABLE node_kinds (
  id int8 PRIMARY KEY, small int2, flag bool, ratio float8, price numeric(30, 10), word text,
  code varchar(8), raw bytea, day date, at timestamptz, plain timestamp, doc jsonb, key uuid,
  ints int8[], words text[])`;

async function refused(work: Promise<unknown>): Promise<pg.DatabaseError> {
  try {
    await work;
  } catch (error) {
    if (error instanceof pg.DatabaseError) return error;
    throw error;
  }
  throw new Error("nothing was refused");
}

async function tables(): Promise<void> {
  equal((await client.query(KINDS)).command, "CREATE");
  const orders = `CREATE TABLE node_orders (id int PRIMARY KEY, email text NOT NULL
    CONSTRAINT node_orders_email_key UNIQUE, qty int CONSTRAINT node_orders_qty CHECK (qty > 0))`;
  equal((await client.query(orders)).command, "CREATE");
}

async function types(): Promise<void> {
  const at = new Date("2026-02-03T04:05:06.789Z");
  const values = [
    "9007199254740993",
    -32768,
    true,
    0.1,
    "12345678901234567890.0123456789",
    "größer 🦀",
    "code",
    Buffer.from([0, 1, 254, 255]),
    "2026-02-03",
    at,
    "2026-02-03 04:05:06.789012",
    JSON.stringify({ a: [1, null, "x"] }),
    "6f9619ff-8b86-d011-b42d-00c04fc964ff",
    ["9223372036854775807", null, "-1"],
    ["plain", 'with "quotes", commas', null, ""],
  ];
  const marks = values.map((_value, i) => `$${i + 1}`).join(", ");
  const text = `INSERT INTO node_kinds VALUES (${marks}) RETURNING *`;
  const { rows } = await client.query({ name: "kinds", text, values });
  equal(rows[0].id, "9007199254740993");
  equal([rows[0].small, rows[0].flag, rows[0].ratio], [-32768, true, 0.1]);
  equal(rows[0].price, "12345678901234567890.0123456789");
  equal([rows[0].word, rows[0].code], ["größer 🦀", "code"]);
  equal(rows[0].raw, Buffer.from([0, 1, 254, 255]));
  equal(rows[0].at.getTime(), at.getTime());
  equal(rows[0].doc, { a: [1, null, "x"] });
  equal(rows[0].key, "6f9619ff-8b86-d011-b42d-00c04fc964ff");
  equal(rows[0].ints, ["9223372036854775807", null, "-1"]);
  equal(rows[0].words, ["plain", 'with "quotes", commas', null, ""]);
  const other = ["9007199254740992", ...Array(values.length - 1).fill(null)];
  const nulls = await client.query({ name: "kinds", text, values: other });
  equal(Object.values(nulls.rows[0]).slice(1), Array(values.length - 1).fill(null));
}

async function results(): Promise<void> {
  const { rows, fields, rowCount } = await client.query(
    "SELECT g AS n, 'x' || g AS t FROM generate_series(1, 20000) AS g",
  );
  equal([rowCount, rows[19_999]], [20_000, { n: 20_000, t: "x20000" }]);
  equal(
    fields.map(({ name, dataTypeID }) => [name, dataTypeID]),
    [
      ["n", 23],
      ["t", 25],
    ],
  );
  const several = (await client.query(
    "SELECT 1 AS a; SELECT 2 AS b",
  )) as unknown as pg.QueryResult[];
  equal(
    several.map((each) => each.rows),
    [[{ a: 1 }], [{ b: 2 }]],
  );
}

/** Queries that are handed over together are sent one behind the other's answer. */
async function queued(): Promise<void> {
  const answers = Array.from({ length: 50 }, (_, i) =>
    client.query("SELECT $1::int + 1 AS n", [i]),
  );
  const counted = (await Promise.all(answers)).map(({ rows }) => rows[0].n);
  equal(
    counted,
    Array.from({ length: 50 }, (_, i) => i + 1),
  );
}

async function transaction(): Promise<void> {
  await client.query("BEGIN ISOLATION LEVEL SERIALIZABLE");
  await client.query("INSERT INTO node_orders VALUES (1, 'a@x', 1)");
  await client.query("SAVEPOINT s");
  const failed = await refused(client.query("INSERT INTO node_orders VALUES (1, 'b@x', 1)"));
  equal(failed.code, "23505");
  equal((await refused(client.query("SELECT 1"))).code, "25P02");
  await client.query("ROLLBACK TO SAVEPOINT s");
  await client.query("INSERT INTO node_orders VALUES (2, 'b@x', 2)");
  await client.query("COMMIT");
  await client.query("BEGIN");
  await client.query("DELETE FROM node_orders");
  await client.query("ROLLBACK");
  equal((await client.query("SELECT count(*)::int AS n FROM node_orders")).rows, [{ n: 2 }]);
}

async function errors(): Promise<void> {
  const unique = await refused(client.query("INSERT INTO node_orders VALUES (3, 'a@x', 1)"));
  equal(
    [unique.code, unique.schema, unique.table, unique.constraint, unique.detail],
    [
      "23505",
      "public",
      "node_orders",
      "node_orders_email_key",
      "Key (email)=(a@x) already exists.",
    ],
  );
  const missing = await refused(client.query("INSERT INTO node_orders (id) VALUES (3)"));
  equal([missing.code, missing.table, missing.column], ["23502", "node_orders", "email"]);
  const checked = await refused(client.query("INSERT INTO node_orders VALUES (3, 'c@x', 0)"));
  equal([checked.code, checked.constraint], ["23514", "node_orders_qty"]);
  const unknown = await refused(client.query("SELECT * FROM node_nothing"));
  equal([unknown.code, unknown.position, unknown.severity], ["42P01", "15", "ERROR"]);
  const wrong = await refused(client.query("SELECT $1::int", ["x"]));
  equal(wrong.code, "22P02");
  equal((await client.query("SELECT 1 AS one")).rows, [{ one: 1 }]);
}

async function copy(): Promise<void> {
  await client.query("CREATE TABLE node_copy (id int PRIMARY KEY, word text)");
  const lines = Array.from({ length: 5_000 }, (_, i) => `${i}\t${i % 7 === 0 ? "\\N" : `w${i}`}\n`);
  const into = client.query(from("COPY node_copy FROM STDIN"));
  await pipeline(Readable.from(lines), into);
  equal(into.rowCount, 5_000);
  const out: Buffer[] = [];
  const taken = client.query(to("COPY (SELECT * FROM node_copy ORDER BY id) TO STDOUT"));
  for await (const chunk of taken) out.push(chunk);
  equal(Buffer.concat(out).toString(), lines.join(""));
  const broken = client.query(from("COPY node_copy FROM STDIN"));
  const failed = await refused(pipeline(Readable.from(["9000\tx\n", "no number\ty\n"]), broken));
  equal(failed.code, "22P02");
  const { rows } = await client.query("SELECT count(*)::int AS n FROM node_copy");
  equal(rows, [{ n: 5_000 }]);
}

async function composites(): Promise<void> {
  await client.query("CREATE TYPE node_part AS (code text, n int)");
  await client.query("CREATE TABLE node_parts (id int PRIMARY KEY, part node_part)");
  const insert = "INSERT INTO node_parts VALUES ($1, $2), ($3, ROW($4, $5)) RETURNING part";
  const { rows } = await client.query(insert, [1, '("a b",)', 2, 'c"d', 3]);
  equal(rows, [{ part: '("a b",)' }, { part: '("c""d",3)' }]);
  const update = "UPDATE node_parts SET part.n = $1 WHERE (part).code = $2 RETURNING (part).*";
  equal((await client.query(update, [7, "a b"])).rows, [{ code: "a b", n: 7 }]);
  equal((await refused(client.query("SELECT '(a)'::node_part"))).code, "22P02");
}

async function cursor(): Promise<void> {
  await client.query("BEGIN");
  const portal = client.query(new Cursor("SELECT id FROM node_copy WHERE id < $1", [250]));
  const read: number[] = [];
  for (let rows = await portal.read(100); rows.length > 0; rows = await portal.read(100)) {
    read.push(rows.length);
  }
  equal(read, [100, 100, 50]);
  await portal.close();
  await client.query("COMMIT");
}

/** What `pg` does not declare: asks the server, on a connection that is made for it. */
type Canceller = pg.Client & { cancel(client: pg.Client, query: pg.Query): void };

async function cancel(): Promise<void> {
  const query = new pg.Query("SELECT count(*) FROM generate_series(1, 10000000000::int8)");
  const failed = once(query, "error");
  client.query(query);
  // A statement can be cancelled once it is under way: the one before it has answered then.
  const timer = setInterval(() => (new pg.Client() as Canceller).cancel(client, query), 300);
  const [error] = await failed;
  clearInterval(timer);
  equal(error.code, "57014");
  equal((await client.query("SELECT 1 AS one")).rows, [{ one: 1 }]);
}

async function pool(): Promise<void> {
  const connections = new pg.Pool({ max: 8 });
  const add = "UPDATE node_orders SET qty = qty + 1 WHERE id = 1";
  await Promise.all(Array.from({ length: 40 }, () => connections.query(add)));
  const { rows } = await connections.query("SELECT qty FROM node_orders WHERE id = 1");
  equal(rows, [{ qty: 41 }]);
  await connections.end();
}

await client.connect();
await check("creates tables", tables);
await check("writes and reads values of all types, and NULL", types);
await check("values of a composite type", composites);
await check("reads many rows, and several statements at once", results);
await check("hands over fifty queries at once", queued);
await check("savepoint, rollback, commit", transaction);
await check("fields of errors", errors);
await check("COPY in and out", copy);
await check("reads a cursor in parts", cursor);
await check("cancels a statement", cancel);
await check("a pool of connections", pool);
await client.end();
