import { afterEach, describe, expect, it } from "vitest";
import type { FirnError } from "../../src/base/error.ts";
import { SeededPrng } from "../../src/base/prng.ts";
import {
  beginIndex,
  buildIndex,
  type Datum,
  type IndexReport,
  type IndexSpec,
  repairIndex,
  type TableDescriptor,
  type TableSpec,
} from "../../src/rows/index.ts";
import { newTableId, type OpenRows, openRows, rowsOf } from "./support/open-rows.ts";

let opened: OpenRows | undefined;
afterEach(async () => {
  await opened?.end();
  opened = undefined;
});

const BY_TEAM: IndexSpec = {
  name: "by_team",
  parts: [{ column: "team" }],
  include: ["score"],
};
const UNIQUE: IndexSpec = { name: "email_key", parts: [{ column: "email" }], unique: true };

async function made(rows: number): Promise<{ readonly on: OpenRows; readonly spec: TableSpec }> {
  const on = await openRows();
  opened = on;
  const spec: TableSpec = {
    id: newTableId(),
    namespace: ["hr"],
    name: "people",
    columns: [
      { name: "id", type: { kind: "int4" } },
      { name: "email", type: { kind: "text" } },
      { name: "team", type: { kind: "text" } },
      { name: "score", type: { kind: "int4" } },
    ],
    primaryKey: { parts: [{ column: "id" }] },
  };
  await on.rows.run(async (tx) => {
    const table = await tx.createTable(spec);
    const all = Array.from({ length: rows }, (_, id) => [id, `e${id}`, `t${id % 7}`, id]);
    await tx.insert(table, all);
  });
  return { on, spec };
}

async function tableOf(on: OpenRows, { id }: TableSpec): Promise<TableDescriptor> {
  return await on.rows.run(async (tx) => await tx.tables.get(id), { readOnly: true });
}

/** What is wrong with an index that is public. */
async function checked(on: OpenRows, spec: TableSpec, name: string): Promise<IndexReport> {
  const table = await tableOf(on, spec);
  const index = table.indexes.find((one) => one.name === name);
  expect(index?.state).toBe("public");
  return await on.rows.run(async (tx) => await tx.checkIndex(table, index?.id ?? 0), {
    readOnly: true,
  });
}

const RIGHT = { missing: 0, extra: 0, wrong: 0 };

async function codeOf(work: Promise<unknown>): Promise<string> {
  try {
    await work;
    return "done";
  } catch (error) {
    return (error as FirnError).code;
  }
}

class Killed extends Error {}

/** Writers that go on until they are stopped, each against its own share of all ids. */
function writers(on: OpenRows, spec: TableSpec, seed: number, count: number) {
  let isStopped = false;
  let written = 0;
  const one = async (writer: number): Promise<void> => {
    const prng = new SeededPrng(seed * 31 + writer);
    while (!isStopped) {
      const id = prng.uint32() % 90;
      const team = `t${prng.uint32() % 9}`;
      const kind = prng.uint32() % 4;
      const isolation = prng.uint32() % 2 === 0 ? "read committed" : "serializable";
      const store = on.rows;
      try {
        await store.run(
          async (tx) => {
            const table = await tx.tables.get(spec.id);
            const changes = new Map<number, Datum>([
              [3, team],
              [4, kind],
            ]);
            if (kind === 0) await tx.delete(table, [id]);
            else if (kind === 1) await tx.update(table, [id], changes);
            else if (kind === 2) await tx.put(table, [id, `e${id}`, team, id]);
            else await tx.update(table, [id], new Map([[1, 100 + (prng.uint32() % 60)]]));
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

describe("an index that is built while others write", () => {
  it.each([1, 2, 3, 4, 5, 6])("agrees with the rows, kills included (seed %i)", async (seed) => {
    const { on, spec } = await made(60);
    await beginIndex(on.rows, spec.id, BY_TEAM);
    const beside = writers(on, spec, seed, 3);
    const prng = new SeededPrng(seed);
    let kills = 0;
    const states = new Set<string>();
    for (;;) {
      let left = 1 + (prng.uint32() % 6);
      const onStep = async ({ state, pass }: { readonly state: string; readonly pass: string }) => {
        states.add(`${state} ${pass}`);
        await new Promise((resume) => setImmediate(resume));
        if (kills < 4 && --left === 0) throw new Killed();
      };
      try {
        await buildIndex(on.rows, spec.id, BY_TEAM.name, onStep, 7);
        break;
      } catch (error) {
        if (!(error instanceof Killed)) throw error;
        kills++;
        await on.reopen();
      }
    }
    const before = beside.written;
    expect(await checked(on, spec, "by_team")).toMatchObject(RIGHT);
    await beside.stop();
    expect(before).toBeGreaterThan(20);
    expect(kills).toBeGreaterThanOrEqual(2);
    expect([...states].sort()).toEqual([
      "backfilling rows",
      "validating entries",
      "validating rows",
    ]);
    expect(await checked(on, spec, "by_team")).toMatchObject(RIGHT);
    const found = await on.rows.run(async (tx) => {
      const table = await tx.tables.get(spec.id);
      const all = await rowsOf(tx.scan(table));
      const [index] = table.indexes;
      const byTeam = await rowsOf(tx.scan(table, { index: index?.id ?? 0 }));
      return { all, byTeam };
    });
    const sorted = found.all.map(String).sort();
    expect(found.byTeam.map(String).sort()).toEqual(sorted);
  });

  it.each([1, 2, 3, 4, 5, 6, 7, 8])("is unique, or dropped (seed %i)", async (seed) => {
    const { on, spec } = await made(60);
    const beside = writers(on, spec, seed, 3);
    let built = 0;
    for (let round = 0; round < 4; round++) {
      await beginIndex(on.rows, spec.id, UNIQUE);
      const onStep = () => new Promise<void>((resume) => setImmediate(resume));
      const code = await codeOf(buildIndex(on.rows, spec.id, UNIQUE.name, onStep, 7));
      if (code === "done") {
        built++;
        expect(await checked(on, spec, UNIQUE.name)).toMatchObject(RIGHT);
        await on.rows.run((tx) => tx.dropIndex(spec.id, UNIQUE.name));
        continue;
      }
      expect(code).toBe("ROW_DUPLICATE");
      expect((await tableOf(on, spec)).indexes).toEqual([]);
      const doubles = new Map<string, number>();
      await on.rows.run(async (tx) => {
        const table = await tx.tables.get(spec.id);
        const rows = await rowsOf(tx.scan(table));
        for (const [id, email] of rows) {
          if (doubles.has(String(email))) await tx.delete(table, [id as number]);
          else doubles.set(String(email), 1);
        }
      });
    }
    await beside.stop();
    expect(built).toBeGreaterThan(0);
  });
});

describe("a build of an index", () => {
  it("goes on from its note, not from the beginning", async () => {
    const { on, spec } = await made(50);
    await beginIndex(on.rows, spec.id, BY_TEAM);
    const seen: number[] = [];
    const stopAfter = (steps: number) => {
      let left = steps;
      return ({ done }: { readonly done: number }) => {
        seen.push(done);
        if (--left === 0) throw new Killed();
      };
    };
    await codeOf(buildIndex(on.rows, spec.id, "by_team", stopAfter(2), 10));
    await on.reopen();
    await codeOf(buildIndex(on.rows, spec.id, "by_team", stopAfter(2), 10));
    expect(seen).toEqual([10, 20, 30, 40]);
  });

  it("is read by nothing before it is public, and its constraint is not there", async () => {
    const { on, spec } = await made(5);
    await beginIndex(on.rows, spec.id, UNIQUE);
    const table = await tableOf(on, spec);
    expect(table.indexes[0]?.state).toBe("backfilling");
    expect(table.constraints.map(({ name }) => name)).toEqual(["people_pkey"]);
    const scan = on.rows.run((tx) => rowsOf(tx.scan(table, { index: 1 })), { readOnly: true });
    expect(await codeOf(scan)).toBe("ROW_INDEX_UNREADY");
    await buildIndex(on.rows, spec.id, UNIQUE.name);
    const built = await tableOf(on, spec);
    expect(built.constraints.map(({ name }) => name)).toEqual(["people_pkey", "email_key"]);
  });

  it("is dropped where two rows have one unique key, with 23505", async () => {
    const { on, spec } = await made(40);
    const insert = (id: number, email: string) =>
      on.rows.run(async (tx) => {
        await tx.insert(await tx.tables.get(spec.id), [[id, email, "t", 0]]);
      });
    await insert(77, "e30");
    await beginIndex(on.rows, spec.id, UNIQUE);
    const build = buildIndex(on.rows, spec.id, UNIQUE.name, () => undefined, 5);
    await expect(build).rejects.toMatchObject({
      code: "ROW_DUPLICATE",
      context: { sqlState: "23505", constraint: "email_key" },
    });
    const table = await tableOf(on, spec);
    expect(table.indexes).toEqual([]);
    await insert(78, "e30");
    // The same name may be built again, and no entry of the first try is left.
    await on.rows.run(async (tx) => {
      for (const id of [77, 78]) await tx.delete(await tx.tables.get(spec.id), [id]);
    });
    await beginIndex(on.rows, spec.id, UNIQUE);
    await buildIndex(on.rows, spec.id, UNIQUE.name);
    expect(await checked(on, spec, "email_key")).toMatchObject({ ...RIGHT, entries: 40 });
  });
});

describe("a build of an index beside changes of its table", () => {
  it("keeps the entry of a row whose twin goes while it is built", async () => {
    const { on, spec } = await made(30);
    await on.rows.run(async (tx) => {
      await tx.insert(await tx.tables.get(spec.id), [[50, "e3", "t", 0]]);
      await tx.insert(await tx.tables.get(spec.id), [[51, "e4", "t", 0]]);
    });
    await beginIndex(on.rows, spec.id, UNIQUE);
    let steps = 0;
    const onStep = async (): Promise<void> => {
      if (++steps !== 1) return;
      // Rows 3 and 4 have their entries; their twins have none yet.
      await on.rows.run(async (tx) => {
        const table = await tx.tables.get(spec.id);
        await tx.delete(table, [50]);
        await tx.update(table, [51], new Map([[2, "other"]]));
      });
    };
    await buildIndex(on.rows, spec.id, UNIQUE.name, onStep, 10);
    expect(await checked(on, spec, "email_key")).toMatchObject({ ...RIGHT, entries: 31 });
  });

  it("begins again where the table is truncated meanwhile", async () => {
    const { on, spec } = await made(40);
    await beginIndex(on.rows, spec.id, BY_TEAM);
    let steps = 0;
    const onStep = async (): Promise<void> => {
      if (++steps !== 2) return;
      await on.rows.run(async (tx) => {
        const table = await tx.truncate(spec.id);
        await tx.insert(table, [[1, "a", "x", 1]]);
      });
    };
    await buildIndex(on.rows, spec.id, BY_TEAM.name, onStep, 10);
    expect(await checked(on, spec, "by_team")).toMatchObject({ ...RIGHT, rows: 1, entries: 1 });
  });

  it("says that it was dropped, or its table", async () => {
    const { on, spec } = await made(40);
    await beginIndex(on.rows, spec.id, BY_TEAM);
    const drop = async (): Promise<void> => {
      await on.rows.run((tx) => tx.dropIndex(spec.id, "by_team"));
    };
    expect(await codeOf(buildIndex(on.rows, spec.id, "by_team", drop, 10))).toBe(
      "ROW_INDEX_NOT_FOUND",
    );
    await beginIndex(on.rows, spec.id, BY_TEAM);
    const dropTable = async (): Promise<void> => {
      await on.rows.run((tx) => tx.dropTable(spec.id));
    };
    expect(await codeOf(buildIndex(on.rows, spec.id, "by_team", dropTable, 10))).toBe(
      "ROW_TABLE_NOT_FOUND",
    );
  });
});

describe("an index that was tampered with", () => {
  it.each([BY_TEAM, UNIQUE])("is found out and mended ($name)", async (index) => {
    const { on, spec } = await made(1_200);
    await on.rows.run((tx) => tx.createIndex(spec.id, index));
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
    expect(entries).toHaveLength(1_200);
    const at = (i: number) => entries[i] as { key: Buffer; value: Buffer };
    // Three are missing, two have the value of another one, two are of a row that is not there.
    for (const i of [5, 600, 1_199]) await on.engine.delete(at(i).key);
    const wrong = index.unique === true ? [] : [10, 700];
    for (const i of wrong) await on.engine.put(at(i).key, at(i + 1).value);
    await on.rows.run(async (tx) => {
      const table = await tx.tables.get(spec.id);
      await tx.insert(table, [
        [5_000, "x5000", "zz", 1],
        [5_001, "x5001", "zz", 2],
      ]);
    });
    const rowKeys: Buffer[] = [];
    const rowsFrom = Buffer.from(prefix);
    rowsFrom.writeUInt16BE(0, 5);
    for await (const batch of on.engine.scan({ from: rowsFrom, to: prefix })) {
      for (const { key } of batch) rowKeys.push(Buffer.from(key));
    }
    for (const key of rowKeys.slice(-2)) await on.engine.delete(key);
    const bad = { missing: 3, extra: 2, wrong: wrong.length };
    expect(await checked(on, spec, index.name)).toMatchObject({ rows: 1_200, ...bad });
    expect(await repairIndex(on.rows, spec.id, index.name)).toMatchObject(bad);
    expect(await checked(on, spec, index.name)).toMatchObject({ ...RIGHT, entries: 1_200 });
    expect(await repairIndex(on.rows, spec.id, index.name)).toMatchObject(RIGHT);
  });
});
