import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { check, equal } from "./checks.ts";

/** psql 15: commands and meta-commands, and what it prints. The address is in the environment. */

function psql(script: string, ...options: readonly string[]): string {
  const args = ["-X", "-q", "-v", "VERBOSITY=verbose", ...options];
  const { stdout, stderr, error } = spawnSync("psql", args, { input: script, encoding: "utf8" });
  if (error !== undefined) throw error;
  return (stdout + stderr).replace(/^LOCATION:.*\n/gm, "");
}

/** The statements of a document's session, and what it shows behind the last of them. */
function sessionIn(document: string): { readonly script: string; readonly shown: string } {
  const [, session = ""] = /```console\n\$ psql [^\n]*\n([\s\S]*?)```/.exec(document) ?? [];
  const lines = session.split("\n");
  const statements = lines.filter((line) => line.startsWith("default=> "));
  const shown = lines.filter((line) => !line.startsWith("default=> "));
  const script = statements.map((line) => line.slice("default=> ".length)).join("\n");
  return { script, shown: shown.join("\n").trimEnd() };
}

/** Values alone, a line each row. */
const values = (script: string): string => psql(script, "-At");

await check("creates tables", () => {
  const script = `CREATE TABLE psql_orders (id int PRIMARY KEY, email text NOT NULL
      CONSTRAINT psql_orders_email_key UNIQUE,
      qty int CONSTRAINT psql_orders_qty CHECK (qty > 0));
    INSERT INTO psql_orders VALUES (1, 'a@x', 1), (2, 'b@x', NULL);
    TABLE psql_orders ORDER BY id;`;
  equal(
    psql(script),
    " id | email | qty \n----+-------+-----\n  1 | a@x   |   1\n  2 | b@x   |    \n(2 rows)\n\n",
  );
});

await check("values of all types", () => {
  const script = String.raw`SELECT 9007199254740993::int8, (-32768)::int2, true, 0.1::float8,
    12345678901234567890.0123456789::numeric, 'größer 🦀', '\x0001feff'::bytea, date '2026-02-03',
    timestamptz '2026-02-03 04:05:06.789012+02', interval '3 days 4.000005 s',
    '{"b": [1, null], "a": 9007199254740993}'::jsonb,
    uuid '6F9619FF-8B86-D011-B42D-00C04FC964FF', '{9223372036854775807,NULL,-1}'::int8[],
    ARRAY['plain', 'with "quotes", commas', NULL, ''], NULL;`;
  equal(
    values(script),
    [
      "9007199254740993|-32768|t|0.1|12345678901234567890.0123456789|größer 🦀|\\x0001feff",
      "2026-02-03|2026-02-03 02:05:06.789012+00|3 days 00:00:04.000005",
      '{"a": 9007199254740993, "b": [1, null]}|6f9619ff-8b86-d011-b42d-00c04fc964ff',
      '{9223372036854775807,NULL,-1}|{plain,"with \\"quotes\\", commas",NULL,""}|\n',
    ].join("|"),
  );
});

await check("prepared statements", () => {
  const script = `PREPARE adds (int, text) AS SELECT $1 + 1, $2;
    EXECUTE adds (41, 'x'); EXECUTE adds (1, NULL); DEALLOCATE adds;`;
  equal(values(script), "42|x\n2|\n");
});

await check("savepoint, rollback, commit", () => {
  const script = `BEGIN; INSERT INTO psql_orders VALUES (3, 'c@x', 1); SAVEPOINT s;
    INSERT INTO psql_orders VALUES (3, 'd@x', 1); ROLLBACK TO s;
    INSERT INTO psql_orders VALUES (4, 'd@x', 1); COMMIT;
    BEGIN; DELETE FROM psql_orders; ROLLBACK;
    SELECT count(*) FROM psql_orders;`;
  const printed = values(script);
  equal(
    printed.split("\n").filter((line) => /^\d+$/.test(line)),
    ["4"],
  );
  equal(/ERROR: {2}23505/.test(printed), true);
});

await check("a failed statement alone in its transaction: ON_ERROR_ROLLBACK", () => {
  const script = String.raw`\set ON_ERROR_ROLLBACK on
    BEGIN; INSERT INTO psql_orders VALUES (9, 'z@x', 1); SELECT 1 / 0;
    DELETE FROM psql_orders WHERE id = 9;
    COMMIT; SELECT count(*) FROM psql_orders;`;
  equal(
    values(script)
      .split("\n")
      .filter((line) => /^\d+$/.test(line)),
    ["4"],
  );
});

await check("fields of errors, and where they are", () => {
  equal(
    psql("INSERT INTO psql_orders VALUES (5, 'a@x', 1);"),
    `ERROR:  23505: duplicate key value violates unique constraint "psql_orders_email_key"
DETAIL:  Key (email)=(a@x) already exists.
SCHEMA NAME:  public
TABLE NAME:  psql_orders
CONSTRAINT NAME:  psql_orders_email_key
`,
  );
  const printed = psql('SELECT * FROM psql_orders WHERE email = "click";');
  const place = `LINE 1: SELECT * FROM psql_orders WHERE email = "click";
                                                ^
HINT:  `;
  equal(printed.startsWith(`ERROR:  42703: column "click" does not exist\n${place}`), true);
});

await check("\\copy and COPY, in and out", () => {
  const rows = Array.from({ length: 2_000 }, (_, i) => `${i}\t${i % 7 === 0 ? "\\N" : `w${i}`}`);
  const script = `CREATE TABLE psql_copy (id int PRIMARY KEY, word text);
\\copy psql_copy FROM STDIN
${rows.join("\n")}
\\.
COPY psql_copy (id, word) FROM STDIN (FORMAT CSV);
5000,"with ""quotes"", commas"
\\.
\\copy (SELECT * FROM psql_copy ORDER BY id) TO STDOUT
`;
  equal(values(script), `${rows.join("\n")}\n5000\twith "quotes", commas\n`);
  equal(/22P02/.test(values("COPY psql_copy FROM STDIN;\n9000\tx\nno number\ty\n\\.\n")), true);
  equal(values("SELECT count(*) FROM psql_copy;"), "2001\n");
});

await check("rows in parts: FETCH_COUNT", () => {
  const script = "\\set FETCH_COUNT 100\nSELECT id FROM psql_copy WHERE id < 250 ORDER BY id;";
  equal(values(script), Array.from({ length: 250 }, (_, i) => `${i}\n`).join(""));
});

await check("\\gset, \\gexec, \\if and variables", () => {
  const script = String.raw`SELECT 20 AS base \gset
    SELECT :base + 1;
    SELECT format('SELECT %s * 2', g) FROM generate_series(1, 3) AS g \gexec
    \set is_shown true
    \if :is_shown
      SELECT :'base' || '!';
    \endif
    `;
  equal(values(script), "21\n2\n4\n6\n20!\n");
});

await check("\\gdesc asks for the columns alone", () => {
  equal(values("SELECT 1 AS n, now() AS t \\gdesc"), "n|integer\nt|timestamp with time zone\n");
});

await check("\\d shows a table", () => {
  const shown = psql("\\d psql_orders");
  equal(shown.includes('"psql_orders_pkey" PRIMARY KEY'), true);
  equal(shown.includes('"psql_orders_email_key" UNIQUE CONSTRAINT, '), true);
  equal(shown.includes('"psql_orders_qty" CHECK (qty > 0)'), true);
  equal(/psql_copy +\| table/.test(psql("\\dt")), true);
  for (const command of [
    "\\l",
    "\\dn",
    "\\du",
    "\\df abs",
    "\\di",
    "\\ds",
    "\\dT",
    "\\dp",
    "\\conninfo",
  ]) {
    const printed = psql(command);
    if (/ERROR|FATAL/.test(printed)) throw new Error(`${command}: ${printed}`);
  }
});

await check("a composite type, its COPY, and what is shown of it", () => {
  const script = String.raw`CREATE TYPE psql_part AS (code varchar(8), "n N" int[]);
    \d psql_part
    \dT psql_part
CREATE TABLE psql_parts (id int PRIMARY KEY, part psql_part DEFAULT '(x,)');
COPY psql_parts FROM STDIN;
1	("a\\\\""b","{1,2}")
\.
COPY psql_parts (id, part) FROM STDIN (FORMAT csv);
3,"(""c d"",)"
\.
COPY psql_parts TO STDOUT;
COPY psql_parts TO STDOUT (FORMAT csv);
`;
  const lines = [
    '               Composite type "public.psql_part"',
    " Column |         Type         | Collation | Nullable | Default ",
    "--------+----------------------+-----------+----------+---------",
    " code   | character varying(8) |           |          | ",
    " n N    | integer[]            |           |          | ",
    "",
    "        List of data types",
    " Schema |   Name    | Description ",
    "--------+-----------+-------------",
    " public | psql_part | ",
    "(1 row)",
    "",
    String.raw`1	("a\\\\""b","{1,2}")`,
    '3	("c d",)',
    String.raw`1,"(""a\\""""b"",""{1,2}"")"`,
    '3,"(""c d"",)"',
  ];
  equal(psql(script), `${lines.join("\n")}\n`);
});

await check("a time limit of statements", () => {
  const printed = psql(
    "SET statement_timeout = '300ms'; SELECT count(*) FROM generate_series(1, 10000000000::int8);",
  );
  equal(printed, "ERROR:  57014: canceling statement due to statement timeout\n");
});

await check("SIGINT cancels a statement", () => {
  const script = `psql -X -At -c 'SELECT count(*) FROM generate_series(1, 10000000000::int8)' 2>&1 &
    client=$!
    # A cancel that comes before the statement ends nothing.
    while kill -INT $client 2>/dev/null; do sleep 0.5; done
    wait $client; echo "exit code $?"`;
  // A shell without job control starts what runs beside it with SIGINT ignored.
  const { stdout } = spawnSync("bash", ["-mc", script], { encoding: "utf8" });
  const isCancelled = /canceling statement due to user request/.test(stdout);
  equal([isCancelled || /exit code 130/.test(stdout), /exit code 0/.test(stdout)], [true, false]);
});

await check("one transaction of a file, which an error ends", () => {
  const printed = psql(
    "CREATE TABLE psql_once (id int PRIMARY KEY);\nSELECT 1 / 0;\nSELECT 2;\n",
    "-1",
    "-v",
    "ON_ERROR_STOP=1",
  );
  equal(printed, "ERROR:  22012: division by zero\n");
  equal(values("SELECT count(*) FROM pg_tables WHERE tablename = 'psql_once';"), "0\n");
});

await check("the session of the README", () => {
  const readme = readFileSync(join(import.meta.dirname, "..", "..", "..", "README.md"), "utf8");
  const { script, shown } = sessionIn(readme);
  equal(script.split("\n").length > 2, true);
  const printed = psql(script).split("\n");
  equal(
    printed
      .map((line) => line.trimEnd())
      .join("\n")
      .trimEnd(),
    shown,
  );
});
