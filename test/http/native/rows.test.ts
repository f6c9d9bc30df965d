import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { FoundRows, JsonRow, RowPage, RowWrite } from "../../../src/api/row-operations.ts";
import { Api } from "./api.ts";

const ROWS = "/catalogs/lake/namespaces/public/tables/people/rows";
const TYPES = "/catalogs/lake/namespaces/public/tables/types/rows";

let api: Api;
beforeAll(async () => {
  api = await Api.open();
  await api.done("POST", "/catalogs", { name: "lake" });
  await api.done("POST", "/catalogs/lake/namespaces", { path: ["public"] }).catch(() => {});
  const made = [
    "create table people (id int8 primary key, email text unique, team text not null, age int4, " +
      "unique (team, age))",
    "create table types (id int4 primary key, b bool, i2 int2, i8 int8, f8 float8, " +
      "n numeric(20,2), t text, c char(3), y bytea, d date, tm time, ts timestamp, " +
      "tz timestamptz, iv interval, " +
      "u uuid, j json, jb jsonb, a int4[], ta text[])",
    "create domain positive as int4 check (value > 0)",
    "create type part as (code text, n positive, doc jsonb)",
    "create table parts (id int4 primary key, part part, others part[])",
  ];
  for (const statement of made) await api.done("POST", "/sql", { statement, catalog: "lake" });
});
afterAll(() => api.firn.close());

const write = (writes: readonly RowWrite[], more: object = {}) =>
  api.done<{ results: readonly unknown[] }>("POST", `${ROWS}:write`, { writes, ...more });
const refused = (writes: readonly unknown[]) => api.refused("POST", `${ROWS}:write`, { writes });
const get = async (...keys: readonly JsonRow[]) =>
  (await api.done<{ rows: readonly unknown[] }>("POST", `${ROWS}:get`, { keys })).rows;
const scan = (request: object) => api.done<RowPage>("POST", `${ROWS}:scan`, request);

async function pages(request: object): Promise<readonly JsonRow[]> {
  const rows: JsonRow[] = [];
  for (let pageToken: string | undefined; ; ) {
    const page = await scan({ ...request, ...(pageToken && { pageToken }) });
    rows.push(...page.rows);
    pageToken = page.nextPageToken;
    if (pageToken === undefined) return rows;
  }
}

describe("values of a composite type", () => {
  const PARTS = "/catalogs/lake/namespaces/public/tables/parts/rows";
  const refusal = async (part: unknown) => {
    const writes = [{ op: "insert", row: { id: 9, part } }];
    const { context } = await api.refused("POST", `${PARTS}:write`, { writes });
    return context?.["sqlState"];
  };

  it("are objects of their fields, which their domains judge", async () => {
    const part = { code: 'a"b', n: 7, doc: { a: [1] } };
    const row = { id: 1, part, others: [{ code: "x", n: null, doc: null }, null] };
    const writes = [
      { op: "insert", row: { ...row, others: [{ code: "x" }, null] } },
      { op: "insert", row: { id: 2, part: "(y,3,)", others: null } },
      { op: "update", key: { id: 2 }, set: { part: { n: 4 } } },
    ];
    await api.done("POST", `${PARTS}:write`, { writes });
    const { rows } = await api.done<{ rows: readonly unknown[] }>("POST", `${PARTS}:get`, {
      keys: [{ id: 1 }, { id: 2 }],
    });
    const second = { id: 2, part: { code: null, n: 4, doc: null }, others: null };
    expect(rows).toEqual([row, second]);
    expect(await refusal({ n: -1 })).toBe("23514");
    expect(await refusal({ nope: 1 })).toBe("42703");
    expect(await refusal({ n: "x" })).toBe("22P02");
    expect(await refusal([1])).toBe("42804");
  });
});

describe("rows over HTTP", () => {
  it("inserts, puts, updates, deletes and gets, all in one transaction", async () => {
    const ann = { id: "1", email: "ann@x", team: "red", age: 30 };
    const done = await write([{ op: "insert", row: ann }], { returning: true });
    expect(done.results).toEqual([{ changed: true, row: ann }]);
    expect(
      (
        await write([
          { op: "put", row: { id: 2, team: "red" } },
          { op: "update", key: { id: 1 }, set: { age: 31 } },
          { op: "update", key: { id: 99 }, set: { age: 31 } },
          { op: "insert", row: { ...ann, id: 3 }, onConflict: "nothing" },
          { op: "delete", key: { id: "2" } },
          { op: "delete", key: { id: 2 } },
        ])
      ).results,
    ).toEqual([true, true, false, false, true, false].map((changed) => ({ changed })));
    expect(await get({ id: 1 }, { id: 2 })).toEqual([{ ...ann, age: 31 }, null]);
    expect(
      await api.done("POST", `${ROWS}:get`, { keys: [{ id: 1 }], columns: ["age", "id"] }),
    ).toEqual({ rows: [{ age: 31, id: "1" }] });
  });

  it("refuses what does not hold, with SQLSTATE, table, column and constraint", async () => {
    const insert = (row: object) => [{ op: "insert", row }];
    const cases: readonly (readonly [readonly unknown[], number, string, object])[] = [
      [
        insert({ id: 1, team: "x" }),
        409,
        "ROW_DUPLICATE",
        { sqlState: "23505", constraint: "people_pkey" },
      ],
      [insert({ id: 7, team: "x", email: "ann@x" }), 409, "ROW_DUPLICATE", { sqlState: "23505" }],
      [insert({ id: 7 }), 400, "ROW_NULL", { sqlState: "23502", table: "people", column: "team" }],
      [insert({ team: "x" }), 400, "ROW_NULL", { sqlState: "23502", column: "id" }],
      [
        insert({ id: "x", team: "x" }),
        400,
        "ROW_VALUE_INVALID",
        { sqlState: "22P02", column: "id" },
      ],
      [insert({ id: 1e30, team: "x" }), 400, "ROW_VALUE_INVALID", { column: "id" }],
      [
        insert({ id: {}, team: "x" }),
        400,
        "ROW_VALUE_INVALID",
        { sqlState: "42804", column: "id" },
      ],
      [
        insert({ id: 7, nope: 1 }),
        400,
        "ROW_COLUMN_UNKNOWN",
        { sqlState: "42703", column: "nope" },
      ],
      [[{ op: "delete", key: {} }], 400, "ROW_KEY_INVALID", { sqlState: "22023", column: "id" }],
      [[{ op: "delete", key: { id: 1, age: 1 } }], 400, "ROW_KEY_INVALID", { sqlState: "22023" }],
      [[{ op: "delete", key: { id: null } }], 400, "ROW_NULL", { sqlState: "23502" }],
      [[{ op: "drop" }], 400, "REQUEST_INVALID", {}],
    ];
    for (const [writes, status, code, context] of cases) {
      expect(await refused(writes), JSON.stringify(writes)).toMatchObject({
        status,
        code,
        context,
      });
    }
    // Nothing of a transaction is there if its last write is refused.
    await refused([...insert({ id: 50, team: "x" }), ...insert({ id: 1, team: "x" })]);
    expect(await get({ id: 50 })).toEqual([null]);
  });
});

const readVersion = async (id: number, more: object = {}) => {
  const request = { keys: [{ id }], versions: true, ...more };
  const { rows, versions } = await api.done<FoundRows>("POST", `${ROWS}:get`, request);
  return { row: rows[0], ifVersion: versions?.[0] ?? "none" };
};

describe("writes of a version", () => {
  it("happen once, and not again on the row that they made", async () => {
    await write([{ op: "insert", row: { id: 20, team: "cas", age: 1 } }]);
    const { ifVersion } = await readVersion(20);
    const update = { op: "update", key: { id: 20 }, set: { age: 2 }, ifVersion } as const;
    expect((await write([update])).results).toEqual([{ changed: true }]);
    const { ifVersion: version } = await readVersion(20);
    expect(version).not.toBe(ifVersion);
    expect(await refused([update])).toMatchObject({
      status: 409,
      code: "ROW_CHANGED",
      context: { table: "people", write: 0, exists: true },
    });
    // A version is of the values: where they are again what they were, it is again what it was.
    await write([{ ...update, set: { age: 1 }, ifVersion: version }]);
    expect((await readVersion(20)).ifVersion).toBe(ifVersion);
  });

  it("leave nothing of their transaction where one of them is refused", async () => {
    const { ifVersion } = await readVersion(20);
    const insert = { op: "insert", row: { id: 21, team: "cas" } } as const;
    for (const stale of [
      { op: "update", key: { id: 20 }, set: { age: 9 }, ifVersion: "x" },
      { op: "put", row: { id: 20, team: "cas", age: 9 }, ifVersion: "x" },
      { op: "delete", key: { id: 20 }, ifVersion: "x" },
      { op: "update", key: { id: 99 }, set: { age: 9 }, ifVersion },
      { op: "put", row: { id: 99, team: "cas" }, ifVersion },
      { op: "delete", key: { id: 99 }, ifVersion },
    ]) {
      const exists = !JSON.stringify(stale).includes("99");
      const problem = { status: 409, code: "ROW_CHANGED", context: { write: 1, exists } };
      expect(await refused([insert, stale]), JSON.stringify(stale)).toMatchObject(problem);
    }
    expect(await get({ id: 21 }, { id: 99 })).toEqual([null, null]);
    expect((await readVersion(20)).ifVersion).toBe(ifVersion);
    await write([{ op: "put", row: { id: 20, team: "cas", age: 3 }, ifVersion }]);
    const next = await readVersion(20);
    expect(next.row).toMatchObject({ age: 3, email: null });
    const gone = { op: "delete", key: { id: 20 }, ifVersion: next.ifVersion } as const;
    const { results } = await write([gone], { returning: true });
    expect(results).toEqual([{ changed: true, row: next.row }]);
    expect(await refused([gone])).toMatchObject({ context: { exists: false } });
    expect((await readVersion(20)).ifVersion).toBe("none");
  });

  it("compare whole rows, also those that were read in part or page by page", async () => {
    const ids = [30, 31, 32];
    await write(ids.map((id) => ({ op: "insert", row: { id, team: `t${id}`, age: 1 } })));
    const request = { lower: { value: 30 }, upper: { value: 33 }, columns: ["id"], pageSize: 2 };
    const found: string[] = [];
    for (let pageToken: string | undefined; ; ) {
      const page = await scan({ ...request, versions: true, ...(pageToken && { pageToken }) });
      expect(page.rows).toEqual(
        ids.slice(found.length, found.length + 2).map((id) => ({ id: `${id}` })),
      );
      found.push(...(page.versions ?? []));
      pageToken = page.nextPageToken;
      if (pageToken === undefined) break;
    }
    for (const [i, id] of ids.entries()) {
      expect((await readVersion(id, { columns: ["team"] })).ifVersion).toBe(found[i]);
    }
    await write([{ op: "update", key: { id: 31 }, set: { age: 2 } }]);
    const write31 = { op: "update", key: { id: 31 }, set: { team: "x" }, ifVersion: found[1] };
    expect(await refused([write31])).toMatchObject({ code: "ROW_CHANGED" });
    await write(ids.map((id) => ({ op: "delete", key: { id } })));
  });
});

describe("versions of rows", () => {
  it.each(["serializable", "repeatable read", "read committed"] as const)(
    "let no racing editor overwrite another one under %s",
    async (isolation) => {
      await write([{ op: "put", row: { id: 40, team: "race", age: 0 } }]);
      const tries = { refused: 0 };
      const editor = async () => {
        for (let done = 0; done < 10; ) {
          const { row, ifVersion } = await readVersion(40);
          const age = (row as { age: number }).age + 1;
          const writes = [{ op: "update", key: { id: 40 }, set: { age }, ifVersion }];
          const { status, body } = await api.ask("POST", `${ROWS}:write`, { writes, isolation });
          if (status === 200) done++;
          else expect([status, (body as { code: string }).code]).toEqual([409, "ROW_CHANGED"]);
          if (status !== 200) tries.refused++;
        }
      };
      await Promise.all(Array.from({ length: 8 }, editor));
      expect((await readVersion(40)).row).toMatchObject({ age: 80 });
      expect(tries.refused).toBeGreaterThan(0);
      await write([{ op: "delete", key: { id: 40 } }]);
    },
  );

  it("tell rows apart whose numbers a browser takes for one", async () => {
    const rowOf = (n: string) => `{"op":"put","row":{"id":77,"jb":${n}}}`;
    const versions: string[] = [];
    for (const n of ["12345678901234567890", "12345678901234567891"]) {
      await api.done("POST", `${TYPES}:write`, `{"writes":[${rowOf(n)}]}`);
      const request = { keys: [{ id: 77 }], versions: true };
      const found = await api.done<FoundRows>("POST", `${TYPES}:get`, request);
      versions.push(found.versions?.[0] ?? "");
    }
    expect(new Set(versions).size).toBe(2);
    await api.done("POST", `${TYPES}:write`, { writes: [{ op: "delete", key: { id: 77 } }] });
  });
});

describe("values over HTTP", () => {
  it("keep every type as it was written", async () => {
    const row = {
      id: 1,
      b: true,
      i2: -3,
      i8: "9223372036854775807",
      f8: 1.5,
      n: "123456789012345678.90",
      t: "é\u0001",
      c: "ab ",
      y: "\\x00ff",
      d: "2026-01-31",
      tm: "12:30:00.000001",
      ts: "2026-01-31 12:30:00",
      tz: "2026-01-31 12:30:00+00",
      iv: "1 day 02:00:00",
      u: "6f9619ff-8b86-d011-b42d-00c04fc964ff",
      j: "a string",
      jb: { a: [1, "x", null] },
      a: [1, null, 3],
      ta: ["a,b", 'q"', null],
    };
    const writes = [{ op: "put", row }];
    await api.done("POST", `${TYPES}:write`, { writes });
    const keys = [{ id: 1 }];
    expect(await api.done("POST", `${TYPES}:get`, { keys })).toEqual({ rows: [row] });
    const nan = { id: 2, f8: "NaN", n: "NaN", d: "infinity" };
    await api.done("POST", `${TYPES}:write`, { writes: [{ op: "put", row: nan }] });
    const answer = await api.done("POST", `${TYPES}:get`, { keys: [{ id: 2 }] });
    expect(answer).toMatchObject({ rows: [{ ...nan, b: null, jb: null }] });
  });
});

describe("scans over HTTP", () => {
  it("read ranges of the primary key and of indexes", async () => {
    const made = Array.from({ length: 60 }, (_, i): RowWrite => {
      return { op: "insert", row: { id: 100 + i, team: i % 2 === 0 ? "odd" : "even", age: i } };
    });
    await write(made);
    const ids = (rows: readonly JsonRow[]) => rows.map(({ id }) => Number(id));
    const between = { lower: { value: 110 }, upper: { value: 113 } };
    expect(ids((await scan(between)).rows)).toEqual([110, 111, 112]);
    const open = {
      lower: { value: 110, inclusive: false },
      upper: { value: 113, inclusive: true },
    };
    expect(ids((await scan({ ...open, reverse: true })).rows)).toEqual([113, 112, 111]);
    const teams = {
      index: "people_team_age_key",
      reverse: true,
      equal: ["odd"],
      columns: ["id"],
      pageSize: 3,
    };
    expect((await scan(teams)).rows).toEqual([{ id: "158" }, { id: "156" }, { id: "154" }]);
    expect((await scan({ equal: [1] })).rows.length).toBe(1);
    expect(await api.refused("POST", `${ROWS}:scan`, { index: "nope" })).toMatchObject({
      status: 404,
      code: "ROW_INDEX_NOT_FOUND",
    });
    expect(await api.refused("POST", `${ROWS}:scan`, { equal: [1, 2] })).toMatchObject({
      status: 400,
      code: "ROW_RANGE_INVALID",
    });
  });

  it.each([1, 7, 1_000])(
    "pages of %d are of one state, whatever others write",
    async (pageSize) => {
      const whole = await pages({ lower: { value: 100 }, upper: { value: 160 } });
      const first = await scan({ lower: { value: 100 }, upper: { value: 160 }, pageSize });
      await write([
        { op: "update", key: { id: 159 }, set: { age: 1_000 + pageSize } },
        { op: "delete", key: { id: 158 } },
      ]);
      const rows = [...first.rows];
      for (let pageToken = first.nextPageToken; pageToken !== undefined; ) {
        const request = { lower: { value: 100 }, upper: { value: 160 }, pageSize, pageToken };
        const page = await scan(request);
        // An answer may have been lost: the same token gives the same page.
        expect(await scan(request)).toEqual(page);
        rows.push(...page.rows);
        pageToken = page.nextPageToken;
      }
      expect(rows).toEqual(whole);
      await write([{ op: "put", row: { id: 158, team: "odd", age: 58 } }]);
    },
  );

  it("refuses tokens that are forged or of another scan, and those that are gone", async () => {
    const range = { lower: { value: 100 }, pageSize: 2 };
    const { nextPageToken: pageToken = "" } = await scan(range);
    const ask = (request: object) => api.refused("POST", `${ROWS}:scan`, request);
    const forged = `${pageToken.slice(0, -2)}${pageToken.endsWith("A") ? "BB" : "AA"}`;
    for (const request of [
      { ...range, pageToken: forged },
      { ...range, reverse: true, pageToken },
      { ...range, pageSize: 3, pageToken },
      { ...range, pageToken: "x" },
    ]) {
      expect(await ask(request)).toMatchObject({ status: 400, code: "PAGE_TOKEN_INVALID" });
    }
    const second = await scan({ ...range, pageToken });
    await scan({ ...range, pageToken: second.nextPageToken ?? "" });
    // Two pages back.
    expect(await ask({ ...range, pageToken })).toMatchObject({
      status: 410,
      code: "ROW_PAGE_GONE",
      context: { sqlState: "34000" },
    });
    const other = await scan(range);
    for (let i = 0; i < 64; i++) await scan(range);
    expect(await ask({ ...range, pageToken: other.nextPageToken })).toMatchObject({ status: 410 });
  });

  it("serves row tables alone", async () => {
    const place = "/catalogs/lake/namespaces/public/tables";
    await api.done("POST", place, { name: "f", format: "OTHER", location: "file:///tmp/f" });
    const keys = [{ id: 1 }];
    expect(await api.refused("POST", `${place}/f/rows:get`, { keys })).toMatchObject({
      status: 400,
      code: "FORMAT_UNSUPPORTED",
    });
    expect((await api.refused("POST", `${place}/none/rows:get`, { keys })).status).toBe(404);
  });
});
