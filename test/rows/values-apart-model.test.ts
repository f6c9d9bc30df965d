import fc from "fast-check";
import { expect, it } from "vitest";
import "../property-seed.ts";
import type { Datum, RowIsolation, TableDescriptor } from "../../src/rows/index.ts";
import { DOCUMENTS } from "./support/documents.ts";
import { looseValues } from "./support/loose-values.ts";
import { brokenIndexes, newTableId, type OpenRows, openRows, rowsOf } from "./support/open-rows.ts";

const TEXTS = [
  null,
  "short",
  "a".repeat(40_000),
  "b".repeat(40_000),
  "é".repeat(17_000),
  // Two pieces.
  "c".repeat(1_048_577),
];
const BYTES = [null, new Uint8Array(5), new Uint8Array(33_000), new Uint8Array(70_000).fill(1)];

const anyId = fc.integer({ min: 0, max: 4 });
const anyBody = fc.record({
  kind: fc.constantFrom("x", "y", null, "k".repeat(900)),
  body: fc.constantFrom(...TEXTS),
  scan: fc.constantFrom(...BYTES),
});
const anyStep = fc.oneof(
  fc.record({ do: fc.constantFrom("put" as const, "insert" as const), id: anyId, row: anyBody }),
  fc.record({ do: fc.constantFrom("one" as const, "move" as const), id: anyId, row: anyBody }),
  fc.record({ do: fc.constantFrom("delete" as const, "undo" as const), id: anyId, row: anyBody }),
);
const anyTransaction = fc.record({
  isolation: fc.constantFrom<RowIsolation>("serializable", "repeatable read", "read committed"),
  steps: fc.array(anyStep, { maxLength: 6 }),
  commits: fc.boolean(),
  after: fc.constantFrom("nothing", "flush", "reopen"),
});

type Step = typeof anyStep extends fc.Arbitrary<infer T> ? T : never;
type Rows = Map<number, readonly Datum[]>;

/** Does one step; the rows that there are then. */
async function done(
  tx: Awaited<ReturnType<OpenRows["rows"]["begin"]>>,
  table: TableDescriptor,
  rows: Rows,
  { do: what, id, row }: Step,
): Promise<Rows> {
  const { kind, body, scan } = row;
  const next = new Map(rows);
  const old = rows.get(id);
  const whole = [id, kind, body, scan];
  if (what === "put" || (what === "insert" && old === undefined)) {
    await (what === "put" ? tx.put(table, whole) : tx.insert(table, [whole]));
    next.set(id, whole);
  } else if (what === "one" && old !== undefined) {
    const all = await tx.update(table, [id], new Map([[2, kind]]));
    const changed = [id, kind, old[2] as Datum, old[3] as Datum];
    expect(all).toEqual(changed);
    next.set(id, changed);
  } else if (what === "move" && old !== undefined) {
    await tx.update(
      table,
      [id],
      new Map<number, Datum>([
        [1, 10 + id],
        [3, body],
      ]),
    );
    next.delete(id);
    next.set(10 + id, [10 + id, old[1] as Datum, body, old[3] as Datum]);
  } else if (what === "delete") {
    expect(await tx.delete(table, [id])).toEqual(old);
    next.delete(id);
  } else if (what === "undo") {
    const mark = tx.savepoint();
    await tx.put(table, whole);
    tx.rollbackTo(mark);
  }
  return next;
}

it("long values are where their rows are, whatever becomes of these", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(anyTransaction, { maxLength: 6 }), async (transactions) => {
      const at = await openRows();
      const table = await at.rows.run((tx) => tx.createTable({ ...DOCUMENTS, id: newTableId() }));
      let committed: Rows = new Map();
      for (const { isolation, steps, commits, after } of transactions) {
        const tx = await at.rows.begin({ isolation });
        let rows = committed;
        for (const step of steps) {
          // A row that moved is in the way of the next one.
          if (step.do === "move" && rows.has(10 + step.id)) continue;
          rows = await done(tx, table, rows, step);
        }
        const sorted = [...rows.values()].sort((a, b) => Number(a[0]) - Number(b[0]));
        expect(await rowsOf(tx.scan(table))).toEqual(sorted);
        const back = await rowsOf(tx.scan(table, { reverse: true, columns: [3, 1] }));
        expect(back).toEqual(sorted.map((row) => [row[2], row[0]]).reverse());
        const [x] = await rowsOf(tx.scan(table, { index: 1, equal: ["x"], limit: 1 }));
        expect(x).toEqual(sorted.find((row) => row[1] === "x"));
        const many = await tx.getMany(
          table,
          sorted.map(([id]) => [id as Datum]),
          { columns: [4] },
        );
        expect(many).toEqual(sorted.map((row) => [row[3]]));
        expect(await brokenIndexes(tx, table)).toEqual([]);
        expect(await tx.checkValues(table)).toEqual([]);
        if (commits) {
          await tx.commit();
          committed = rows;
        } else tx.rollback();
        if (after === "flush") await at.engine.flush();
        if (after === "reopen") {
          await at.engine.durable();
          await at.reopen();
        }
        expect(await looseValues(at, table)).toEqual([]);
      }
      await at.end();
    }),
    { numRuns: 60 },
  );
}, 60_000);
