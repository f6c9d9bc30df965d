import { CASES, expectedOf, LEVELS, runCase } from "../../pgwire/isolation-cases.ts";
import type { PostgresWire } from "../../support/postgres-wire.ts";

/** Whether PostgreSQL still answers the anomalies as the tests of Firn expect: what differs. */
export async function isolationProblems(
  connect: () => Promise<PostgresWire>,
): Promise<readonly string[]> {
  const problems: string[] = [];
  for (const each of CASES) {
    for (const level of LEVELS) {
      const answers = await runCase(connect, each, level, waitsForLock);
      const [found, wanted] = [answers.join("; "), expectedOf(each, level).join("; ")];
      if (found !== wanted) problems.push(`${each.name} at ${level}: ${found}, not ${wanted}`);
    }
  }
  return problems;
}

async function waitsForLock(witness: PostgresWire): Promise<void> {
  const query = "select count(*) from pg_stat_activity where wait_event_type = 'Lock'";
  // One that does not wait is seen too early, which the answers tell.
  for (let tries = 0; tries < 2_000; tries++) {
    const [answer] = await witness.query(query);
    if (answer?.rows[0]?.[0] !== "0") return;
  }
}
