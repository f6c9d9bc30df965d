import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { FirnError } from "../../src/base/error.ts";
import type { TableId } from "../../src/base/ids.ts";
import { type Datum, TableMove } from "../../src/rows/index.ts";
import { brokenIndexes, newTableId, type OpenRows, openRows, rowsOf } from "./support/open-rows.ts";

let source: OpenRows;
let target: OpenRows;
let id: TableId;
let attempts = 0;

const NEVER = async (): Promise<boolean> => false;

/** A try of the one move of the table, by the shards as they are open now. */
function move(job = "job"): TableMove {
  attempts++;
  const place = { from: "a", to: "b", job, attempt: `${attempts}` };
  return new TableMove({ source: source.rows, target: target.rows, table: id, ...place });
}

beforeEach(async () => {
  source = await openRows();
  target = await openRows();
  // As each further shard: no number of it is one of the first.
  await target.rows.numberFrom(1_000);
  id = newTableId();
  await source.rows.run(async (tx) => {
    const table = await tx.createTable({
      id,
      namespace: ["s"],
      name: "t",
      columns: [
        { name: "id", type: { kind: "int4" }, identity: "by default" },
        { name: "v", type: { kind: "text" }, nullable: true },
      ],
      primaryKey: { parts: [{ column: "id" }] },
      indexes: [{ name: "t_v", parts: [{ column: "v" }] }],
    });
    await tx.insert(
      table,
      Array.from({ length: 1_200 }, (_, n) => [undefined, `v${n % 7}`]),
    );
    const name = `table ${id}`;
    await tx.objects.create({ kind: "comment", namespace: ["comments"], name, text: "about it" });
  });
});
afterEach(async () => {
  await source.end();
  await target.end();
});

async function write(at: OpenRows, values: readonly (Datum | undefined)[]): Promise<void> {
  await at.rows.run(async (tx) => {
    const table = await tx.tables.get(id);
    await tx.insert(table, [values]);
  });
}

async function read(at: OpenRows): Promise<readonly unknown[]> {
  return await at.rows.run(async (tx) => await rowsOf(tx.scan(await tx.tables.get(id))));
}

async function broken(at: OpenRows): Promise<readonly unknown[]> {
  return await at.rows.run(async (tx) => await brokenIndexes(tx, await tx.tables.get(id)));
}

/** All before the catalog's batch. */
async function upToBatch(one: TableMove): Promise<void> {
  await one.begin(NEVER);
  await one.copy();
  await one.freeze();
  await one.copy();
  await one.close();
}

const MOVING = { code: "ROW_TABLE_MOVING", context: { sqlState: "40001" } };

describe("the pass of a frozen table", () => {
  /** Rows and entries that it looks at; the copy is the same as the source then. */
  async function lookedAt(change: () => Promise<void>): Promise<number> {
    const one = move();
    await one.begin(NEVER);
    await one.copy();
    await change();
    await one.freeze();
    let looked = 0;
    await one.copy((count) => {
      looked = count;
    });
    const before = await read(source);
    await one.close();
    await one.arrive();
    expect(await read(target)).toEqual(before);
    expect(await broken(target)).toEqual([]);
    return looked;
  }

  it("looks at what has changed since the copy, and no more", async () => {
    const changes = async (): Promise<void> => {
      await source.rows.run(async (tx) => {
        const table = await tx.tables.get(id);
        await tx.insert(table, [[5_000, "new"]]);
        await tx.delete(table, [7]);
        await tx.update(table, [8], new Map([[2, "other"]]));
        await tx.update(table, [9], new Map([[2, null]]));
      });
      await write(source, [5_001, "later"]);
      // Of other tables nothing is looked at.
      await source.rows.run(async (tx) => {
        const other = await tx.createTable({
          id: newTableId(),
          namespace: ["s"],
          name: "other",
          columns: [{ name: "id", type: { kind: "int4" } }],
          primaryKey: { parts: [{ column: "id" }] },
        });
        await tx.insert(other, [[1], [2], [3]]);
      });
    };
    // A row and its entry each; of an update the old entry too.
    expect(await lookedAt(changes)).toBe(2 + 2 + 3 + 3 + 2);
  });

  it("looks at all where the feed does not tell what has changed", async () => {
    const changes = async (): Promise<void> => {
      await source.rows.run((tx) => tx.dropIndex(id, "t_v"));
      await write(source, [5_000, "new"]);
    };
    // The entries of the index are one range that is deleted.
    expect(await lookedAt(changes)).toBeGreaterThan(2_000);
  });

  it("looks at all of a table that was written anew", async () => {
    const changes = async (): Promise<void> => {
      await source.rows.run((tx) => tx.truncate(id));
      for (let n = 0; n < 3; n++) await write(source, [n, `again ${n}`]);
    };
    // The rows that the copy had, too.
    expect(await lookedAt(changes)).toBeGreaterThan(2_000);
  });
});

describe("a move of a table", () => {
  it("brings rows, entries, numbers and comments, and drops the source", async () => {
    const before = await read(source);
    const one = move();
    await upToBatch(one);
    await one.arrive();
    expect(await read(target)).toEqual(before);
    expect(await broken(target)).toEqual([]);
    await write(target, [undefined, "later"]);
    expect((await read(target)).at(-1)).toEqual([1_201, "later"]);
    const comments = await target.rows.run((tx) => tx.objects.list());
    expect(comments.map((each) => "text" in each && each.text)).toEqual(["about it"]);

    await one.forget();
    const left = await source.rows.run(async (tx) => [
      ...(await tx.tables.list()),
      ...(await tx.sequences.list()),
      ...(await tx.objects.list()),
      ...(await tx.tables.moves()),
    ]);
    expect(left).toEqual([]);
    expect(await target.rows.run((tx) => tx.tables.moves())).toEqual([]);
  });

  it("misses nothing that others write, change or delete meanwhile", async () => {
    const one = move();
    await one.begin(NEVER);
    await write(source, [5_000, "while it copies"]);
    await one.copy();
    await source.rows.run(async (tx) => {
      const table = await tx.tables.get(id);
      await tx.delete(table, [3]);
      await tx.update(table, [4], new Map([[2, "changed"]]));
    });
    expect(await one.copy()).toBeGreaterThan(0);
    await source.rows.run(async (tx) => {
      const column = { name: "more", type: { kind: "text" as const }, nullable: true };
      await tx.alter(id, { kind: "add column", column });
    });
    const held = await source.rows.begin();
    const table = await held.tables.get(id);
    await held.insert(table, [[6_000, "too late", null]]);
    await one.freeze();
    await expect(held.commit()).rejects.toMatchObject({ code: "ROW_CONFLICT" });
    await expect(write(source, [7_000, "frozen", null])).rejects.toMatchObject(MOVING);
    const before = await read(source);
    expect(before.length).toBe(1_200);
    await one.copy();
    expect(await one.copy()).toBe(0);
    await one.close();
    await expect(read(source)).rejects.toMatchObject(MOVING);
    await expect(read(target)).rejects.toMatchObject(MOVING);
    await one.arrive();
    expect(await read(target)).toEqual(before);
    expect(await broken(target)).toEqual([]);
  });

  it("can be taken back until the catalog's batch", async () => {
    const before = await read(source);
    const one = move();
    await upToBatch(one);
    await one.undo();
    expect(await read(source)).toEqual(before);
    await write(source, [undefined, "goes on"]);
    expect(await target.rows.run((tx) => tx.tables.list())).toEqual([]);
    expect(await source.rows.run((tx) => tx.tables.moves())).toEqual([]);
  });
});

describe("tries and ends of a move", () => {
  it("refuses what an earlier try still writes", async () => {
    const early = move();
    await early.begin(NEVER);
    await write(source, [8_000, "later"]);
    const late = move();
    await late.begin(NEVER);
    await expect(early.copy()).rejects.toMatchObject(MOVING);
    await expect(early.freeze()).rejects.toMatchObject(MOVING);
    await upToBatch(late);
    await early.thaw();
    await expect(write(source, [8_001, "no"])).rejects.toMatchObject(MOVING);
  });

  it("of another job waits, or takes over what an ended one has left", async () => {
    await upToBatch(move("first"));
    await expect(move("second").begin(NEVER)).rejects.toMatchObject({
      code: "ROW_TABLE_MOVING",
      kind: "Conflict",
    });
    const second = move("second");
    await second.begin(async () => true);
    await write(source, [9_000, "open again"]);
    await upToBatch(second);
    await second.arrive();
    expect((await read(target)).at(-1)).toEqual([9_000, "open again"]);
  });

  it("is refused where it would part tables", async () => {
    const child = newTableId();
    await source.rows.run(async (tx) => {
      await tx.createTable({
        id: child,
        namespace: ["s"],
        name: "child",
        columns: [{ name: "id", type: { kind: "int4" } }],
        primaryKey: { parts: [{ column: "id" }] },
        foreignKeys: [
          { name: "child_fk", columns: ["id"], references: { table: id, columns: ["id"] } },
        ],
      });
    });
    const apart = { code: "ROW_SHARDS_APART", context: { sqlState: "0A000" } };
    await expect(move().begin(NEVER)).rejects.toMatchObject(apart);
    id = child;
    await expect(move().begin(NEVER)).rejects.toMatchObject(apart);
    expect(await target.rows.run((tx) => tx.tables.list())).toEqual([]);
  });

  it("survives the end of both processes behind each step", async () => {
    const steps: ((one: TableMove) => Promise<unknown>)[] = [
      (one) => one.begin(NEVER),
      (one) => one.copy(),
      (one) => one.freeze(),
      (one) => one.copy(),
      (one) => one.close(),
    ];
    for (let last = 1; last <= steps.length; last++) {
      const killed = move();
      for (const step of steps.slice(0, last)) await step(killed);
      await source.reopen();
      await target.reopen();
    }
    await upToBatch(move());
    await source.reopen();
    await target.reopen();
    const done = move();
    await done.arrive();
    await target.reopen();
    const again = move();
    await again.arrive();
    await again.forget();
    await source.reopen();
    await again.forget().catch(() => undefined);
    expect((await read(target)).length).toBe(1_200);
    await write(target, [undefined, "numbered"]);
    const last = (await read(target)).at(-1) as readonly [number, string];
    expect(last[0]).toBeGreaterThan(1_200);
    expect(await broken(target)).toEqual([]);
  });
});

it("a copy tells its failure once where neither store answers any more", async () => {
  // More than one read brings.
  await source.rows.run(async (tx) => {
    const rows = Array.from({ length: 2_000 }, (_, n) => [undefined, `${n}`.padStart(400)]);
    await tx.insert(await tx.tables.get(id), rows);
  });
  const first = move();
  await first.begin(NEVER);
  await first.copy();
  const worlds = [source, target];
  for (const { engine } of worlds) await engine.flush();
  let answered = 0;
  for (let isOver = false; !isOver; answered++) {
    for (const one of worlds) await one.reopen();
    const again = move();
    await again.begin(NEVER);
    let left = answered;
    for (const { world } of worlds) {
      const { getRange } = world.store;
      world.store.getRange = async (...of) => {
        await new Promise(setImmediate);
        if (left-- <= 0) throw new FirnError("Unavailable", "SILENT", "no answer");
        return await getRange.call(world.store, ...of);
      };
    }
    const copied = again.copy().then(
      () => "copied",
      (error: FirnError) => error.code,
    );
    isOver = (await copied) === "copied";
    if (!isOver) expect(await copied).toBe("SILENT");
    for (const { world } of worlds) delete (world.store as Partial<typeof world.store>).getRange;
  }
  // A failure that nothing waited for fails the run.
  expect(answered).toBeGreaterThan(3);
});
