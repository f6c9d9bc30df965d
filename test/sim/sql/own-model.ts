import type { Sim } from "../harness/sim.ts";
import type { Cells } from "./client.ts";

interface Row {
  readonly a: number | null;
  readonly b: string | null;
  readonly c: number | null;
}

/** A table of one user, as it must be. */
export interface OwnState {
  readonly isThere: boolean;
  /** The column `c` is there. */
  readonly hasC: boolean;
  readonly hasIndex: boolean;
  readonly rows: ReadonlyMap<number, Row>;
}

/** What a statement must answer, and what the table is then. */
interface Due {
  readonly state: OwnState;
  readonly rows?: readonly string[];
  readonly refused?: string;
}

export interface OwnStatement {
  readonly sql: string;
  readonly isChangeOfTable: boolean;
  readonly due: (before: OwnState) => Due;
}

export const ABSENT: OwnState = {
  isThere: false,
  hasC: false,
  hasIndex: false,
  rows: new Map(),
};

const IDS = 12;
const NEW_C = 7;

/** Rows as texts, in the order of the ids unless the statement has one of its own. */
export function textsOf(rows: readonly Cells[]): readonly string[] {
  return rows.map((row) => row.map((value) => value ?? "null").join("|"));
}

/** All of a table, by which states are told apart. */
export function wholeOf(table: string): string {
  return `SELECT id, a, b FROM ${table} ORDER BY id`;
}

/** What `wholeOf` must answer. */
export function wholeTexts({ rows }: OwnState): readonly string[] {
  return sorted(rows).map(([id, { a, b }]) => [id, a, b].map(String).join("|"));
}

/** Any statement on a table of that name; mostly one that makes it where it is not there. */
export function anyOwn(sim: Sim, table: string, { isThere }: OwnState): OwnStatement {
  if (!isThere && sim.chance(0.7)) return creation(table);
  const chance = sim.prng.float();
  if (chance < 0.45) return change(sim, table);
  return chance < 0.8 ? read(sim, table) : changeOfTable(sim, table);
}

function change(sim: Sim, table: string): OwnStatement {
  const [id, other] = [sim.below(IDS), IDS + sim.below(4)];
  const a = sim.chance(0.2) ? null : sim.below(6);
  const from = sim.below(IDS);
  const inRange = (key: number): boolean => key >= from && key <= from + 3;
  const fresh: Row = { a, b: "d", c: NEW_C };
  return sim.pick<() => OwnStatement>([
    () =>
      rowsOf(`INSERT INTO ${table} (id, a) VALUES (${id}, ${a}), (${other}, ${a})`, (rows) => {
        if (rows.has(id) || rows.has(other)) return "23505";
        return [put(put(rows, id, fresh), other, fresh), []];
      }),
    () =>
      rowsOf(
        `INSERT INTO ${table} (id, a) VALUES (${id}, ${a}), (${other}, ${a})
           ON CONFLICT (id) DO UPDATE SET a = excluded.a, b = 'u' RETURNING id, a, b`,
        (rows) => {
          const next = [id, other].reduce((into, key) => {
            const old = into.get(key);
            return put(into, key, old === undefined ? fresh : { ...old, a, b: "u" });
          }, rows);
          return [next, [id, other].map((key) => `${key}|${a}|${next.get(key)?.b}`)];
        },
      ),
    () =>
      rowsOf(
        `INSERT INTO ${table} (id, a, b) VALUES (${id}, ${a}, NULL)
           ON CONFLICT DO NOTHING RETURNING id`,
        (rows) => {
          if (rows.has(id)) return [rows, []];
          return [put(rows, id, { ...fresh, b: null }), [String(id)]];
        },
      ),
    () =>
      rowsOf(
        `UPDATE ${table} SET a = coalesce(a, 0) + 1 WHERE id BETWEEN ${from} AND ${from + 3}
           RETURNING id, a`,
        (rows) => {
          const hit = sorted(rows).filter(([key]) => inRange(key));
          const up = ({ a: was, ...row }: Row): Row => ({ ...row, a: (was ?? 0) + 1 });
          const next = hit.reduce((into, [key, row]) => put(into, key, up(row)), rows);
          return [next, hit.map(([key, row]) => `${key}|${up(row).a}`)];
        },
      ),
    () =>
      rowsOf(`UPDATE ${table} SET b = 'y' WHERE a = ${a ?? 2} RETURNING id`, (rows) => {
        const hit = sorted(rows).filter(([, row]) => row.a === (a ?? 2));
        const next = hit.reduce((into, [key, row]) => put(into, key, { ...row, b: "y" }), rows);
        return [next, hit.map(([key]) => String(key))];
      }),
    () =>
      rowsOf(`UPDATE ${table} SET id = ${other} WHERE id = ${id} RETURNING id`, (rows) => {
        const row = rows.get(id);
        if (row === undefined) return [rows, []];
        if (rows.has(other)) return "23505";
        return [put(without(rows, [id]), other, row), [String(other)]];
      }),
    () =>
      rowsOf(
        `DELETE FROM ${table} WHERE id BETWEEN ${from} AND ${from + 3} RETURNING id`,
        (rows) => {
          const hit = sorted(rows).flatMap(([key]) => (inRange(key) ? [key] : []));
          return [without(rows, hit), hit.map(String)];
        },
      ),
    () => rowsOf(`TRUNCATE ${table}`, () => [new Map(), []]),
  ])();
}

function read(sim: Sim, table: string): OwnStatement {
  const id = sim.below(IDS);
  const from = sim.below(6);
  const shown = ([key, { a, b }]: readonly [number, Row]): string => `${key}|${a}|${b}`;
  const answer = (sql: string, of: (rows: ReadonlyMap<number, Row>) => readonly string[]) =>
    rowsOf(sql, (rows) => [rows, of(rows)]);
  return sim.pick<() => OwnStatement>([
    () =>
      answer(`SELECT id, a, b FROM ${table} WHERE id = ${id}`, (rows) =>
        sorted(rows)
          .filter(([key]) => key === id)
          .map(shown),
      ),
    () =>
      answer(`SELECT id, a, b FROM ${table} ORDER BY id DESC LIMIT 3`, (rows) =>
        sorted(rows).toReversed().slice(0, 3).map(shown),
      ),
    () =>
      answer(
        `SELECT id, a, b FROM ${table} WHERE a BETWEEN ${from} AND ${from + 2} ORDER BY a, id`,
        (rows) =>
          sorted(rows)
            .filter(([, { a }]) => a !== null && a >= from && a <= from + 2)
            .sort(([, x], [, y]) => Number(x.a) - Number(y.a))
            .map(shown),
      ),
    () =>
      answer(`SELECT count(*), count(a), sum(a), max(id) FROM ${table}`, (rows) => {
        const values = [...rows.values()].flatMap(({ a }) => (a === null ? [] : [a]));
        const sum = values.length === 0 ? null : values.reduce((x, y) => x + y, 0);
        const max = rows.size === 0 ? null : Math.max(...rows.keys());
        return [[rows.size, values.length, sum, max].map(String).join("|")];
      }),
    () => ({
      sql: `SELECT id, c FROM ${table} ORDER BY id`,
      isChangeOfTable: false,
      due: (state) => {
        if (!state.isThere) return { state, refused: "42P01" };
        if (!state.hasC) return { state, refused: "42703" };
        return { state, rows: sorted(state.rows).map(([key, { c }]) => `${key}|${c}`) };
      },
    }),
  ])();
}

function made(sql: string, due: OwnStatement["due"]): OwnStatement {
  return { sql, isChangeOfTable: true, due };
}

function creation(table: string): OwnStatement {
  return made(`CREATE TABLE ${table} (id int PRIMARY KEY, a int, b text DEFAULT 'd')`, (state) =>
    state.isThere ? { state, refused: "42P07" } : own({ ...ABSENT, isThere: true }),
  );
}

function changeOfTable(sim: Sim, table: string): OwnStatement {
  return sim.pick([
    creation(table),
    made(`DROP TABLE ${table}`, (state) =>
      state.isThere ? own(ABSENT) : { state, refused: "42P01" },
    ),
    made(`ALTER TABLE ${table} ADD COLUMN c int DEFAULT ${NEW_C}`, (state) => {
      if (!state.isThere) return { state, refused: "42P01" };
      if (state.hasC) return { state, refused: "42701" };
      const rows = new Map([...state.rows].map(([id, row]) => [id, { ...row, c: NEW_C }]));
      return own({ ...state, hasC: true, rows });
    }),
    made(`ALTER TABLE ${table} DROP COLUMN c`, (state) => {
      if (!state.isThere) return { state, refused: "42P01" };
      return state.hasC ? own({ ...state, hasC: false }) : { state, refused: "42703" };
    }),
    made(`CREATE INDEX ${table}_a ON ${table} (a)`, (state) => {
      if (!state.isThere) return { state, refused: "42P01" };
      return state.hasIndex ? { state, refused: "42P07" } : own({ ...state, hasIndex: true });
    }),
    made(`DROP INDEX ${table}_a`, (state) =>
      state.hasIndex ? own({ ...state, hasIndex: false }) : { state, refused: "42704" },
    ),
  ]);
}

/** A statement about rows: what they are then, and what is answered; or what it is refused with. */
function rowsOf(
  sql: string,
  of: (
    rows: ReadonlyMap<number, Row>,
  ) => readonly [ReadonlyMap<number, Row>, readonly string[]] | string,
): OwnStatement {
  return {
    sql,
    isChangeOfTable: false,
    due: (state) => {
      if (!state.isThere) return { state, refused: "42P01" };
      const told = of(state.rows);
      if (typeof told === "string") return { state, refused: told };
      return { state: { ...state, rows: told[0] }, rows: told[1] };
    },
  };
}

function own(state: OwnState): Due {
  return { state, rows: [] };
}

function sorted(rows: ReadonlyMap<number, Row>): (readonly [number, Row])[] {
  return [...rows].sort(([a], [b]) => a - b);
}

function put(rows: ReadonlyMap<number, Row>, id: number, row: Row): ReadonlyMap<number, Row> {
  return new Map([...rows, [id, row]]);
}

function without(rows: ReadonlyMap<number, Row>, ids: readonly number[]): ReadonlyMap<number, Row> {
  return new Map([...rows].filter(([id]) => !ids.includes(id)));
}
