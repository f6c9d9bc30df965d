import type { Sim } from "../harness/sim.ts";
import type { Ledger } from "./ledger.ts";
import { LEVELS, type Session, UNDO } from "./session.ts";
import { ACCOUNTS, OPENING } from "./tables.ts";

const IDS = Array.from({ length: ACCOUNTS }, (_, id) => id).join(", ");

/** Each way to count what the bank holds: by the key, by an index, from within. */
const WAYS: readonly string[] = [
  "SELECT sum(balance) FROM accounts",
  "SELECT sum(balance) FROM (SELECT balance FROM accounts ORDER BY balance) a",
  "SELECT sum(balance) FROM accounts WHERE balance >= 0",
  "SELECT sum(balance) FROM accounts WHERE balance + 0 >= 0 AND id >= 0",
  `SELECT sum(balance) FROM accounts WHERE id IN (${IDS})`,
];

/** Money moves from one account to another. */
export async function transfer(sim: Sim, session: Session, ledger: Ledger): Promise<void> {
  const level = sim.pick(LEVELS);
  const from = sim.below(ACCOUNTS);
  const to = (from + 1 + sim.below(ACCOUNTS - 1)) % ACCOUNTS;
  const amount = 1 + sim.below(60);
  const token = ledger.token();
  const isLocked = level === "read committed" || sim.chance(0.5);
  const lock = isLocked ? sim.pick([" FOR UPDATE", " FOR NO KEY UPDATE"]) : "";
  const { fate } = await session.transact(
    "transfer",
    level,
    async (ask) => {
      await ledger.mark(ask, 1, token);
      if (sim.chance(0.5)) {
        await ask(`UPDATE accounts SET balance = balance - ${amount} WHERE id = ${from}`);
        if (sim.chance(0.4)) await sim.sleep(sim.spanMs(1, 500));
        await ask(`UPDATE accounts SET balance = balance + ${amount} WHERE id = ${to}`);
      } else {
        const has = await balance(ask, from, lock);
        if (sim.chance(0.4)) await sim.sleep(sim.spanMs(1, 500));
        const other = await balance(ask, to, lock);
        const moved = Math.min(has, amount);
        await ask(`UPDATE accounts SET balance = ${has - moved} WHERE id = ${from}`);
        await ask(`UPDATE accounts SET balance = ${other + moved} WHERE id = ${to}`);
      }
      await ledger.mark(ask, 2, token);
      return sim.chance(0.05) ? UNDO : undefined;
    },
    ["23514"],
  );
  ledger.marked(token, fate);
}

async function balance(
  ask: (sql: string) => Promise<{ readonly rows: readonly (readonly (string | null)[])[] }>,
  id: number,
  lock: string,
): Promise<number> {
  const { rows } = await ask(`SELECT balance FROM accounts WHERE id = ${id}${lock}`);
  return Number(rows[0]?.[0]);
}

/** No money is lost or made, by whichever way it is counted. */
export async function audit(sim: Sim, session: Session): Promise<void> {
  const due = String(ACCOUNTS * OPENING);
  const isSum = (found: string | null | undefined, way: string): void =>
    sim.must(found === due, () => `${session.client.name}: the bank holds ${found} by ${way}`);
  if (sim.chance(0.5)) {
    const way = sim.pick(WAYS);
    const { reply } = await session.alone("audit", way);
    if (reply !== undefined) isSum(reply.rows[0]?.[0], way);
    return;
  }
  await session.transact("audit", sim.pick(LEVELS), async (ask) => {
    for (const way of WAYS) {
      isSum((await ask(way)).rows[0]?.[0], way);
      if (sim.chance(0.2)) await sim.sleep(sim.spanMs(1, 500));
    }
    return undefined;
  });
}
