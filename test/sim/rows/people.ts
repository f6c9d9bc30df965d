import { FirnError } from "../../../src/base/error.ts";
import type {
  Datum,
  RowTransaction,
  TableChange,
  TableDescriptor,
} from "../../../src/rows/index.ts";
import { brokenIndexes, rowsOf } from "../../rows/support/open-rows.ts";
import type { Sim } from "../harness/sim.ts";
import { IDS } from "./tables.ts";

const PEOPLE = 20;
const EXTRA = "extra_idx";
/** The columns that are always there. */
const ALL = [1, 2, 3, 4, 5];

/** What a statement may be refused for, which leaves the transaction as it was before it. */
const REFUSALS: ReadonlySet<string> = new Set(["ROW_DUPLICATE", "ROW_CHECK_FAILED"]);

/** Writes to a table with indexes of all kinds, at random. */
export async function writePeople(sim: Sim, tx: RowTransaction): Promise<void> {
  const table = await tx.tables.get(IDS.people);
  for (let left = 1 + sim.below(5); left > 0; left--) {
    await tx.statement();
    const savepoint = tx.savepoint();
    try {
      await statement(sim, tx, table);
      if (sim.chance(0.1)) tx.rollbackTo(savepoint);
    } catch (error) {
      if (!(error instanceof FirnError) || !REFUSALS.has(error.code)) throw error;
      sim.coverage.note(`people ${error.code}`);
      tx.rollbackTo(savepoint);
    }
    if (sim.chance(0.3)) await sim.sleep(sim.spanMs(1, 300));
  }
}

async function statement(sim: Sim, tx: RowTransaction, table: TableDescriptor): Promise<void> {
  const id = sim.below(PEOPLE);
  const chance = sim.prng.float();
  if (chance < 0.3) {
    const rows = Array.from({ length: 1 + sim.below(3) }, () => person(sim, sim.below(PEOPLE)));
    const onConflict = sim.pick(["error", "nothing"] as const);
    await tx.insert(table, rows, { onConflict, columns: ALL });
  } else if (chance < 0.5) await tx.put(table, person(sim, id), { columns: ALL });
  else if (chance < 0.8) {
    const [, ...values] = person(sim, id);
    const changes = values.map((value, i): readonly [number, Datum] => [i + 2, value]);
    const some = changes.filter(() => sim.chance(0.5));
    const moved = sim.chance(0.1) ? [[1, sim.below(PEOPLE)] as const] : [];
    await tx.update(table, [id], new Map([...moved, ...some]));
  } else await tx.delete(table, [id]);
}

function person(sim: Sim, id: number): readonly Datum[] {
  const email = sim.chance(0.2) ? null : `${sim.pick(["A", "b", "C"])}@${sim.below(12)}`;
  const team = sim.chance(0.2) ? null : sim.pick(["red", "green"]);
  const seat = sim.chance(0.3) ? null : sim.below(8);
  return [id, email, team, seat, sim.chance(0.1) ? null : sim.below(10)];
}

/** Changes the table itself, in a transaction that may write rows too. */
export async function changePeople(sim: Sim, tx: RowTransaction): Promise<void> {
  const table = await tx.tables.get(IDS.people);
  const chance = sim.prng.float();
  if (chance < 0.5) {
    const hasIndex = table.indexes.some(({ name }) => name === EXTRA);
    if (hasIndex) await tx.dropIndex(IDS.people, EXTRA);
    else {
      const parts = [{ column: "score" }, { column: "email", direction: "desc" as const }];
      await tx.createIndex(IDS.people, { name: EXTRA, parts });
    }
  } else if (chance < 0.95) {
    await tx.alter(IDS.accounts, await anyNote(sim, tx));
  } else await tx.truncate(IDS.people);
  if (sim.chance(0.3)) await writePeople(sim, tx);
}

/** Adds a column to the accounts, or drops it: no expression of theirs could depend on it. */
async function anyNote(sim: Sim, tx: RowTransaction): Promise<TableChange> {
  const { columns } = await tx.tables.get(IDS.accounts);
  const isThere = columns.some(({ name, dropped }) => name === "note" && dropped !== true);
  if (isThere) return { kind: "drop column", column: "note" };
  const value = String(sim.below(100));
  const column = { name: "note", type: { kind: "text" }, default: { kind: "constant", value } };
  return { kind: "add column", column } as TableChange;
}

/** Every entry has its row, every row its entries, and no two rows what may be there once. */
export async function checkPeople(sim: Sim, tx: RowTransaction): Promise<void> {
  for (const id of [IDS.people, IDS.lists, IDS.accounts]) {
    const table = await tx.tables.get(id);
    const broken = await brokenIndexes(tx, table);
    sim.must(broken.length === 0, () => `${table.name}: ${JSON.stringify(broken)}`);
  }
  const table = await tx.tables.get(IDS.people);
  const rows = await rowsOf(tx.scan(table, { columns: ALL }));
  const emails = rows.flatMap(([, email]) => (email === null ? [] : [email]));
  sim.must(new Set(emails).size === emails.length, () => `an email twice: ${emails}`);
  const seats = rows.flatMap(([, , team, seat, score]) =>
    score !== null && Number(score) > 2 ? [`${team} ${seat}`] : [],
  );
  sim.must(new Set(seats).size === seats.length, () => `a seat twice: ${seats}`);
  for (const [, , , , score] of rows) {
    sim.must(score === null || Number(score) < 9, () => `a score of ${score}`);
  }
}
