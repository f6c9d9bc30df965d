import type { Sim } from "../harness/sim.ts";
import type { Ledger } from "./ledger.ts";
import type { Session } from "./session.ts";

/** A change of a table that others use, and what it may be refused with. */
const CHANGES: readonly (readonly [sql: string, allowed: readonly string[]])[] = [
  ["ALTER TABLE people ADD COLUMN note text DEFAULT 'new'", ["42701"]],
  ["ALTER TABLE people DROP COLUMN note", ["42703"]],
  ["ALTER TABLE accounts ADD COLUMN note int DEFAULT 7", ["42701"]],
  ["ALTER TABLE accounts DROP COLUMN note", ["42703"]],
  ["CREATE INDEX extra ON people (score, email DESC)", ["42P07"]],
  ["CREATE UNIQUE INDEX extra ON people (email, score)", ["42P07"]],
  ["CREATE INDEX CONCURRENTLY extra ON people (score DESC) INCLUDE (team)", ["42P07", "42704"]],
  ["DROP INDEX extra", ["42704"]],
  ["CREATE INDEX more ON accounts (balance DESC)", ["42P07"]],
  ["DROP INDEX more", ["42704"]],
  ["ALTER TABLE people ADD CONSTRAINT low CHECK (score < 9)", ["42710"]],
  ["ALTER TABLE people DROP CONSTRAINT low", ["42704"]],
  ["ALTER TABLE people ALTER COLUMN score SET DEFAULT 3", []],
  ["TRUNCATE people", []],
  ["TRUNCATE people, teams", []],
  ["CREATE TABLE scratch AS SELECT id, email FROM people", ["42P07"]],
  ["CREATE TABLE scratch (id int PRIMARY KEY, email text)", ["42P07"]],
  ["INSERT INTO scratch SELECT id, email FROM people", ["42P01", "23505"]],
  ["DROP TABLE scratch", ["42P01"]],
];

/** Changes a table beside those who write and read it. */
export async function changeTable(sim: Sim, session: Session, ledger: Ledger): Promise<void> {
  const [sql, allowed] = sim.pick(CHANGES);
  // Two that make one name at once are told so by the catalog or by the rows.
  if (sql.includes("CONCURRENTLY") || sim.chance(0.5)) {
    await session.alone("change", sql, allowed);
    return;
  }
  const token = ledger.token();
  const { fate } = await session.transact(
    "change",
    "serializable",
    async (ask) => {
      await ledger.mark(ask, 1, token);
      await ask(sql);
      if (sim.chance(0.3)) await sim.sleep(sim.spanMs(1, 300));
      await ledger.mark(ask, 2, token);
      return undefined;
    },
    allowed,
  );
  ledger.marked(token, fate);
}
