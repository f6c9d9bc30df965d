import fc from "fast-check";
import { expect, it } from "vitest";
import "../property-seed.ts";
import type { FirnError } from "../../src/base/error.ts";
import type { Datum, RowIsolation, TableDescriptor, TableSpec } from "../../src/rows/index.ts";
import { brokenIndexes, newTableId, openRows, rowsOf } from "./support/open-rows.ts";

/** id, email (unique), team (unique with seat), seat, score */
type Row = readonly [number, string | null, string | null, number | null, number | null];

function people(): TableSpec {
  return {
    id: newTableId(),
    namespace: ["hr"],
    name: "people",
    columns: [
      { name: "id", type: { kind: "int4" } },
      { name: "email", type: { kind: "text" } },
      { name: "team", type: { kind: "text" } },
      { name: "seat", type: { kind: "numeric" } },
      { name: "score", type: { kind: "int4" } },
    ],
    primaryKey: { parts: [{ column: "id" }] },
    indexes: [
      { name: "email_key", parts: [{ column: "email" }], unique: true },
      {
        name: "seat_key",
        parts: [{ column: "team" }, { column: "seat", direction: "desc" }],
        unique: true,
        nullsNotDistinct: true,
        include: ["score"],
        predicate: "score > 2",
      },
      { name: "team_idx", parts: [{ column: "team", direction: "desc" }, { column: "score" }] },
      {
        name: "lower_idx",
        parts: [{ expression: "lower(email)", type: { kind: "text" } }],
        include: ["score"],
      },
    ],
    checks: [{ name: "score_check", expression: "score < 5" }],
  };
}

/** A map as reference: what each operation answers, and what it leaves. */
class Model {
  rows: Map<number, Row>;

  constructor(rows: Iterable<readonly [number, Row]> = []) {
    this.rows = new Map(rows);
  }

  insert(row: Row): string {
    return this.#refused(row) ?? (this.rows.has(row[0]) ? "ROW_DUPLICATE" : this.#unique(row));
  }

  put(row: Row): string {
    return this.#refused(row) ?? this.#unique(row);
  }

  update(id: number, change: Row): string {
    if (!this.rows.has(id)) return "none";
    const refused = this.#refused(change);
    if (refused !== undefined) return refused;
    if (change[0] !== id && this.rows.has(change[0])) return "ROW_DUPLICATE";
    const old = this.rows.get(id) as Row;
    this.rows.delete(id);
    const answer = this.#unique(change);
    if (answer !== "done") this.rows.set(id, old);
    return answer;
  }

  #refused([, , , , score]: Row): string | undefined {
    return score !== null && score >= 5 ? "ROW_CHECK_FAILED" : undefined;
  }

  #unique(row: Row): string {
    const seat = ([, , team, at, score]: Row): string | undefined =>
      score !== null && score > 2 ? JSON.stringify([team, at]) : undefined;
    for (const other of this.rows.values()) {
      if (other[0] === row[0]) continue;
      if (row[1] !== null && other[1] === row[1]) return "ROW_DUPLICATE";
      if (seat(row) !== undefined && seat(row) === seat(other)) return "ROW_DUPLICATE";
    }
    this.rows.set(row[0], row);
    return "done";
  }

  sorted(): readonly Row[] {
    return [...this.rows.values()].sort((a, b) => a[0] - b[0]);
  }
}

const anyRow: fc.Arbitrary<Row> = fc.tuple(
  fc.integer({ min: -3, max: 4 }),
  fc.constantFrom("a", "B", "b", "c", null),
  fc.constantFrom("x", "y", "", null),
  fc.constantFrom(1, 2, null),
  fc.constantFrom(1, 2, 3, 4, 5, null),
);

type Step =
  | readonly ["insert" | "put", Row]
  | readonly ["update", number, Row]
  | readonly ["delete", number]
  | readonly ["truncate" | "savepoint" | "rollback to" | "statement"];

const anyStep: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: fc.tuple(fc.constant("insert" as const), anyRow) },
  { weight: 3, arbitrary: fc.tuple(fc.constant("put" as const), anyRow) },
  {
    weight: 4,
    arbitrary: fc.tuple(fc.constant("update" as const), fc.integer({ min: -3, max: 4 }), anyRow),
  },
  {
    weight: 2,
    arbitrary: fc.tuple(fc.constant("delete" as const), fc.integer({ min: -3, max: 4 })),
  },
  {
    weight: 2,
    arbitrary: fc.constantFrom<Step>(["truncate"], ["savepoint"], ["rollback to"], ["statement"]),
  },
);

const anyTransaction = fc.record({
  isolation: fc.constantFrom<RowIsolation>("serializable", "repeatable read", "read committed"),
  steps: fc.array(anyStep, { maxLength: 8 }),
  commits: fc.boolean(),
  after: fc.constantFrom("nothing", "nothing", "flush", "reopen"),
});

/** As the store takes it: `seat` is a decimal. */
const stored = ([id, email, team, seat, score]: Row): Datum[] => [
  id,
  email,
  team,
  seat === null ? null : String(seat),
  score,
];

const answerOf = async (work: Promise<unknown>): Promise<string> => {
  try {
    const result = await work;
    return result === undefined ? "none" : "done";
  } catch (error) {
    return (error as FirnError).code;
  }
};

const shown = (rows: readonly (readonly Datum[])[]): readonly unknown[] =>
  rows.map(([id, email, team, seat, score]) => [
    id,
    email,
    team,
    seat === null ? null : Number(String(seat)),
    score,
  ]);

it("a table does what a map does, and its indexes agree with its rows at commits", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(anyTransaction, { maxLength: 8 }), async (transactions) => {
      const at = await openRows();
      const spec = people();
      await at.rows.run(async (tx) => await tx.createTable(spec));
      let committed = new Model();
      for (const { isolation, steps, commits, after } of transactions) {
        const tx = await at.rows.begin({ isolation });
        let table = await tx.tables.get(spec.id);
        let model = new Model(committed.rows);
        let saved:
          | {
              readonly mark: ReturnType<typeof tx.savepoint>;
              readonly model: Model;
              readonly table: TableDescriptor;
            }
          | undefined;
        for (const step of steps) {
          // A statement that fails leaves nothing: as SQL does it, over a savepoint.
          const mark = tx.savepoint();
          let answer = "done";
          let expected = "done";
          if (step[0] === "insert") {
            answer = await answerOf(tx.insert(table, [stored(step[1])]));
            expected = model.insert(step[1]);
          } else if (step[0] === "put") {
            answer = await answerOf(tx.put(table, stored(step[1])));
            expected = model.put(step[1]);
          } else if (step[0] === "update") {
            const changes = new Map(stored(step[2]).map((value, i) => [i + 1, value]));
            answer = await answerOf(tx.update(table, [step[1]], changes));
            expected = model.update(step[1], step[2]);
          } else if (step[0] === "delete") {
            answer = await answerOf(tx.delete(table, [step[1]]));
            expected = model.rows.delete(step[1]) ? "done" : "none";
          } else if (step[0] === "truncate") {
            table = await tx.truncate(spec.id);
            model = new Model();
          } else if (step[0] === "savepoint") saved = { mark, model: new Model(model.rows), table };
          else if (step[0] === "statement") await tx.statement();
          else if (saved !== undefined) {
            tx.rollbackTo(saved.mark);
            model = new Model(saved.model.rows);
            table = saved.table;
          }
          expect([step, answer]).toEqual([step, expected]);
          if (answer.startsWith("ROW_")) tx.rollbackTo(mark);
        }
        expect(shown(await rowsOf(tx.scan(table)))).toEqual(model.sorted());
        expect(await brokenIndexes(tx, table)).toEqual([]);
        await readEachWay(tx, table, model);
        if (commits) {
          await tx.commit();
          committed = model;
        } else tx.rollback();
        if (after === "flush") await at.engine.flush();
        if (after === "reopen") {
          await at.engine.durable();
          await at.reopen();
        }
        await at.rows.run(async (check) => {
          const now = await check.tables.get(spec.id);
          expect(shown(await rowsOf(check.scan(now)))).toEqual(committed.sorted());
        });
      }
      expect(at.rows.locked).toBe(0);
      await at.end();
    }),
    { numRuns: 60 },
  );
}, 60_000);

/** Index scans, covered or not, find what a filter of all rows finds. */
async function readEachWay(
  tx: Parameters<typeof brokenIndexes>[0],
  table: TableDescriptor,
  model: Model,
): Promise<void> {
  const ids = (rows: readonly (readonly Datum[])[]): readonly Datum[] =>
    rows.map(([id]) => id as Datum);
  const numbers = (a: unknown, b: unknown): number => Number(a) - Number(b);
  for (const team of ["x", "", null]) {
    const expected = model.sorted().filter((row) => row[2] === team);
    const request = { index: 3, equal: [team] };
    const rows = await rowsOf(tx.scan(table, request));
    expect([...shown(rows)].sort((a, b) => numbers((a as Row)[0], (b as Row)[0]))).toEqual(
      expected,
    );
    const covered = await rowsOf(tx.scan(table, { ...request, columns: [1, 5], indexOnly: true }));
    expect([...ids(covered)].sort(numbers)).toEqual(expected.map(([id]) => id));
    const up = { index: 3, equal: [team], lower: { value: 2, inclusive: true } };
    const scores = await rowsOf(tx.scan(table, { ...up, columns: [5] }));
    const above = expected.map((row) => row[4]).filter((score) => score !== null && score >= 2);
    expect(scores.flat()).toEqual([...above].sort(numbers));
  }
  const lower = await rowsOf(tx.scan(table, { index: 4, equal: ["b"], columns: [1] }));
  const same = model.sorted().filter((row) => row[1]?.toLowerCase() === "b");
  expect(lower.flat()).toEqual(same.map(([id]) => id));
}
