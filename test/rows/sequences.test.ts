import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { FirnError } from "../../src/base/error.ts";
import type { Datum, SequenceSpec, TableSpec } from "../../src/rows/index.ts";
import { newTableId, type OpenRows, openRows } from "./support/open-rows.ts";

let at: OpenRows;

beforeEach(async () => {
  at = await openRows();
});

afterEach(async () => {
  await at.end();
});

const NS = ["n"];

const create = async (spec: Partial<SequenceSpec> = {}): Promise<string> =>
  await at.rows
    .run((tx) => tx.sequences.create({ namespace: NS, name: "s", ...spec }))
    .then(
      () => "done",
      ({ code, context }: FirnError) => `${code} ${context["sqlState"]}`,
    );

const next = async (): Promise<bigint | string> =>
  await at.rows
    .run(async (tx) => {
      const sequence = await tx.sequences.byName(NS, "s");
      if (sequence === undefined) return "gone";
      return await tx.nextval(sequence);
    })
    .catch(({ context }: FirnError) => String(context["sqlState"]));

const set = async (value: bigint, isCalled: boolean): Promise<string> =>
  await at.rows
    .run(async (tx) => {
      const sequence = await tx.sequences.byName(NS, "s");
      if (sequence !== undefined) await tx.setval(sequence, value, isCalled);
    })
    .then(
      () => "done",
      ({ context }: FirnError) => String(context["sqlState"]),
    );

describe("a sequence", () => {
  it("counts as its options say, ends or begins again", async () => {
    await create({ increment: 3n, min: 2n, max: 9n });
    expect([await next(), await next(), await next(), await next()]).toEqual([2n, 5n, 8n, "2200H"]);
    await at.rows.run(async (tx) => {
      const sequence = await tx.sequences.byName(NS, "s");
      if (sequence !== undefined) await tx.sequences.alter(sequence.id, { cycle: true });
    });
    expect([await next(), await next()]).toEqual([2n, 5n]);
  });

  it("counts down from its greatest number", async () => {
    await create({ increment: -1n, type: "int2" });
    expect([await next(), await next()]).toEqual([-1n, -2n]);
    expect(await set(-32_768n, false)).toBe("done");
    expect([await next(), await next()]).toEqual([-32_768n, "2200H"]);
  });

  it("goes on where setval says, which no rollback takes back", async () => {
    await create();
    await next();
    expect(await set(10n, true)).toBe("done");
    expect(await next()).toBe(11n);
    expect(await set(20n, false)).toBe("done");
    const lost = await at.rows.begin();
    const sequence = await lost.sequences.byName(NS, "s");
    expect(sequence && (await lost.nextval(sequence))).toBe(20n);
    lost.rollback();
    expect(await next()).toBe(21n);
    expect(await set(0n, true)).toBe("22003");
    const state = await at.rows.run(async (tx) => {
      const found = await tx.sequences.byName(NS, "s");
      return found && (await tx.sequenceState(found));
    });
    expect(state).toEqual({ last: 21n, isCalled: true });
  });

  it("never gives a number twice, whatever crashes", async () => {
    await create();
    const given: (bigint | string)[] = [];
    for (let round = 0; round < 4; round++) {
      const many = Array.from({ length: 45 }, async () => await next());
      given.push(...(await Promise.all(many)));
      await at.reopen();
    }
    expect(new Set(given).size).toBe(180);
    expect(given.every((one) => typeof one === "bigint")).toBe(true);
  });

  it("gives a number only once that is durable", async () => {
    await create();
    // No commit follows: the transaction is still open when the process ends.
    const tx = await at.rows.begin();
    const sequence = await tx.sequences.byName(NS, "s");
    const told = sequence && (await tx.nextval(sequence));
    await at.reopen();
    expect(await next()).toBeGreaterThan(told as never);
  });

  it("small ones survive many crashes", async () => {
    await create({ type: "int2", max: 100n });
    const given: unknown[] = [];
    for (let i = 0; i < 20; i++) {
      given.push(await next());
      await at.reopen();
    }
    expect(new Set(given).size).toBe(20);
  });

  it.each<[string, Partial<SequenceSpec>, string]>([
    ["an increment of zero", { increment: 0n }, "ROW_SEQUENCE_INVALID 22023"],
    ["bounds that cross", { min: 5n, max: 5n }, "ROW_SEQUENCE_INVALID 22023"],
    ["a start outside", { start: 0n }, "ROW_SEQUENCE_INVALID 22023"],
    ["a bound beyond its type", { type: "int2", max: 32_768n }, "ROW_SEQUENCE_INVALID 22023"],
    ["no cache", { cache: 0 }, "ROW_SEQUENCE_INVALID 22023"],
  ])("is refused with %s", async (_, spec, refusal) => {
    expect(await create(spec)).toBe(refusal);
  });

  it("is made, renamed and dropped with its transaction", async () => {
    const lost = await at.rows.begin();
    await lost.sequences.create({ namespace: NS, name: "s" });
    lost.rollback();
    expect(await create()).toBe("done");
    expect(await create()).toBe("ROW_SEQUENCE_EXISTS 42P07");
    await at.rows.run(async (tx) => {
      const sequence = await tx.sequences.byName(NS, "s");
      if (sequence !== undefined) await tx.sequences.alter(sequence.id, { name: "u" });
    });
    expect(await next()).toBe("gone");
    expect(await create()).toBe("done");
    await at.rows.run(async (tx) => {
      for (const one of await tx.sequences.list()) tx.sequences.drop(one);
    });
    expect(await next()).toBe("gone");
    expect(await create()).toBe("done");
    expect(await next()).toBe(1n);
  });
});

describe("columns that number their rows", () => {
  const spec = (name: string): TableSpec => ({
    id: newTableId(),
    namespace: NS,
    name,
    columns: [
      { name: "id", type: { kind: "int8" }, identity: "by default", sequence: { start: 100n } },
      { name: "n", type: { kind: "int2" }, serial: true },
      { name: "v", type: { kind: "text" } },
    ],
    primaryKey: { parts: [{ column: "id" }] },
  });

  const names = async (): Promise<readonly string[]> =>
    (await at.rows.run((tx) => tx.sequences.list())).map(({ name }) => name).sort();

  it("have sequences, which go with their column and their table", async () => {
    const made = spec("t");
    const table = await at.rows.run((tx) => tx.createTable(made));
    const insert = async (...row: (Datum | undefined)[]): Promise<unknown> =>
      await at.rows.run(async (tx) => (await tx.insert(table, [row]))[0]?.row);
    expect(await insert(undefined, undefined, "a")).toEqual([100n, 1, "a"]);
    expect(await insert(7n, 9, "b")).toEqual([7n, 9, "b"]);
    expect(await insert(undefined, undefined, "c")).toEqual([101n, 2, "c"]);
    await at.rows.run(async (tx) => {
      const changed = await tx.update(table, [7n], new Map([[2, undefined]]));
      expect(changed).toEqual([7n, 3, "b"]);
      expect(await tx.update(table, [7n], new Map([[3, "d"]]))).toEqual([7n, 3, "d"]);
    });
    await at.rows.run((tx) => tx.createTable(spec("t2")));
    expect(await names()).toEqual(["t2_id_seq", "t2_n_seq", "t_id_seq", "t_n_seq"]);
    await at.rows.run((tx) => tx.alter(made.id, { kind: "drop column", column: "n" }));
    expect(await names()).toEqual(["t2_id_seq", "t2_n_seq", "t_id_seq"]);
    await at.rows.run((tx) => tx.dropTable(made.id));
    expect(await names()).toEqual(["t2_id_seq", "t2_n_seq"]);
  });

  it("take integers alone", async () => {
    const made = { ...spec("t"), columns: [{ name: "id", type: { kind: "text" }, serial: true }] };
    const refused = at.rows.run((tx) => tx.createTable(made as TableSpec));
    await expect(refused).rejects.toMatchObject({ context: { sqlState: "22023" } });
  });
});
