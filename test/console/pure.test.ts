import { readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it, test } from "vitest";
import type { PageField } from "../../src/api/page-operations.ts";
import { sqlPlace } from "../../src/client/sql-place.ts";
import { connectSnippets, rowSnippets } from "../../src/console/connect.ts";
import {
  agoText,
  bytesText,
  countText,
  deltaBytesText,
  deltaText,
  dollarsText,
  shortId,
  timeText,
} from "../../src/console/format.ts";
import { histogramIn } from "../../src/console/histogram.ts";
import { graphRows } from "../../src/console/pictures/graph-layout.ts";
import { scaleOf } from "../../src/console/pictures/scale.ts";
import { planTree } from "../../src/console/plan-tree.ts";
import { changeTo } from "../../src/console/properties.ts";
import { pathOf, type Route, routeOf, TABLE_TABS } from "../../src/console/route.ts";
import { changedIn } from "../../src/console/row-values.ts";
import { schemaDiff } from "../../src/console/schema-diff.ts";
import { placeIn } from "../../src/console/sql-tokens.ts";

const name = fc.oneof(
  fc.string({ minLength: 1, maxLength: 12, unit: "grapheme" }),
  fc.constantFrom(".", "..", ":", ":.", "%2E", "...", "a.b"),
);
const namespace = fc.array(name, { minLength: 1, maxLength: 4 });
const anyRoute: fc.Arbitrary<Route> = fc.oneof(
  fc
    .constantFrom(
      "home",
      "sql",
      "changes",
      "jobs",
      "import",
      "dropped",
      "access",
      "engine",
      "settings",
    )
    .map((view) => ({ view }) as Route),
  fc.record({ view: fc.constant("principal" as const), name }),
  fc.record({ view: fc.constant("catalog" as const), catalog: name }),
  fc.record({ view: fc.constant("namespace" as const), catalog: name, namespace }),
  fc.record({ view: fc.constant("view" as const), catalog: name, namespace, name }),
  fc.record({
    view: fc.constant("table" as const),
    catalog: name,
    namespace,
    table: name,
    tab: fc.constantFrom(...TABLE_TABS),
  }),
);

describe("routes", () => {
  it("come back from their paths as a browser keeps them, whatever names they hold", () => {
    fc.assert(
      fc.property(anyRoute, (route) => {
        const { pathname } = new URL(pathOf(route), "http://127.0.0.1:8181");
        expect(routeOf(pathname)).toEqual(route);
      }),
    );
  });

  it("are unknown where a path is no view's", () => {
    const paths = ["/console/nothing", "/console/c", "/console/c/a/b/x/c", "/console/c/a/b/t/c/no"];
    for (const path of [...paths, "/console/c/%ff", "/console/c/a/b..c"]) {
      expect([path, routeOf(path)]).toEqual([path, { view: "unknown" }]);
    }
  });
});

test("figures are read as people write them, and large ones stay exact", () => {
  expect([0, 1_023, 1_536, 157_286_400].map(bytesText)).toEqual([
    "0 B",
    "1023 B",
    "1.5 KiB",
    "150 MiB",
  ]);
  expect(countText("9223372036854775807")).toBe("9,223,372,036,854,775,807");
  expect(countText("999")).toBe("999");
  expect(deltaText("9007199254740993", "9007199254740995")).toBe("+2");
  expect([deltaText("5", "3"), deltaText(undefined, undefined)]).toEqual(["−2", "±0"]);
  expect([deltaBytesText("67130", "0"), deltaBytesText(undefined, "512")]).toEqual([
    "−65.6 KiB",
    "+512 B",
  ]);
  expect(timeText("2030-01-02T03:04:05.678Z")).toBe("2030-01-02 03:04:05 UTC");
  expect(shortId("9007199254740993")).toBe("9007…0993");
  const now = Date.parse("2030-01-02T00:00:00Z");
  expect(agoText("2030-01-01T23:57:00Z", now)).toBe("3 min ago");
  expect(agoText("2030-01-04T00:00:00Z", now)).toBe("in 2 d");
});

describe("edited properties", () => {
  const properties = fc.dictionary(fc.string({ minLength: 1 }), fc.string());
  it("lead from what was to what shall be, and name nothing that stays", () => {
    fc.assert(
      fc.property(properties, properties, (before, after) => {
        const lines = Object.entries(after).map(([name, value]) => ({ name, value }));
        const change = changeTo(before, lines);
        const made = new Map(Object.entries(before));
        for (const [name, value] of Object.entries(change)) {
          expect(made.get(name)).not.toBe(value);
          if (value === null) made.delete(name);
          else made.set(name, value);
        }
        expect(made).toEqual(new Map(Object.entries(after)));
      }),
    );
  });

  it("have a name each, and each name once", () => {
    const line = { name: "a", value: "" };
    expect(() => changeTo({}, [line, line])).toThrow("twice");
    expect(() => changeTo({}, [{ name: "", value: "" }])).toThrow("no name");
  });
});

describe("the branch graph", () => {
  const history = fc.array(fc.nat(), { maxLength: 40 }).map((parents) =>
    parents
      .map((parent, i) => ({
        snapshotId: String(i),
        ...(i > 0 && parent % 7 !== 0 && { parentSnapshotId: String(parent % i) }),
      }))
      .reverse(),
  );

  it("joins every snapshot with its parent, and no line crosses another's knot", () => {
    fc.assert(
      fc.property(history, (items) => {
        const rows = graphRows(items);
        const open = new Map<number, string>();
        for (const { item, lane, through, joins, comes, goesOn } of rows) {
          const arriving = [...(comes ? [lane] : []), ...joins];
          for (const at of arriving) {
            expect(open.get(at)).toBe(item.snapshotId);
            open.delete(at);
          }
          expect([...open.keys()].sort()).toEqual([...through].sort());
          expect(through).not.toContain(lane);
          if (goesOn) open.set(lane, item.parentSnapshotId ?? "");
        }
        expect([...open]).toEqual([]);
      }),
    );
  });
});

test("fields of two schemas are told apart by their ids", () => {
  const field = (id: number, named: string, type = "long"): PageField => ({
    id,
    name: named,
    type,
    required: false,
  });
  const changes = schemaDiff(
    [field(1, "a"), field(2, "b"), field(3, "c")],
    [field(1, "a"), field(2, "renamed"), field(4, "d")],
  );
  expect(changes.map(({ id, kind }) => `${id} ${kind}`)).toEqual([
    "1 same",
    "2 changed",
    "3 dropped",
    "4 added",
  ]);
});

test("places of errors in statements count characters, and units of the editor", () => {
  const statement = "SELECT '🧊🧊' AS a,\n  nope FROM t";
  const position = [...statement].indexOf("n") + 1;
  expect(sqlPlace(statement, position)).toEqual({
    offset: statement.indexOf("nope"),
    line: 2,
    text: "  nope FROM t",
    column: 2,
  });
  expect(sqlPlace("SELECT", 7)).toEqual({ offset: 6, line: 1, text: "SELECT", column: 6 });
});

test("names in the lines to copy stay names, whatever they hold", () => {
  const hostile = `a"b'c\`d`;
  const snippets = connectSnippets({
    url: "http://127.0.0.1:8181",
    catalog: "lake",
    namespace: ["n s"],
    table: hostile,
  });
  const of = (client: string) => snippets.find((one) => one.client === client)?.code ?? "";
  expect(of("DuckDB")).toContain(`firn."n s"."a""b'c\`d"`);
  expect(of("Flink")).toContain("`n s`.`a\"b'c``d`");
  expect(of("PyIceberg")).toContain(JSON.stringify(hostile));
  expect(of("Spark")).toContain("'SELECT * FROM firn.`n s`.`a\"b'\\''c``d` LIMIT 10'");
});

test("lines of a plan are a tree; other lines are not", () => {
  const tree = planTree([
    "Sort (actual time=1.250 rows=2)",
    "  Sort Key: aggregate 0",
    "  ->  HashAggregate (actual rows=3)",
    "        Group Key: name",
    "        ->  Index Scan using items_pkey on items",
    "              Index Cond: (id > 5)",
    "  ->  Result",
  ]);
  expect(tree).toEqual([
    {
      title: "Sort",
      details: ["Sort Key: aggregate 0"],
      actual: { rows: 2, ms: 1.25 },
      children: [
        {
          title: "HashAggregate",
          details: ["Group Key: name"],
          actual: { rows: 3 },
          children: [
            {
              title: "Index Scan using items_pkey on items",
              details: ["Index Cond: (id > 5)"],
              children: [],
            },
          ],
        },
        { title: "Result", details: [], children: [] },
      ],
    },
  ]);
  expect(planTree(["   a detail of nothing"])).toBeUndefined();
  expect(planTree([])).toBeUndefined();
});

test("only what a field changed is written; NULL is not the empty text", () => {
  const row = { id: "9007199254740993", name: "a", price: null, note: { a: 1 }, on: true };
  const field = (named: string, type: string, text: string, isNull = false) => ({
    name: named,
    type,
    text,
    isNull,
  });
  const same = [
    field("id", "int8", "9007199254740993"),
    field("name", "text", "a"),
    field("price", "numeric(8,2)", "", true),
    field("note", "jsonb", '{"a":1}'),
    field("on", "bool", "true"),
  ];
  expect(changedIn(same, row)).toEqual({});
  const changed = [
    field("id", "int8", "9007199254740995"),
    field("name", "text", ""),
    field("price", "numeric(8,2)", "1.50"),
    field("note", "jsonb", "", true),
    field("on", "bool", "false"),
    field("many", "int4[]", "[1, 2]"),
  ];
  expect(changedIn(changed, row)).toEqual({
    id: "9007199254740995",
    name: "",
    price: "1.50",
    note: null,
    on: false,
    many: [1, 2],
  });
  expect(changedIn([field("a", "text", "", true)], undefined)).toEqual({});
  expect(() => changedIn([field("a", "jsonb", "{")], undefined)).toThrow("not a value of jsonb");
  const long = field("a", "jsonb", '{"id": 9007199254740993}');
  expect(() => changedIn([long], undefined)).toThrow("more than 15 digits");
  const quoted = field("a", "jsonb", '{"id": "9007199254740993"}');
  expect(changedIn([quoted], undefined)).toEqual({ a: { id: "9007199254740993" } });
});

test("scales are round, and reach the most; those of bytes are round in their unit", () => {
  expect(scaleOf(6_330)).toEqual([0, 5_000, 10_000]);
  expect([scaleOf(0), scaleOf(2)]).toEqual([
    [0, 1],
    [0, 1, 2],
  ]);
  expect(scaleOf(847 * 1_024, true).map((bytes) => bytesText(bytes))).toEqual([
    "0 B",
    "500 KiB",
    "1000 KiB",
  ]);
  fc.assert(
    fc.property(fc.double({ min: 0, max: 1e18, noNaN: true }), fc.boolean(), (most, isBytes) => {
      const scale = scaleOf(most, isBytes);
      expect(scale.at(-1)).toBeGreaterThanOrEqual(most * 0.999);
      expect(scale.length).toBeLessThanOrEqual(4);
    }),
  );
});

test("a histogram is one of a known form", () => {
  expect(histogramIn('{"bounds": [0, 10, "z"], "counts": [7, 3]}')).toEqual({
    bounds: ["0", "10", "z"],
    counts: [7, 3],
  });
  for (const other of [
    undefined,
    "nothing",
    "null",
    "7",
    '{"bounds": [0, 1], "counts": [1, 2]}',
    '{"bounds": [0], "counts": []}',
    '{"bounds": [0, 1], "counts": [-1]}',
    '{"bounds": [0, 1], "counts": ["1"]}',
  ]) {
    expect(histogramIn(other)).toBeUndefined();
  }
});

test("dollars are told to the digit that says something", () => {
  expect([0, 0.0000042, 0.042, 0.5, 1234.567].map(dollarsText)).toEqual([
    "$0",
    "$0.0000042",
    "$0.042",
    "$0.50",
    "$1234.57",
  ]);
});

test("psql gets one text of a table's name, whatever it holds", () => {
  const [psql] = rowSnippets({
    host: "127.0.0.1",
    port: 5433,
    catalog: "la ke'",
    namespace: ["shop"],
    table: `i"t'm`,
  });
  expect(psql?.code).toBe(
    `psql 'postgresql://127.0.0.1:5433/la%20ke%27' -c 'SELECT * FROM "shop"."i""t'\\''m" LIMIT 10'`,
  );
});

/** The block of code behind the name of an engine in `docs/iceberg.md`, which its suite runs. */
function documented(engine: string): string {
  const document = readFileSync(join(import.meta.dirname, "../../docs/iceberg.md"), "utf8");
  const [, after = ""] = document.split(`**${engine}**`);
  return /```\w+\n(.*?)```/s.exec(after)?.[1] ?? "";
}

test("what is shown of Spark, Trino and Flink is what the documents show, and where to", () => {
  const target = { catalog: "default", namespace: ["a"], table: "t" };
  const shown = new Map(
    connectSnippets({ url: "http://127.0.0.1:8181", ...target }).map(({ client, code }) => [
      client,
      code,
    ]),
  );
  const linesOf = (code: string) => code.split("\n").map((line) => line.trim());
  const beyond = (client: string, but: RegExp) => {
    const known = documented(client);
    expect(known).toContain("http://127.0.0.1:8181/iceberg");
    return linesOf(shown.get(client) ?? "").filter(
      (line) => line !== "" && !but.test(line) && !linesOf(known).includes(line),
    );
  };
  expect(beyond("Trino", /^#|^--|warehouse=default$/)).toEqual([]);
  const spark = (code: string) =>
    [...code.matchAll(/--(?:packages|conf) (\S+)/g)].map(([, given = ""]) =>
      given.replaceAll("'", ""),
    );
  const documentedSpark = spark(documented("Spark"));
  expect(documentedSpark.length).toBe(5);
  const isNew = (given: string) => !documentedSpark.includes(given);
  expect(spark(shown.get("Spark") ?? "").filter(isNew)).toEqual([
    "spark.sql.catalog.firn.warehouse=default",
  ]);
  const options = (code: string) => [...code.matchAll(/'[\w-]+' = '[^']*'/g)].map(String);
  const documentedFlink = options(documented("Flink"));
  expect(documentedFlink.length).toBe(3);
  expect(
    options(shown.get("Flink") ?? "").filter((option) => !documentedFlink.includes(option)),
  ).toEqual(["'warehouse' = 'default'"]);
});

test("who has signed in gets lines that take a token; no key is in them", () => {
  const target = { catalog: "lake", namespace: ["a"], table: "t", principal: "jo b" };
  const all = [
    ...connectSnippets({ url: "http://h", ...target }),
    ...rowSnippets({ host: "h", port: 1, ...target }),
  ];
  for (const { client, code } of all)
    expect([client, /TOKEN|token/.test(code)]).toEqual([client, true]);
  expect(all.at(-1)?.code).toMatch(
    /^PGPASSWORD="\$FIRN_TOKEN" psql 'postgresql:\/\/jo%20b@h:1\/lake'/,
  );
});

describe("the place of a cursor in SQL", () => {
  /** A place where `|` stands. */
  const at = (text: string) => placeIn(text.replace("|", ""), text.indexOf("|"));

  test.each([
    ["SELECT a|", { word: "a", qualifiers: [], takesRelation: false }],
    ["SELECT * FROM |", { word: "", takesRelation: true }],
    ["SELECT * FROM a, b|", { word: "b", takesRelation: true }],
    ["SELECT a, b|", { word: "b", takesRelation: false }],
    ["SELECT * FROM t ORDER BY a, |", { takesRelation: false }],
    ["INSERT INTO t (a, |", { takesRelation: false }],
    ["UPDATE t SET a = 1, |", { takesRelation: false }],
    ["SELECT s.n|", { word: "n", qualifiers: ["s"] }],
    ['SELECT "A""b".t."x|', { word: '"x', qualifiers: ['A"b', "t"] }],
    ["SELECT 1; SELECT b|", { word: "b", named: [] }],
    [
      "SELECT a| FROM x.t AS u, v WHERE 1",
      {
        named: [
          { schema: "x", name: "t", alias: "u" },
          { schema: undefined, name: "v", alias: "v" },
        ],
      },
    ],
    [
      "SELECT a| FROM T; SELECT b FROM w",
      { named: [{ schema: undefined, name: "t", alias: "t" }] },
    ],
    ["SELECT 'it''s' + a|", { word: "a" }],
    ["/* x */ SELECT a|", { word: "a" }],
  ])("%s", (text, expected) => {
    expect(at(text)).toMatchObject(expected);
  });

  test.each(["SELECT 'a|", "SELECT 'a| b'", "-- a|", "/* a|", "SELECT $x$ a|", "SELECT 12|"])(
    "%s: no name stands there",
    (text) => {
      expect(at(text)).toBeUndefined();
    },
  );

  test("any text has a place or none, quickly", () => {
    const part = fc.constantFrom(
      "'",
      '"',
      "--",
      "/*",
      "*/",
      "$a$",
      "$$",
      ".",
      ",",
      ";",
      " ",
      "\n",
      "from",
      "x",
      "1",
      "é",
    );
    fc.assert(
      fc.property(fc.array(part, { maxLength: 40 }), fc.nat(120), (parts, cursor) => {
        const text = parts.join("");
        const place = placeIn(text, Math.min(cursor, text.length));
        if (place === undefined) return;
        expect(text.slice(place.from, place.from + place.word.length)).toBe(place.word);
      }),
    );
    const startedMs = performance.now();
    for (const sign of ["'", '"', "/*", "$a$", ",a", "a.", "from a,"]) {
      placeIn(sign.repeat(20_000), 40_000);
    }
    expect(performance.now() - startedMs).toBeLessThan(5_000);
  });
});
