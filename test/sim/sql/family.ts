import type { Sim } from "../harness/sim.ts";
import type { Cells } from "./client.ts";
import type { Ledger } from "./ledger.ts";
import { type Ask, LEVELS, type Session, UNDO } from "./session.ts";

const TEAMS = 5;
const EMAILS = 10;

/** What rows may be refused for. */
const REFUSALS: readonly string[] = ["23503", "23505", "23514"];

/** Each query twice: as an index can serve it, and as none can. */
const PAIRS: readonly (readonly [by: string, without: string])[] = [
  ["email = 'e3'", "email || '' = 'e3'"],
  ["email IN ('e1', 'e2', 'e5')", "email || '' IN ('e1', 'e2', 'e5')"],
  ["email LIKE 'e%'", "email || '' LIKE 'e%'"],
  ["team = 2", "team + 0 = 2"],
  ["team = 1 AND score > 4", "team + 0 = 1 AND score + 0 > 4"],
  ["team IS NULL", "coalesce(team, -1) = -1"],
  ["score > 2", "score + 0 > 2"],
  ["id > 5", "id + 0 > 5"],
  ["id BETWEEN 2 AND 12", "id + 0 BETWEEN 2 AND 12"],
  ["id = 4 OR email = 'e4'", "id + 0 = 4 OR email || '' = 'e4'"],
];

/** Changes teams and those in them, in statements alone or several together. */
export async function changeFamily(sim: Sim, session: Session, ledger: Ledger): Promise<void> {
  if (sim.chance(0.5)) {
    const sql = statement(sim);
    const { reply } = await session.alone("family", sql, REFUSALS);
    if (reply !== undefined) noted(ledger, sql, reply.rows);
    return;
  }
  const token = ledger.token();
  const { fate } = await session.transact(
    "family",
    sim.pick(LEVELS),
    async (ask) => {
      await ledger.mark(ask, 1, token);
      for (let left = 1 + sim.below(4); left > 0; left--) {
        const isUndone = sim.chance(0.2);
        if (isUndone) await ask("SAVEPOINT s");
        const sql = statement(sim);
        noted(ledger, sql, (await ask(sql)).rows);
        if (isUndone) await ask(sim.pick(["ROLLBACK TO s", "RELEASE s"]));
        if (sim.chance(0.3)) await sim.sleep(sim.spanMs(1, 300));
      }
      await ledger.mark(ask, 2, token);
      return sim.chance(0.1) ? UNDO : undefined;
    },
    REFUSALS,
  );
  ledger.marked(token, fate);
}

/** Numbers that an insert was given: of a sequence, each once. */
function noted(ledger: Ledger, sql: string, rows: readonly Cells[]): void {
  if (!sql.endsWith("RETURNING id")) return;
  for (const [id] of rows) ledger.gaveNumber("people", String(id));
}

function statement(sim: Sim): string {
  const team = sim.below(TEAMS);
  const chance = sim.prng.float();
  if (chance < 0.2) return `INSERT INTO teams VALUES (${team}, 'n') ON CONFLICT DO NOTHING`;
  if (chance < 0.28) return `DELETE FROM teams WHERE id = ${team}`;
  if (chance < 0.32) return `UPDATE teams SET id = ${sim.below(TEAMS)} WHERE id = ${team}`;
  const [email, score] = [anyEmail(sim), anyScore(sim)];
  const place = sim.chance(0.2) ? "NULL" : String(team);
  if (chance < 0.5) {
    return `INSERT INTO people (email, team, score) VALUES (${email}, ${place}, ${score}),
       (${anyEmail(sim)}, ${place}, ${anyScore(sim)}) RETURNING id`;
  }
  if (chance < 0.65) {
    return `INSERT INTO people (email, team, score) VALUES (${email}, ${place}, ${score})
       ON CONFLICT (email) DO UPDATE SET team = excluded.team, score = excluded.score`;
  }
  const where = sim.pick([`email = ${email}`, `team = ${team}`, `id = ${sim.below(20)}`]);
  if (chance < 0.72) return `UPDATE people SET score = score + 1 WHERE ${where} RETURNING score`;
  if (chance < 0.88) return `UPDATE people SET team = ${place}, score = ${score} WHERE ${where}`;
  if (chance < 0.92) {
    return `UPDATE people p SET score = t.id FROM teams t WHERE t.id = p.team AND p.${where}`;
  }
  return `DELETE FROM people WHERE ${where} RETURNING email`;
}

function anyEmail(sim: Sim): string {
  return sim.chance(0.2) ? "NULL" : `'e${sim.below(EMAILS)}'`;
}

function anyScore(sim: Sim): string {
  return sim.chance(0.1) ? "NULL" : String(sim.below(10));
}

/** Nobody is in a team that is not there, no email is there twice, and indexes tell the rows. */
export async function checkFamily(sim: Sim, session: Session): Promise<void> {
  await session.transact("check", sim.pick(["serializable", "repeatable read"]), async (ask) => {
    const count = 1 + sim.below(3);
    await familyHolds(
      sim,
      ask,
      Array.from({ length: count }, () => sim.pick(PAIRS)),
    );
    return undefined;
  });
}

/** What must hold of any one state. */
export async function familyHolds(
  sim: Sim,
  ask: Ask,
  pairs: readonly (readonly [string, string])[] = PAIRS,
): Promise<void> {
  const none = async (what: string, sql: string): Promise<void> => {
    const { rows } = await ask(sql);
    sim.must(rows.length === 0, () => `${what}: ${rows.join("; ")}`);
  };
  await none(
    "in no team",
    `SELECT p.id, p.team FROM people p LEFT JOIN teams t ON t.id = p.team
       WHERE p.team IS NOT NULL AND t.id IS NULL`,
  );
  await none("an email twice", "SELECT email FROM people GROUP BY email HAVING count(email) > 1");
  await none("a score too high", "SELECT id, score FROM people WHERE score >= 9");
  for (const [by, without] of pairs) {
    const of = async (condition: string): Promise<string> => {
      const sql = `SELECT id, email, team, score FROM people WHERE ${condition} ORDER BY id`;
      return (await ask(sql)).rows.join("; ");
    };
    const [found, due] = [await of(by), await of(without)];
    sim.must(found === due, () => `${by} finds [${found}], a scan [${due}]`);
  }
}
