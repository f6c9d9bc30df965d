import { ask, connect } from "./asking.mjs";

/*
 * Grafana's data source for PostgreSQL: its test of the connection, its query editor's look at the
 * schema, panels with its macros, annotations and variables.
 */

const client = await connect();
const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const FROM = new Date("2024-03-10T00:00:00Z");
const TO = new Date("2024-03-11T12:00:00.250Z");

/** A number as Go prints it: from a million on with an exponent. */
function goNumber(value) {
  if (value < 1e6) return String(value);
  const [digits, exponent] = value.toExponential().split("e+");
  return `${digits}e+${exponent.padStart(2, "0")}`;
}

/** An instant as Go prints it: without zeros at the end of its fraction. */
const instant = (date) => `'${date.toISOString().replace(/\.?0*Z$/, "Z")}'`;
const seconds = (date) => Math.floor(date.getTime() / 1000);
const nanos = (date) => `${date.getTime()}000000`;

/** What the macros become. Values that fill gaps are added by Grafana, not in SQL. */
const time = (column) => `${column} AS "time"`;
const timeEpoch = (column) => `extract(epoch from ${column}) as "time"`;
const timeFilter = (column) => `${column} BETWEEN ${instant(FROM)} AND ${instant(TO)}`;
const timeGroup = (column, every) =>
  `floor(extract(epoch from ${column})/${goNumber(every)})*${goNumber(every)}`;
const timeGroupAlias = (column, every) => `${timeGroup(column, every)} AS "time"`;
const unixGroup = (column, every) => `floor((${column})/${goNumber(every)})*${goNumber(every)}`;
const between = (column, from, to) => `${column} >= ${from} AND ${column} <= ${to}`;
const unixFilter = (column) => between(column, seconds(FROM), seconds(TO));
const nanoFilter = (column) => between(column, nanos(FROM), nanos(TO));

const TABLES = `
CREATE SCHEMA "Plant-1";
CREATE TYPE state AS ENUM ('ok', 'warn', 'down');
CREATE TABLE hosts (
  id serial PRIMARY KEY, name varchar(40) NOT NULL UNIQUE, region text, added date,
  state state NOT NULL DEFAULT 'ok', labels jsonb, groups text[]
);
CREATE TABLE readings (
  host_id int NOT NULL REFERENCES hosts (id), at timestamptz NOT NULL, local_at timestamp,
  epoch bigint, nanos bigint, cpu double precision, load real, used numeric(10, 2), hits bigint,
  fine boolean, PRIMARY KEY (host_id, at)
);
CREATE INDEX readings_at ON readings (at DESC);
CREATE TABLE "Plant-1"."Belt ""A""" ("Started At" timestamptz, "Speed" smallint, span interval,
  clock time, zoned timetz, blob bytea, fixed char(6), id uuid);
CREATE VIEW busy AS SELECT host_id, max(cpu) AS peak FROM readings GROUP BY host_id;
CREATE TABLE events (id bigint PRIMARY KEY, starts bigint, ends bigint, said text, tags text,
  at timestamptz);`;
const ROWS = `
INSERT INTO hosts (name, region, added, state, labels, groups) VALUES
  ('web-1', 'eu', '2024-01-02', 'ok', '{"rack": 4, "os": "linux"}', '{web,front}'),
  ('web-2', 'eu', '2024-01-03', 'warn', '{"rack": 5}', '{web}'),
  ('db''s', 'us', NULL, 'down', NULL, '{}');
INSERT INTO readings
  SELECT h, timestamptz '2024-03-10 00:00:07+00' + n * interval '7 minutes',
    timestamp '2024-03-10 00:00:07' + n * interval '7 minutes',
    1710028807 + n * 420, (1710028807 + n * 420) * 1000000000::bigint, (n * 37 % 101) / 4.0 + h,
    n % 9 / 8.0, CASE WHEN n % 11 = 0 THEN NULL ELSE n * 1.25 END, n * 100 + h - n % 20 * 60,
    n % 3 = 0
  FROM generate_series(1, 3) h, generate_series(0, 299) n WHERE (n / 20) % 4 <> 2;
INSERT INTO "Plant-1"."Belt ""A""" VALUES ('2024-03-10 06:00:00.5+02', 12, '1 day 02:03:04.5',
  '12:34:56.25', '23:12:36.75+01', '\\x00ff', 'ab', 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'),
  (NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO events VALUES
  (1, 1710040000, 1710041000, 'deploy', 'release,web', '2024-03-10 03:06:40+00'),
  (2, 1710050000, NULL, 'alarm', NULL, '2024-03-10 05:53:20+00'),
  (3, 1800000000, NULL, 'later', 'x', '2027-01-15 08:00:00+00');`;

// Its test of a connection, and what it learns about the server.
await ask(client, "ping", "-- ping");
await ask(client, "ping of the older driver", ";");
await ask(client, "select of the test", "SELECT 1");
const NUMBER = "current_setting('server_version_num')::int/100";
await ask(client, "major version", `SELECT ${NUMBER} / 100 AS version`);
await ask(client, "timescale", "SELECT extversion FROM pg_extension WHERE extname = 'timescaledb'");
await ask(client, "tables", TABLES);
await ask(client, "rows", ROWS);

/** Schemas that the search path names, as the query editor finds them: "$user" too. */
const PATH = "string_to_array(current_setting('search_path'), ',')";
const ON_PATH = `quote_ident(table_schema) IN (SELECT CASE WHEN trim(s[i]) = '"$user"' THEN user
  ELSE trim(s[i]) END FROM generate_series(array_lower(${PATH}, 1), array_upper(${PATH}, 1)) AS i,
  ${PATH} s)`;
const HIDDEN = "'information_schema', 'pg_catalog', '_timescaledb_cache', '_timescaledb_config'";
const literal = (text) => `'${text.replaceAll("'", "''")}'`;

async function editor(named) {
  await ask(
    client,
    `${named}: schemas`,
    `SELECT schema_name AS "name" FROM information_schema.schemata
     WHERE schema_name NOT IN (${HIDDEN}, 'pg_toast') ORDER BY schema_name`,
  );
  await ask(
    client,
    `${named}: tables`,
    `SELECT CASE WHEN ${ON_PATH} THEN quote_ident(table_name)
       ELSE quote_ident(table_schema) || '.' || quote_ident(table_name) END AS "table"
     FROM information_schema.tables WHERE quote_ident(table_schema) NOT IN (${HIDDEN})
     ORDER BY CASE WHEN ${ON_PATH} THEN 0 ELSE 1 END, 1`,
  );
  for (const schema of ["public", '"Plant-1"']) {
    await ask(
      client,
      `${named}: tables of ${schema}`,
      `SELECT quote_ident(table_name) AS "table" FROM information_schema.tables
       WHERE quote_ident(table_schema) = ${literal(schema)} ORDER BY 1`,
    );
  }
  for (const table of ["readings", "busy", '"Plant-1"."Belt ""A"""', "public.hosts", "none"]) {
    const name = literal(table);
    await ask(
      client,
      `${named}: columns of ${table}`,
      `SELECT quote_ident(column_name) AS "column", data_type AS "type"
       FROM information_schema.columns
       WHERE CASE WHEN array_length(parse_ident(${name}), 1) = 2
         THEN quote_ident(table_schema) = (parse_ident(${name}))[1]
           AND quote_ident(table_name) = (parse_ident(${name}))[2]
         ELSE quote_ident(table_name) = ${name} AND ${ON_PATH} END ORDER BY ordinal_position`,
    );
  }
}

await editor("editor");
await client.query(`SET search_path TO "Plant-1", public`);
await editor("editor with a search path");
await client.query("RESET search_path");

// The schema for Grafana's own SQL: prepared, with parameters.
await ask(
  client,
  "schema: names",
  `SELECT schema_name FROM information_schema.schemata
   WHERE schema_name NOT LIKE 'pg_%' AND schema_name <> 'information_schema' ORDER BY schema_name`,
  undefined,
  { queryMode: "extended" },
);
await ask(
  client,
  "schema: tables",
  `SELECT table_name FROM information_schema.tables
   WHERE table_schema = $1 AND table_type IN ('BASE TABLE', 'VIEW') ORDER BY table_name`,
  ["public"],
);
for (const [schema, table] of [
  ["public", "hosts"],
  ["public", "readings"],
  ["Plant-1", 'Belt "A"'],
]) {
  await ask(
    client,
    `schema: columns of ${table}`,
    `SELECT column_name, data_type, udt_name, numeric_precision, numeric_scale
     FROM information_schema.columns WHERE table_schema = $1 AND table_name = $2
     ORDER BY ordinal_position`,
    [schema, table],
  );
}
const valuesOf = (column, index) =>
  `SELECT '${column}' AS col_name, "${column}"::text AS val FROM (SELECT DISTINCT "${column}"
   FROM "public"."hosts" WHERE "${column}" IS NOT NULL ORDER BY "${column}" LIMIT 100) sub_${index}`;
const VALUED = ["name", "region", "added", "state", "labels", "groups"];
await ask(client, "schema: values of columns", VALUED.map(valuesOf).join(" UNION ALL "));

// Panels, as the builder writes them and as people do.
const panel = (name, text) => ask(client, `panel: ${name}`, text);
await panel("builder", `SELECT cpu, at FROM readings WHERE host_id = 1 ORDER BY at LIMIT 50`);
await panel(
  "builder with filters",
  `SELECT AVG(cpu) AS "mean", COUNT(*), fine FROM public.readings
   WHERE (fine = TRUE OR load > 0.5) AND used IS NOT NULL GROUP BY fine ORDER BY AVG(cpu) DESC`,
);
await panel(
  "time",
  `SELECT ${time("at")}, cpu FROM readings WHERE ${timeFilter("at")} AND host_id = 2 ORDER BY 1`,
);
await panel(
  "epoch",
  `SELECT ${timeEpoch("at")}, load FROM readings WHERE ${timeFilter("at")} ORDER BY 1, 2`,
);
await panel(
  "epoch of a local time",
  `SELECT ${timeEpoch("local_at")}, used FROM readings WHERE ${timeFilter("local_at")}
   AND host_id = 3 ORDER BY "time"`,
);
for (const [name, every] of [
  ["half seconds", 0.5],
  ["5m", 5 * MINUTE],
  ["1h", HOUR],
  ["1d", DAY],
  ["1w", 7 * DAY],
  ["30d", 30 * DAY],
]) {
  await panel(
    `group by ${name}`,
    `SELECT ${timeGroupAlias("r.at", every)}, h.name AS metric, avg(r.cpu) AS "cpu", max(load),
       min(used), sum(hits) FROM readings r JOIN hosts h ON h.id = r.host_id
     WHERE ${timeFilter("r.at")} GROUP BY 1, 2 ORDER BY 1, 2`,
  );
  await panel(
    `group of epochs by ${name}`,
    `SELECT ${unixGroup("epoch", every)} AS "time", count(*), count(DISTINCT host_id) FROM readings
     WHERE ${unixFilter("epoch")} GROUP BY time ORDER BY time`,
  );
}
await panel(
  "group by the alias",
  `SELECT ${timeGroupAlias("at", HOUR)}, sum(used) as value FROM readings GROUP BY time
   ORDER BY time`,
);
await panel(
  "group of a local time",
  // Its last digits depend on the order of rows, which is PostgreSQL's own.
  `SELECT ${timeGroup("local_at", HOUR)} AS time, host_id::text AS metric, variance(used),
     round(stddev(cpu)::numeric, 9) FROM readings WHERE ${timeFilter("local_at")} GROUP BY ${timeGroup("local_at", HOUR)}, 2
   ORDER BY 1, 2`,
);
await panel(
  "nanoseconds",
  `SELECT nanos AS time, cpu FROM readings WHERE ${nanoFilter("nanos")} AND host_id = 1 ORDER BY 1`,
);
await panel(
  "nanoseconds by hand",
  `SELECT ${nanos(FROM)} AS since, ${nanos(TO)} AS until, ${nanos(TO)} - max(nanos) AS behind
   FROM readings WHERE nanos < ${nanos(TO)}`,
);
await panel(
  "from and to",
  `SELECT ${instant(FROM)} AS since, ${instant(TO)}::timestamptz - ${instant(FROM)} AS span,
     count(*) FROM readings WHERE at > ${instant(FROM)} AND at < ${instant(TO)}::timestamptz`,
);
await panel(
  "increase",
  `SELECT ${timeGroupAlias("at", HOUR)}, host_id::text AS metric,
     (CASE WHEN max(hits) >= lag(max(hits)) OVER w THEN max(hits) - lag(max(hits)) OVER w
       WHEN lag(max(hits)) OVER w IS NULL THEN NULL ELSE max(hits) END) AS "hits"
   FROM readings WHERE ${timeFilter("at")} GROUP BY 1, 2
   WINDOW w AS (PARTITION BY host_id::text ORDER BY ${timeGroup("at", HOUR)}) ORDER BY 1, 2`,
);
await panel(
  "rate",
  `SELECT ${timeGroupAlias("at", HOUR)}, (max(hits) - lag(max(hits)) OVER (ORDER BY
     ${timeGroup("at", HOUR)})) / extract(epoch from min(at) - lag(min(at)) OVER (ORDER BY
     ${timeGroup("at", HOUR)})) AS "hits" FROM readings WHERE ${timeFilter("at")} AND host_id = 1
   GROUP BY 1 ORDER BY 1`,
);
await panel(
  "moving average",
  `SELECT ${timeGroupAlias("at", HOUR)}, avg(avg(cpu)) OVER (ORDER BY ${timeGroup("at", HOUR)}
     ROWS 5 PRECEDING) AS "cpu" FROM readings WHERE ${timeFilter("at")} GROUP BY 1 ORDER BY 1`,
);
await panel(
  "percentiles",
  `SELECT ${timeGroupAlias("at", 6 * HOUR)}, percentile_cont(0.95) WITHIN GROUP (ORDER BY cpu) AS p95,
     percentile_disc(0.5) WITHIN GROUP (ORDER BY used) AS p50,
     percentile_cont(array[0.1, 0.9]) WITHIN GROUP (ORDER BY load) AS both
   FROM readings GROUP BY 1 ORDER BY 1`,
);
await panel(
  "truncated",
  `SELECT date_trunc('hour', at) AS "time", to_char(date_trunc('day', at), 'YYYY-MM-DD') AS day,
     avg(used)::numeric(12, 3) FROM readings WHERE ${timeFilter("at")} GROUP BY 1, 2 ORDER BY 1`,
);
await panel(
  "latest of each",
  `SELECT DISTINCT ON (host_id) host_id, at AS time, cpu FROM readings ORDER BY host_id, at DESC`,
);
await panel(
  "series without gaps",
  `SELECT s AS time, coalesce(sum(r.hits), 0) AS hits FROM generate_series(${instant(FROM)}
     ::timestamptz, ${instant(TO)}::timestamptz, '6 hours') s LEFT JOIN readings r ON r.at >= s
     AND r.at < s + interval '6 hours' GROUP BY s ORDER BY s`,
);
await panel("table", 'SELECT * FROM "Plant-1"."Belt ""A""" ORDER BY 1');
await panel("table of hosts", "SELECT * FROM hosts ORDER BY id");
await panel(
  "JSON and lists",
  `SELECT name, labels ->> 'os' AS os, (labels ->> 'rack')::int AS rack, unnest(groups) AS "group"
   FROM hosts WHERE labels @> '{"rack": 4}' ORDER BY 1, 4`,
);
await panel("several statements", "SET statement_timeout = 5000; SELECT 1 AS time; SELECT 2 AS v");
await panel("no rows", `SELECT ${time("at")}, cpu FROM readings WHERE false`);
await panel("a comment behind", `SELECT count(*) FROM readings -- ${timeFilter("at")}`);

// Annotations.
await ask(
  client,
  "annotation: epochs",
  `SELECT starts AS time, ends AS timeend, said AS text, tags FROM events
   WHERE ${unixFilter("starts")} ORDER BY starts`,
);
await ask(
  client,
  "annotation: a time",
  `SELECT extract(epoch from at) AS time, said AS text, tags FROM events
   WHERE ${timeFilter("at")} ORDER BY 1`,
);
await ask(
  client,
  "annotation: milliseconds",
  `SELECT (extract(epoch from at) * 1000)::bigint AS time, concat_ws(', ', said, tags) AS text
   FROM events ORDER BY 1 DESC LIMIT 100`,
);

// Variables; values of another one are quoted and listed.
await ask(
  client,
  "variable: text and value",
  `SELECT name AS __text, id AS __value FROM hosts ORDER BY name`,
);
await ask(
  client,
  "variable: search",
  `SELECT name FROM hosts WHERE name LIKE 'web%' OR name ~* '^DB' ORDER BY 1`,
);
await ask(
  client,
  "variable: chained",
  `SELECT DISTINCT name FROM hosts WHERE region IN ('eu','us') AND name IN ('db''s','web-1')
   ORDER BY 1`,
);
await ask(client, "variable: enum", "SELECT unnest(enum_range(NULL::state))");
await ask(
  client,
  "variable: interval",
  `SELECT DISTINCT ${timeGroup("at", DAY)} FROM readings ORDER BY 1`,
);
await client.end();
