import { afterEach, describe, expect, it } from "vitest";
import type { FirnError } from "../../src/base/error.ts";
import { SeededPrng } from "../../src/base/prng.ts";
import {
  beginIndex,
  buildIndex,
  type Datum,
  type IndexReport,
  type IndexSpec,
  type PostingQuery,
  postingQuery,
  type RowIsolation,
  repairIndex,
  type TableDescriptor,
  type TableSpec,
} from "../../src/rows/index.ts";
import { elementTermOf, keyTerm, termsOf } from "../../src/rows/inverted/terms.ts";
import { newTableId, type OpenRows, openRows, rowsOf } from "./support/open-rows.ts";

let opened: OpenRows | undefined;
afterEach(async () => {
  await opened?.end();
  opened = undefined;
});

const BY_BODY: IndexSpec = { name: "by_body", method: "gin", parts: [{ column: "body" }] };
const BY_TAGS: IndexSpec = { name: "by_tags", method: "gin", parts: [{ column: "tags" }] };
const RIGHT = { missing: 0, extra: 0, wrong: 0 };

const bodyOf = (at: number): string =>
  JSON.stringify({ team: `t${at % 7}`, list: [at % 3, `w${at % 5}`], deep: { x: at % 4 } });
const tagsOf = (at: number): Datum => {
  const elements = [`t${at % 7}`, `u${at % 3}`];
  return { dimensions: [2], lowerBounds: [1], elements };
};

async function made(
  rows: number,
  indexes: readonly IndexSpec[] = [],
): Promise<{ readonly on: OpenRows; readonly spec: TableSpec }> {
  const on = await openRows();
  opened = on;
  const spec: TableSpec = {
    id: newTableId(),
    namespace: ["hr"],
    name: "docs",
    columns: [
      { name: "id", type: { kind: "numeric" } },
      { name: "kind", type: { kind: "text" } },
      { name: "body", type: { kind: "jsonb" } },
      { name: "tags", type: { kind: "array", element: { kind: "text" } } },
    ],
    // A decimal, of which keys lose the zeros at its end, and a text without an end in the key.
    primaryKey: { parts: [{ column: "id", direction: "desc" }, { column: "kind" }] },
    indexes,
  };
  await on.rows.run(async (tx) => {
    const table = await tx.createTable(spec);
    const all = Array.from({ length: rows }, (_, at) => [
      `${at}.50`,
      `k${at % 2}`,
      bodyOf(at),
      tagsOf(at),
    ]);
    await tx.insert(table, all);
  });
  return { on, spec };
}

async function tableOf(on: OpenRows, { id }: TableSpec): Promise<TableDescriptor> {
  return await on.rows.run(async (tx) => await tx.tables.get(id), { readOnly: true });
}

async function checked(on: OpenRows, spec: TableSpec, name: string): Promise<IndexReport> {
  const table = await tableOf(on, spec);
  const index = table.indexes.find((one) => one.name === name);
  expect(index?.state).toBe("public");
  return await on.rows.run(async (tx) => await tx.checkIndex(table, index?.id ?? 0), {
    readOnly: true,
  });
}

const JSONB = { type: { kind: "jsonb" }, operatorClass: "jsonb_ops", part: 0 } as const;

/** Ids of the rows that posting lists give. */
async function listed(
  on: OpenRows,
  spec: TableSpec,
  name: string,
  postings: PostingQuery,
): Promise<readonly string[]> {
  return await on.rows.run(async (tx) => {
    const table = await tx.tables.get(spec.id);
    const index = table.indexes.find((one) => one.name === name)?.id ?? 0;
    const rows = await rowsOf(tx.scan(table, { index, postings, mayReadWhole: false }));
    return rows.map(([id]) => String(id));
  });
}

class Killed extends Error {}

const ISOLATIONS: readonly RowIsolation[] = ["serializable", "repeatable read", "read committed"];

/** Writers that go on until they are stopped. */
function writers(on: OpenRows, spec: TableSpec, seed: number, count: number) {
  let isStopped = false;
  let written = 0;
  const one = async (writer: number): Promise<void> => {
    const prng = new SeededPrng(seed * 31 + writer);
    while (!isStopped) {
      const at = prng.uint32() % 90;
      const other = prng.uint32() % 300;
      const kind = prng.uint32() % 5;
      const isolation = ISOLATIONS[prng.uint32() % 3] ?? "serializable";
      const key = [`${at}.5`, `k${at % 2}`];
      try {
        await on.rows.run(
          async (tx) => {
            const table = await tx.tables.get(spec.id);
            const body = kind === 4 ? null : bodyOf(other);
            if (kind === 0) await tx.delete(table, key);
            else if (kind === 1) await tx.put(table, [...key, body, tagsOf(other)]);
            else if (kind === 2) await tx.update(table, key, new Map([[1, `${100 + other}`]]));
            else await tx.update(table, key, new Map<number, Datum>([[3, body]]));
          },
          { isolation },
        );
        written++;
      } catch {
        // A killed process, a deadlock, a key that is taken: the writer goes on.
      }
      await new Promise((resume) => setImmediate(resume));
    }
  };
  const all = Array.from({ length: count }, (_, writer) => one(writer));
  return {
    get written() {
      return written;
    },
    stop: async () => {
      isStopped = true;
      await Promise.all(all);
    },
  };
}

describe("an inverted index that is built while others write", () => {
  it.each([1, 2, 3, 4, 5])("agrees with the rows, kills included (seed %i)", async (seed) => {
    const { on, spec } = await made(60, [BY_TAGS]);
    await beginIndex(on.rows, spec.id, BY_BODY);
    const beside = writers(on, spec, seed, 3);
    const prng = new SeededPrng(seed);
    let kills = 0;
    for (;;) {
      let left = 1 + (prng.uint32() % 6);
      const onStep = async () => {
        await new Promise((resume) => setImmediate(resume));
        if (kills < 4 && --left === 0) throw new Killed();
      };
      try {
        await buildIndex(on.rows, spec.id, BY_BODY.name, onStep, 7);
        break;
      } catch (error) {
        if (!(error instanceof Killed)) throw error;
        kills++;
        await on.reopen();
      }
    }
    expect(await checked(on, spec, "by_body")).toMatchObject(RIGHT);
    const before = beside.written;
    await beside.stop();
    expect(before).toBeGreaterThan(10);
    expect(kills).toBeGreaterThanOrEqual(2);
    for (const name of ["by_body", "by_tags"]) {
      expect(await checked(on, spec, name)).toMatchObject(RIGHT);
    }
    const all = await on.rows.run(async (tx) => rowsOf(tx.scan(await tx.tables.get(spec.id))));
    for (const team of ["t0", "t1", "t6"]) {
      const postings = postingQuery(JSONB, "contains", JSON.stringify({ team }));
      const expected = all.filter(([, , body]) => String(body).includes(`"team":"${team}"`));
      const found = await listed(on, spec, "by_body", postings);
      // In the order of the primary key: rows that may meet it, of which some have only its terms.
      expect(found).toEqual(expected.map(([id]) => String(id)));
    }
  });
});

describe("an inverted index of rows with many terms", () => {
  const longOf = (at: number): string =>
    JSON.stringify(Object.fromEntries(Array.from({ length: 40 }, (_, i) => [`k${i}`, at * i])));

  it("is built and checked in parts of bounded size", async () => {
    const { on, spec } = await made(0);
    await on.rows.run(async (tx) => {
      const table = await tx.tables.get(spec.id);
      const rows = Array.from({ length: 120 }, (_, at) => [`${at}`, "k", longOf(at), null]);
      await tx.insert(table, rows);
    });
    await beginIndex(on.rows, spec.id, BY_BODY);
    const done: number[] = [];
    await buildIndex(on.rows, spec.id, "by_body", (step) => void done.push(step.done));
    expect(done[0]).toBeLessThan(120);
    const report = await checked(on, spec, "by_body");
    expect(report).toMatchObject({ ...RIGHT, rows: 120 });
    // 40 keys each; the values of row 0 are one term, those of the others 40.
    expect(report.entries).toBe(120 * 40 + 1 + 119 * 40);
  });

  it("has the entries of rows that are loaded", async () => {
    const { on, spec } = await made(3, [BY_BODY, BY_TAGS]);
    const table = await tableOf(on, spec);
    const tx = await on.rows.begin({ isolation: "read committed" });
    const load = await tx.load(table);
    await tx.commit();
    await load?.insert([
      ["100", "k", longOf(1), tagsOf(1)],
      ["101", "k", longOf(2), tagsOf(2)],
    ]);
    await load?.commit();
    for (const name of ["by_body", "by_tags"]) {
      expect(await checked(on, spec, name)).toMatchObject({ ...RIGHT, rows: 5 });
    }
    expect(await listed(on, spec, "by_body", postingQuery(JSONB, "key", "k7"))).toEqual([
      "101",
      "100",
    ]);
  });
});

describe("an inverted index that was tampered with", () => {
  it("is found out and mended", async () => {
    const { on, spec } = await made(700, [BY_BODY]);
    const { relation } = await tableOf(on, spec);
    const prefix = Buffer.alloc(7);
    prefix[0] = 1;
    prefix.writeUInt32BE(relation, 1);
    prefix.writeUInt16BE(1, 5);
    const entries: { key: Buffer; value: Buffer }[] = [];
    for await (const batch of on.engine.scan({ from: prefix })) {
      for (const { key, value } of batch) {
        if (Buffer.from(key).indexOf(prefix) !== 0) continue;
        entries.push({ key: Buffer.from(key), value: Buffer.from(value) });
      }
    }
    // Of each row: 4 keys, w…, t… and the numbers of the list and of x, which may be the same.
    expect(entries.length).toBeGreaterThan(700 * 7);
    const [first, second, third] = [entries[10], entries[3_000], entries[4_500]];
    if (first === undefined || second === undefined || third === undefined) throw new Error("few");
    await on.engine.delete(first.key);
    await on.engine.put(second.key, Buffer.from(third.value));
    const planted = Buffer.from(third.key);
    // Another number of the part: a term that no row has.
    planted[9] = (planted[9] ?? 0) + 1;
    await on.engine.put(planted, third.value);
    const before = await checked(on, spec, "by_body");
    // The entry with another row's value is the wrong one of its row, and none of the other row.
    expect(before).toMatchObject({ missing: 1, wrong: 1, extra: 2 });
    expect(before.rows).toBe(700);
    await repairIndex(on.rows, spec.id, "by_body");
    expect(await checked(on, spec, "by_body")).toMatchObject({ ...RIGHT, entries: entries.length });
  });

  it("tells an entry without its row where a scan meets one", async () => {
    const { on, spec } = await made(20, [BY_BODY]);
    const { relation } = await tableOf(on, spec);
    const row = Buffer.alloc(7);
    row[0] = 1;
    row.writeUInt32BE(relation, 1);
    const scan = on.engine.scan({ from: row, limit: 1 });
    const [found] = (await scan.next()) ?? [];
    scan.close();
    await on.engine.delete(Buffer.from(found?.key ?? []));
    const postings = postingQuery(JSONB, "key", "team");
    const read = listed(on, spec, "by_body", postings);
    await expect(read).rejects.toMatchObject({ code: "ROW_CORRUPT" } satisfies Partial<FirnError>);
  });
});

describe("two transactions that read and write one term", () => {
  it("are serializable: one of them begins again", async () => {
    const { on, spec } = await made(30, [BY_BODY]);
    const postings = postingQuery(JSONB, "contains", '{"team": "new"}');
    const runs: string[] = [];
    const one = async (id: string): Promise<void> => {
      await on.rows.run(async (tx) => {
        runs.push(id);
        const table = await tx.tables.get(spec.id);
        const found = await rowsOf(tx.scan(table, { index: 1, postings, mayReadWhole: false }));
        await new Promise((resume) => setImmediate(resume));
        const body = JSON.stringify({ team: "new", before: found.length });
        await tx.insert(table, [[id, "k", body, null]]);
      });
    };
    await Promise.all([one("1000"), one("1001")]);
    expect(runs).toHaveLength(3);
    const rows = await on.rows.run(async (tx) => {
      const table = await tx.tables.get(spec.id);
      return await rowsOf(tx.scan(table, { index: 1, postings, mayReadWhole: false }));
    });
    const counts = rows.map(([, , body]) => JSON.parse(String(body)).before).sort();
    expect(counts).toEqual([0, 1]);
  });
});

describe("terms", () => {
  const hex = (terms: readonly Uint8Array[]): readonly string[] =>
    terms.map((term) => Buffer.from(term).toString("hex")).sort();
  const jsonb = termsOf({ kind: "jsonb" }, "jsonb_ops");
  const paths = termsOf({ kind: "jsonb" }, "jsonb_path_ops");

  it("are stored as they were", () => {
    expect(hex(jsonb('{"a": 1}'))).toEqual(["0161", "0431"]);
    expect(hex(jsonb('["a", {"b": "a"}, null, true, false]'))).toEqual([
      "0161",
      "0162",
      "02",
      "0366",
      "0374",
      "0561",
    ]);
    expect(hex(jsonb(`"${"x".repeat(121)}"`))).toEqual(["1179072a47bfaa54e6057a9ee21e0dea64"]);
    expect(hex(paths('{"a": {"b": [1, 2]}}'))).toEqual(["14982247f4b15197", "6ffb115dfb30d797"]);
    const words = elementTermOf({ kind: "array", element: { kind: "text" } });
    expect(hex([words("a"), words(null), words("x".repeat(200))])).toEqual([
      "001061",
      "0166111074e794a8941ac4bcba88a9c30c",
      "02",
    ]);
    expect(hex([keyTerm("a")])).toEqual(["0161"]);
  });

  it("of equal numbers are equal", () => {
    for (const terms of [jsonb, paths]) {
      expect(hex(terms("[1, 1.0, 1e0, 10e-1]"))).toHaveLength(1);
      expect(hex(terms("[0, -0, 0.0]"))).toHaveLength(1);
    }
  });

  it("are of a text that is nested deeper than the stack", () => {
    const depth = 5_000;
    const deep = `${"[".repeat(depth)}1${"]".repeat(depth)}`;
    expect(hex(jsonb(deep))).toEqual(["0431"]);
    expect(paths(deep)).toHaveLength(1);
  });
});
