import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { step } from "../node/transcript.mjs";

/*
 * Dumps by pg_dump and back by psql and pg_restore. What holds no expression is dumped byte for
 * byte alike; the texts of expressions differ in brackets, so of those the rows are compared.
 */

const run = promisify(execFile);
const place = await mkdtemp(join(tmpdir(), "firn-dump-"));
const at = (name) => join(place, name);

/** What a program printed; a psql that met an error says which. */
async function told(program, ...args) {
  const { stdout, stderr } = await run(program, args, { maxBuffer: 64_000_000 });
  return { stdout, stderr };
}

const psql = (...args) => told("psql", "-X", "-q", "-v", "ON_ERROR_STOP=1", ...args);
const rows = async (query) => (await psql("-At", "-c", query)).stdout;
const dump = async (...args) => (await told("pg_dump", ...args)).stdout;

/** Without what each run, server and clock has for itself. */
const plain = (text) =>
  text.split("\n").filter((line) => !/^(?:\\(?:un)?restrict |-- Dumped from )/.test(line));

const TABLES = `
CREATE SCHEMA shop;
COMMENT ON SCHEMA shop IS 'what is sold';
SET search_path = shop;
CREATE TYPE mood AS ENUM ('sad', 'ok', 'it''s "happy"');
CREATE TYPE place AS (street text, "House No" int, at numeric(4,1)[]);
CREATE SEQUENCE numbers START 5 INCREMENT 3 MINVALUE 2 MAXVALUE 1000 CYCLE;
CREATE TABLE customer (
  id serial PRIMARY KEY, name text NOT NULL UNIQUE, mood mood DEFAULT 'ok', tags text[],
  doc jsonb, "Odd ""Name" int, joined timestamptz, code char(3), price numeric(10,2), home place, homes place[]);
CREATE TABLE purchase (
  id bigint GENERATED ALWAYS AS IDENTITY (START WITH 10) PRIMARY KEY,
  customer_id int NOT NULL REFERENCES customer ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED,
  day date, took interval, weight double precision, hash bytea, mark uuid, UNIQUE (customer_id, day));
CREATE TABLE nokey (a int, b text);
CREATE INDEX by_day ON purchase (day DESC NULLS LAST) INCLUDE (weight);
CREATE INDEX by_doc ON customer USING gin (doc);
ALTER TYPE place OWNER TO CURRENT_USER;
COMMENT ON TABLE customer IS 'those who ''buy''';
COMMENT ON COLUMN customer.name IS 'as they say';
COMMENT ON INDEX by_day IS 'for reports';
INSERT INTO customer (name, mood, tags, doc, "Odd ""Name", joined, code, price, home, homes) VALUES
  ('a', 'sad', '{a,"b c",NULL}', '{"x": [1, "y"]}', 1, '2020-01-02 03:04:05.678+00', 'ab', 9.50,
    ROW('1, "Main"', 2, '{1.5,NULL}'), ARRAY[ROW('(x)', NULL, NULL)::place, NULL]),
  (E'tab\\tline\\nback\\\\', NULL, NULL, NULL, NULL, NULL, '\\.', NULL, NULL, NULL);
INSERT INTO purchase (customer_id, day, took, weight, hash, mark) VALUES
  (1, '2020-02-29', '1 day 02:03:04.5', 'NaN', '\\xdeadbeef00', '00000000-0000-0000-0000-000000000001'),
  (1, NULL, NULL, '-Infinity', '', NULL), (2, '2021-01-01', '-1 mon', 1e-300, NULL, NULL);
INSERT INTO nokey VALUES (1, 'x');
SELECT nextval('numbers'), nextval('numbers');
`;

const EXPRESSIONS = `
SET search_path = shop;
CREATE DOMAIN positive AS integer CHECK (VALUE > 0);
CREATE TABLE item (
  id int PRIMARY KEY, amount positive, price numeric CHECK (price >= 0),
  total numeric GENERATED ALWAYS AS (price * 2) STORED, made timestamptz DEFAULT now());
CREATE INDEX cheap ON item (lower(price::text)) WHERE price < 10;
CREATE VIEW dear AS SELECT id, price FROM item WHERE price > 5 WITH CASCADED CHECK OPTION;
CREATE VIEW a_view_of_views AS SELECT d.id, count(*) AS n FROM dear d, item i GROUP BY d.id;
CREATE MATERIALIZED VIEW kept AS SELECT id FROM a_view_of_views;
INSERT INTO item (id, amount, price) VALUES (1, 1, 4), (2, 2, 8);
REFRESH MATERIALIZED VIEW kept;
`;

const VIEWS = `
CREATE SCHEMA views;
SET search_path = views;
CREATE TABLE t (a int PRIMARY KEY, b text, n numeric(10, 2), at timestamptz, tags text[]);
CREATE TABLE "Odd" (a int, "Some Name" varchar(9));
INSERT INTO t VALUES (1, 'x', 1.5, '2024-01-02 03:04:05+00', '{p,q}'), (2, NULL, 7, NULL, NULL);
INSERT INTO "Odd" VALUES (1, 'one'), (3, 'three');
CREATE VIEW conditions AS SELECT a, upper(b) AS up FROM t
  WHERE a IN (1, 2, 3) AND (b LIKE 'x%' OR b IS NULL) AND NOT a BETWEEN 5 AND 6;
CREATE VIEW joined AS SELECT * FROM t FULL JOIN "Odd" USING (a);
CREATE VIEW named (p, q) AS SELECT x.a, y."Some Name" FROM t x LEFT JOIN "Odd" y ON x.a = y.a;
CREATE VIEW grouped AS SELECT b, count(*) FILTER (WHERE n > 1) AS c, string_agg(b, ',' ORDER BY a)
  FROM t GROUP BY ROLLUP (b) HAVING count(*) > 0;
CREATE VIEW ranked AS SELECT a, rank() OVER w, sum(n) OVER (ORDER BY a ROWS 1 PRECEDING) AS s
  FROM t WINDOW w AS (PARTITION BY b ORDER BY n DESC);
CREATE VIEW counted AS WITH RECURSIVE r(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM r WHERE i < 3)
  SELECT i FROM r;
CREATE VIEW both_sides AS SELECT a FROM t UNION (SELECT a FROM "Odd" EXCEPT SELECT 3) ORDER BY 1;
CREATE VIEW below AS SELECT a, (SELECT max(o.a) FROM "Odd" o WHERE o.a <= t.a) AS m FROM t
  WHERE EXISTS (SELECT 1 FROM t WHERE b = 'x') AND a = ANY (ARRAY(SELECT a FROM "Odd"));
CREATE VIEW forms AS SELECT CASE a WHEN 1 THEN 'one' ELSE b END AS w, EXTRACT(year FROM at) AS y,
  at AT TIME ZONE 'UTC' AS utc, tags[1] AS first, COALESCE(b, 'none') AS c, n::int AS i FROM t;
CREATE VIEW listed AS SELECT * FROM (VALUES (1, 'a'), (2, 'b')) v(i, word);
CREATE VIEW crossed AS SELECT t.a FROM t CROSS JOIN LATERAL unnest(t.tags) u(tag) ORDER BY u.tag;
`;
const NAMES =
  "below both_sides conditions counted crossed forms grouped joined listed named ranked".split(" ");
const OF_VIEWS = [
  "SELECT viewname, definition FROM pg_views WHERE schemaname = 'views' ORDER BY 1",
  ...NAMES.map((name) => `SELECT * FROM views.${name} ORDER BY 1`),
];

const DATA = [
  "SELECT * FROM shop.customer ORDER BY id",
  "SELECT * FROM shop.purchase ORDER BY id",
  "SELECT last_value, is_called FROM shop.numbers",
];
const MORE = [
  "SELECT id, amount, price, total FROM shop.item ORDER BY id",
  "SELECT * FROM shop.a_view_of_views ORDER BY id",
  "SELECT * FROM shop.kept ORDER BY id",
];
const all = async (queries) => {
  const found = [];
  for (const query of queries) found.push(await rows(query));
  return found;
};

let first = [];
await step("tables", async () => {
  await writeFile(at("tables.sql"), TABLES);
  await psql("-f", at("tables.sql"));
  return await all(DATA);
});
await step("a dump of tables", async () => {
  first = plain(
    await dump("-n", "shop", "-f", at("tables.dump")).then(() =>
      readFile(at("tables.dump"), "utf8"),
    ),
  );
  return first;
});
await step("the dump comes back by psql", async () => {
  await psql("-c", "DROP SCHEMA shop CASCADE");
  const { stderr } = await psql("-o", "/dev/null", "-f", at("tables.dump"));
  return [stderr, await all(DATA)];
});
await step("what came back is dumped alike", async () => {
  const again = plain(await dump("-n", "shop"));
  return again.filter((line, i) => line !== first[i]);
});
await step("numbers go on", async () => {
  await psql("-c", "INSERT INTO shop.customer (name) VALUES ('next')");
  await psql("-c", "INSERT INTO shop.purchase (customer_id, day) VALUES (3, '2022-02-02')");
  return [await rows("SELECT nextval('shop.numbers')"), await all(DATA.slice(0, 2))];
});
await step("expressions, domains and views", async () => {
  await writeFile(at("more.sql"), EXPRESSIONS);
  await psql("-f", at("more.sql"));
  return await all(MORE);
});
await step("views of all kinds, and what they are", async () => {
  await writeFile(at("views.sql"), VIEWS);
  await psql("-f", at("views.sql"));
  return await all(OF_VIEWS);
});
await step("a dump of views is the same, and comes back", async () => {
  await dump("-n", "views", "-f", at("views.dump"));
  const text = plain(await readFile(at("views.dump"), "utf8"));
  await psql("-c", "DROP SCHEMA views CASCADE");
  await psql("-o", "/dev/null", "-f", at("views.dump"));
  const again = await all(OF_VIEWS);
  await psql("-c", "DROP SCHEMA views CASCADE");
  return [text, again];
});
await step("a custom dump comes back by pg_restore, in parts", async () => {
  await dump("-Fc", "-n", "shop", "-f", at("shop.fc"));
  await psql("-c", "DROP SCHEMA shop CASCADE");
  const options = ["--exit-on-error", "--no-owner", "-d", process.env.PGDATABASE];
  for (const part of ["pre-data", "data", "post-data"]) {
    await told("pg_restore", ...options, `--section=${part}`, at("shop.fc"));
  }
  return [await all(DATA), await all(MORE)];
});
await step("pg_restore --clean drops what is there before", async () => {
  const options = ["--exit-on-error", "--no-owner", "-d", process.env.PGDATABASE];
  await psql("-c", "DELETE FROM shop.purchase");
  await told("pg_restore", "--clean", "--if-exists", ...options, at("shop.fc"));
  const again = [await all(DATA), await all(MORE)];
  await psql("-c", "DROP SCHEMA shop CASCADE");
  await told("pg_restore", "--clean", "--if-exists", ...options, at("shop.fc"));
  await told("pg_restore", "--clean", "--single-transaction", ...options, at("shop.fc"));
  return [again, await all(DATA), await all(MORE)];
});
await step("a directory is dumped and restored by two jobs", async () => {
  await dump("-Fd", "-j", "2", "-n", "shop", "-f", at("shop.fd"));
  await psql("-c", "DROP SCHEMA shop CASCADE");
  const options = ["--exit-on-error", "--no-owner", "-d", process.env.PGDATABASE];
  await told("pg_restore", "-j", "2", ...options, at("shop.fd"));
  return [await all(DATA), await all(MORE)];
});
await step("what came back is checked", async () => {
  const refused = [];
  for (const [values, table] of [
    ["(3, 0, 1)", "item (id, amount, price)"],
    ["(3, 1, -1)", "item (id, amount, price)"],
    ["(4, 1)", "dear (id, price)"],
    ["(99, NULL)", "purchase (customer_id, day)"],
  ]) {
    const done = psql("-c", `INSERT INTO shop.${table} VALUES ${values}`);
    refused.push(
      await done.then(
        () => "taken",
        () => "refused",
      ),
    );
  }
  return refused;
});
await step("a dump of inserts comes back", async () => {
  const text = await dump("-n", "shop", "--data-only", "--column-inserts", "-t", "shop.item");
  await psql("-c", "TRUNCATE shop.item");
  await writeFile(at("inserts.sql"), text);
  await psql("-o", "/dev/null", "-f", at("inserts.sql"));
  return await all(MORE.slice(0, 2));
});
await step("the whole database is dumped", async () => {
  const list = (
    await dump("-Fc", "-f", at("all.fc")).then(() => told("pg_restore", "-l", at("all.fc")))
  ).stdout;
  // Numbers of entries and OIDs differ.
  const entries = list.split("\n").filter((line) => line !== "" && !line.startsWith(";"));
  return entries.map((line) => line.replace(/^\d+; \d+ \d+ /, "")).sort();
});
await rm(place, { recursive: true, force: true });
