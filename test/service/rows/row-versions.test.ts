import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { columns, Firn, Schema } from "../../../src/index.ts";
import { codeOf } from "../../patterns/support.ts";

const PEOPLE = Schema.table({
  columns: { id: columns.int8(), name: columns.text(), age: columns.int4().nullable() },
  primaryKey: ["id"],
});
const open = () => db.catalog("acme").namespace("ns").createTable("people", PEOPLE);
let db: Firn;
let people: Awaited<ReturnType<typeof open>>;

beforeAll(async () => {
  db = await Firn.open({ profile: "memory" });
  await db.catalog("acme").createNamespace("ns");
  people = await open();
});
afterAll(async () => await db.close());

const versionOf = async (id: bigint): Promise<string> =>
  (await people.getVersioned({ id }))?.version ?? "none";

describe("conditional writes of an embedded Firn", () => {
  it("happen on the version that they name, and on no other", async () => {
    await people.put({ id: 1n, name: "Ada", age: 1 });
    const ifVersion = await versionOf(1n);
    await people.update({ id: 1n }, { age: 2 }, { ifVersion });
    const next = await versionOf(1n);
    expect(next).not.toBe(ifVersion);
    for (const stale of [ifVersion, "x", ""]) {
      const options = { ifVersion: stale };
      const refused = [
        people.update({ id: 1n }, { age: 9 }, options),
        people.put({ id: 1n, name: "Eve" }, options),
        people.delete({ id: 1n }, options),
      ];
      for (const write of refused) expect(await codeOf(write)).toBe("ROW_CHANGED");
    }
    const row = { id: 1n, name: "Ada", age: 2 };
    expect(await people.getVersioned({ id: 1n })).toEqual({ row, version: next });
    await people.put({ id: 1n, name: "Ada", age: 3 }, { ifVersion: next });
    expect(await people.delete({ id: 1n }, { ifVersion: await versionOf(1n) })).toBe(true);
  });

  it("make no row where there is none", async () => {
    const put = people.put({ id: 2n, name: "Bob" }, { ifVersion: "x" });
    await expect(put).rejects.toMatchObject({ context: { table: "people", exists: false } });
    expect(await codeOf(people.update({ id: 2n }, {}, { ifVersion: "x" }))).toBe("ROW_CHANGED");
    expect(await codeOf(people.delete({ id: 2n }, { ifVersion: "x" }))).toBe("ROW_CHANGED");
    expect(await people.getVersioned({ id: 2n })).toBeUndefined();
  });

  it("compare with what their transaction has written, and leave nothing of it", async () => {
    await people.put({ id: 3n, name: "Cid" });
    const ifVersion = await versionOf(3n);
    const work = people.transaction(async (tx) => {
      await people.in(tx).put({ id: 4n, name: "Dan" });
      await people.in(tx).update({ id: 3n }, { age: 1 }, { ifVersion });
      await people.in(tx).update({ id: 3n }, { age: 2 }, { ifVersion });
    });
    expect(await codeOf(work)).toBe("ROW_CHANGED");
    expect(await people.get({ id: 4n })).toBeUndefined();
    expect(await versionOf(3n)).toBe(ifVersion);
  });

  it("lose no increment of 16 callers", async () => {
    await people.put({ id: 5n, name: "Eli", age: 0 });
    let refused = 0;
    const caller = async (): Promise<void> => {
      for (let done = 0; done < 20; ) {
        const found = await people.getVersioned({ id: 5n });
        const { row, version = "" } = found ?? {};
        const age = (row?.age ?? 0) + 1;
        const write = people.update({ id: 5n }, { age }, { ifVersion: version });
        const isDone = await write.catch((error: unknown) => {
          expect(error).toMatchObject({ code: "ROW_CHANGED" });
          refused++;
          return false;
        });
        if (isDone) done++;
      }
    };
    await Promise.all(Array.from({ length: 16 }, caller));
    expect(await people.get({ id: 5n })).toMatchObject({ age: 320 });
    expect(refused).toBeGreaterThan(0);
  });
});
