import { bind, execute, parse, SYNC } from "../../pgwire/wire-client.ts";
import type { Sim } from "../harness/sim.ts";
import type { Ledger } from "./ledger.ts";
import type { Session } from "./session.ts";
import { ACCOUNTS, OPENING } from "./tables.ts";

/** Marks by every way in which rows come and go: COPY, several statements, a pipeline. */
export async function markByAnyWay(sim: Sim, session: Session, ledger: Ledger): Promise<void> {
  const token = ledger.token();
  const chance = sim.prng.float();
  if (chance < 0.4) {
    const pieces = [`${token}\t1\n${token}`, "\t", "2\n"];
    const { fate } = await session.copyAlone("copy in", "COPY marks FROM STDIN", pieces);
    ledger.marked(token, fate);
  } else if (chance < 0.55) {
    const one = (part: number): string => `INSERT INTO marks VALUES ('${token}', ${part})`;
    const { fate } = await session.alone("several", `${one(1)}; ${one(2)}`);
    ledger.marked(token, fate);
  } else if (chance < 0.7) {
    const sql = `MERGE INTO marks m USING (VALUES ('${token}', 1), ('${token}', 2)) v(token, part)
       ON m.token = v.token AND m.part = v.part
       WHEN NOT MATCHED THEN INSERT VALUES (v.token, v.part)`;
    ledger.marked(token, (await session.alone("several", sql)).fate);
  } else if (chance < 0.9) {
    const runs = ["1", "2"].flatMap((part) => [bind("", "", [token, part]), execute()]);
    const insert = parse("", "INSERT INTO marks VALUES ($1, $2)");
    ledger.marked(token, await session.pipeline("pipeline", [insert, ...runs, SYNC]));
  } else {
    const sql = "COPY (SELECT balance FROM accounts ORDER BY id) TO STDOUT";
    const { reply } = await session.alone("copy out", sql);
    if (reply === undefined) return;
    const total = reply.rows.reduce((sum, [balance]) => sum + Number(balance), 0);
    sim.must(total === ACCOUNTS * OPENING, () => `the bank copies ${total} out`);
  }
}

/** Numbers of a sequence, some at once. */
export async function numbers(sim: Sim, session: Session, ledger: Ledger): Promise<void> {
  const count = 1 + sim.below(3);
  const sql = `SELECT nextval('numbers') FROM generate_series(1, ${count})`;
  const { reply } = await session.alone("numbers", sql);
  for (const [value] of reply?.rows ?? []) ledger.gaveNumber("numbers", String(value));
}
