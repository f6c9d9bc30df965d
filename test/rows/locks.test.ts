import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { FirnError } from "../../src/base/error.ts";
import { SeededPrng } from "../../src/base/prng.ts";
import type { Datum, RowIsolation, TableDescriptor } from "../../src/rows/index.ts";
import { LOCK_MODES, type LockMode, type LockOwner, RowLocks } from "../../src/rows/locks.ts";
import { newTableId, type OpenRows, openRows, rowsOf } from "./support/open-rows.ts";

describe("row locks", () => {
  const owner = (): LockOwner => ({ locks: [] });

  it("conflict as PostgreSQL's do", () => {
    const compatible = LOCK_MODES.map((held) =>
      LOCK_MODES.map((asked) => {
        const locks = new RowLocks();
        locks.acquire(owner(), "k", held, "wait");
        return locks.acquire(owner(), "k", asked, "skip locked") === "held" ? 1 : 0;
      }).join(""),
    );
    expect(compatible).toEqual(["1110", "1100", "1000", "0000"]);
  });

  it("are granted in the order of asking, and leave nothing behind", async () => {
    const locks = new RowLocks();
    const [a, b, c] = [owner(), owner(), owner()];
    const order: string[] = [];
    locks.acquire(a, "k", "update", "wait");
    const second = Promise.resolve(locks.acquire(b, "k", "update", "wait")).then(() => {
      order.push("b");
      locks.release(b);
    });
    const third = Promise.resolve(locks.acquire(c, "k", "share", "wait")).then(() => {
      order.push("c");
      locks.release(c);
    });
    expect(locks.acquire(a, "k", "update", "wait")).toBe("held");
    locks.release(a);
    await Promise.all([second, third]);
    expect(order).toEqual(["b", "c"]);
    expect(locks.size).toBe(0);
  });

  it("refuse the one that would close a circle, also of three and of an upgrade", () => {
    const locks = new RowLocks();
    const [a, b, c] = [owner(), owner(), owner()];
    locks.acquire(a, "1", "update", "wait");
    locks.acquire(b, "2", "update", "wait");
    locks.acquire(c, "3", "share", "wait");
    void locks.acquire(a, "2", "update", "wait");
    void locks.acquire(b, "3", "update", "wait");
    expect(() => locks.acquire(c, "1", "key share", "wait")).toThrow("deadlock");
    const both = new RowLocks();
    both.acquire(a, "u", "share", "wait");
    both.acquire(b, "u", "share", "wait");
    void both.acquire(a, "u", "update", "wait");
    expect(() => both.acquire(b, "u", "update", "wait")).toThrow("deadlock");
  });

  it("are granted past a waiter that they do not conflict with", async () => {
    const locks = new RowLocks();
    const [a, b, c, d] = [owner(), owner(), owner(), owner()];
    locks.acquire(a, "k", "no key update", "wait");
    void locks.acquire(b, "k", "share", "wait");
    const third = Promise.resolve(locks.acquire(c, "k", "update", "wait")).catch(() => "left");
    const fourth = locks.acquire(d, "k", "key share", "wait");
    locks.leave(c, new Error("enough"));
    expect(await third).toBe("left");
    expect(await fourth).toBe("waited");
  });

  it("never leave all transactions waiting, whatever they ask for in any order", async () => {
    for (let seed = 1; seed <= 300; seed++) await playLocks(seed);
  });
});

/** Random calls by four transactions: one of them can always go on. */
async function playLocks(seed: number): Promise<void> {
  const prng = new SeededPrng(seed);
  const below = (count: number): number => prng.uint32() % count;
  const locks = new RowLocks();
  const free = new Set(Array.from({ length: 4 }, (): LockOwner => ({ locks: [] })));
  const waiting = new Set<LockOwner>();
  const back = (one: LockOwner): void => {
    waiting.delete(one);
    free.add(one);
  };
  for (let call = 0; call < 60; call++) {
    expect(free.size, `seed ${seed}, call ${call}`).toBeGreaterThan(0);
    const one = [...free][below(free.size)] as LockOwner;
    const left = [...waiting][below(8)];
    if (left !== undefined) locks.leave(left, new Error("enough"));
    else if (below(5) === 0) locks.release(one);
    else {
      const mode = LOCK_MODES[below(LOCK_MODES.length)] as LockMode;
      try {
        const asked = locks.acquire(one, String(below(3)), mode, "wait");
        if (asked instanceof Promise) {
          free.delete(one);
          waiting.add(one);
          asked.then(
            () => back(one),
            () => {
              locks.release(one);
              back(one);
            },
          );
        }
      } catch {
        locks.release(one);
      }
    }
    for (let i = 0; i < 4; i++) await undefined;
  }
}

let at: OpenRows;
let table: TableDescriptor;

beforeEach(async () => {
  at = await openRows();
  table = await at.rows.run(async (tx) => {
    const made = await tx.createTable({
      id: newTableId(),
      namespace: [],
      name: "counters",
      columns: [
        { name: "name", type: { kind: "text" } },
        { name: "n", type: { kind: "int4" }, nullable: false },
      ],
      primaryKey: { parts: [{ column: "name" }] },
      indexes: [{ name: "n_idx", parts: [{ column: "n" }] }],
    });
    await tx.insert(made, [
      ["a", 0],
      ["b", 0],
      ["c", 0],
    ]);
    return made;
  });
});

afterEach(async () => {
  expect(at.rows.locked).toBe(0);
  await at.end();
});

const codeOf = async (work: Promise<unknown>): Promise<unknown> =>
  await work.then(
    () => "done",
    (error: FirnError) => `${error.code} ${error.context["sqlState"]}`,
  );

describe("transactions that overlap", () => {
  it.each<RowIsolation>(["serializable", "repeatable read", "read committed"])(
    "64 callers add to one row at %s, and none of them hears of a conflict",
    async (isolation) => {
      const add = async (): Promise<void> => {
        const tx = await at.rows.begin({ isolation });
        const lock = { mode: "update" } as const;
        const row = await tx.get(table, ["a"], { lock });
        await tx.update(table, ["a"], new Map([[2, Number(row?.[1]) + 1]]));
        await tx.commit({ durable: false });
      };
      await Promise.all(Array.from({ length: 64 }, add));
      await at.rows.run(async (tx) => expect(await tx.get(table, ["a"])).toEqual(["a", 64]));
    },
  );

  it("an update that reads first is begun again by `run`, and none is lost", async () => {
    const add = async (): Promise<void> => {
      await at.rows.run(
        async (tx) => {
          const row = await tx.get(table, ["a"]);
          await tx.update(table, ["a"], new Map([[2, Number(row?.[1]) + 1]]));
        },
        { durable: false },
      );
    };
    await Promise.all(Array.from({ length: 20 }, add));
    await at.rows.run(async (tx) => expect(await tx.get(table, ["a"])).toEqual(["a", 20]));
  });

  it.each<[RowIsolation, string]>([
    ["serializable", "ROW_CONFLICT 40001"],
    ["repeatable read", "ROW_CONFLICT 40001"],
    ["read committed", "done"],
  ])(
    "an update of what was read before another committed is, at %s, %s",
    async (isolation, end) => {
      const tx = await at.rows.begin({ isolation });
      await tx.get(table, ["b"]);
      await tx.update(table, ["c"], new Map([[2, 7]]));
      await at.rows.run(async (other) => await other.update(table, ["a"], new Map([[2, 5]])));
      const work = async (): Promise<void> => {
        await tx.update(table, ["a"], new Map([[2, 6]]));
        await tx.commit();
      };
      expect(await codeOf(work())).toBe(end);
    },
  );

  it("READ COMMITTED sees the newest of a row that it locks, without a wait too", async () => {
    const tx = await at.rows.begin({ isolation: "read committed" });
    await tx.get(table, ["b"]);
    await tx.update(table, ["c"], new Map([[2, 7]]));
    await at.rows.run(async (other) => await other.update(table, ["a"], new Map([[2, 5]])));
    expect(await tx.get(table, ["a"], { lock: { mode: "update" } })).toEqual(["a", 5]);
    expect(await tx.get(table, ["c"])).toEqual(["c", 7]);
    await tx.commit();
  });

  it("write skew is refused where it is serializable, and only there", async () => {
    for (const [isolation, end] of [
      ["serializable", "ROW_CONFLICT 40001"],
      ["repeatable read", "done"],
    ] as const) {
      const [one, two] = [await at.rows.begin({ isolation }), await at.rows.begin({ isolation })];
      await one.get(table, ["a"]);
      await two.get(table, ["b"]);
      await one.update(table, ["b"], new Map([[2, 1]]));
      await two.update(table, ["a"], new Map([[2, 1]]));
      expect(await codeOf(one.commit())).toBe("done");
      expect(await codeOf(two.commit())).toBe(end);
    }
  });

  it("a phantom is refused where it is serializable", async () => {
    const tx = await at.rows.begin();
    expect(await rowsOf(tx.scan(table, { index: 1, equal: [9] }))).toEqual([]);
    await at.rows.run(async (other) => await other.insert(table, [["z", 9]]));
    await tx.insert(table, [["y", 8]]);
    expect(await codeOf(tx.commit())).toBe("ROW_CONFLICT 40001");
  });
});

describe("transactions that end while a call of theirs is under way", () => {
  const OVER = "ROW_TRANSACTION_OVER 25P02";
  const lock = { mode: "update" } as const;

  it.each(["rollback", "commit"] as const)("wait for no lock any more (%s)", async (end) => {
    const holder = await at.rows.begin();
    await holder.get(table, ["a"], { lock });
    const tx = await at.rows.begin();
    await tx.tables.get(table.id);
    const waiting = codeOf(tx.get(table, ["a"], { lock }));
    await new Promise(setImmediate);
    await tx[end]();
    expect(await waiting).toBe(OVER);
    await holder.commit();
  });

  it("take no lock behind their end, whatever the call had to do before", async () => {
    for (let turns = 0; turns < 12; turns++) {
      const tx = await at.rows.begin();
      const calls = [
        tx.get(table, ["a"], { lock }),
        tx.insert(table, [["x", 1]]),
        tx.update(table, ["b"], new Map([[2, 1]])),
        tx.delete(table, ["c"]),
        rowsOf(tx.scan(table, { lock })),
      ].map(codeOf);
      for (let turn = 0; turn < turns; turn++) await Promise.resolve();
      tx.rollback();
      for (const code of await Promise.all(calls)) expect(code).toMatch(/^done|_OVER/);
      expect(at.rows.locked).toBe(0);
    }
  });
});

describe("transactions that wait", () => {
  it("a deadlock ends one of the two, and the other commits", async () => {
    const one = await at.rows.begin();
    const two = await at.rows.begin();
    const set = new Map<number, Datum>([[2, 1]]);
    await one.update(table, ["a"], set);
    await two.update(table, ["b"], set);
    const waits = one.update(table, ["b"], set);
    expect(await codeOf(two.update(table, ["a"], set))).toBe("ROW_DEADLOCK 40P01");
    two.rollback();
    await waits;
    expect(await codeOf(one.commit())).toBe("done");
  });

  it.each<RowIsolation>(["serializable", "repeatable read", "read committed"])(
    "a savepoint of before a wait is still there behind it (%s)",
    async (isolation) => {
      const first = await at.rows.begin();
      await first.update(table, ["a"], new Map([[2, 7]]));
      const second = await at.rows.begin({ isolation });
      const savepoint = second.savepoint();
      const waiting = second.update(table, ["a"], new Map([[2, 8]]));
      await first.commit();
      await waiting;
      second.rollbackTo(savepoint);
      expect(await second.get(table, ["a"])).toEqual(["a", 7]);
      await second.update(table, ["b"], new Map([[2, 9]]));
      await second.commit();
      const now = await at.rows.begin({ readOnly: true });
      expect(await now.getMany(table, [["a"], ["b"]])).toEqual([
        ["a", 7],
        ["b", 9],
      ]);
    },
  );

  it("SKIP LOCKED leaves rows out that others hold, NOWAIT fails", async () => {
    const holder = await at.rows.begin();
    await holder.get(table, ["a"], { lock: { mode: "update" } });
    const tx = await at.rows.begin();
    const skip = { lock: { mode: "update", wait: "skip locked" }, limit: 1 } as const;
    expect(await rowsOf(tx.scan(table, skip))).toEqual([["b", 0]]);
    const nowait = { lock: { mode: "share", wait: "nowait" } } as const;
    expect(await codeOf(tx.get(table, ["a"], nowait))).toBe("ROW_LOCKED 55P03");
    expect(await tx.get(table, ["a"])).toEqual(["a", 0]);
    tx.rollback();
    holder.rollback();
  });

  it("two inserts of one key: the second waits, then hears of the duplicate", async () => {
    const one = await at.rows.begin();
    await one.insert(table, [["new", 1]]);
    const two = await at.rows.begin();
    const second = codeOf(two.insert(table, [["new", 2]]));
    await one.commit();
    expect(await second).toBe("ROW_DUPLICATE 23505");
    two.rollback();
  });

  it("a descriptor of an earlier transaction is in the read set too", async () => {
    const tx = await at.rows.begin({ isolation: "repeatable read" });
    await tx.insert(table, [["new", 1]]);
    await at.rows.run(async (other) => await other.dropTable(table.id));
    expect(await codeOf(tx.commit())).toBe("ROW_CONFLICT 40001");
  });

  it("who writes rows meets who drops or empties their table", async () => {
    const tx = await at.rows.begin();
    const now = await tx.tables.get(table.id);
    await tx.insert(now, [["new", 1]]);
    await at.rows.run(async (other) => await other.truncate(table.id));
    expect(await codeOf(tx.commit())).toBe("ROW_CONFLICT 40001");
    const late = at.rows.run(async (other) => await other.insert(table, [["late", 1]]));
    expect(await codeOf(late)).toBe("ROW_TABLE_CHANGED 40001");
    const committed = await at.rows.begin({ isolation: "read committed" });
    const then = await committed.tables.get(table.id);
    await committed.insert(then, [["new", 1]]);
    await at.rows.run(async (other) => await other.dropTable(table.id));
    expect(await codeOf(committed.commit())).toBe("ROW_CONFLICT 40001");
    const gone = at.rows.run(async (other) => await other.insert(then, [["late", 1]]));
    expect(await codeOf(gone)).toBe("ROW_TABLE_NOT_FOUND 42P01");
    for await (const rows of at.engine.scan({ from: Buffer.from("0100000010", "hex") })) {
      expect(rows).toEqual([]);
    }
  });
});
