import { brokenIndexes } from "../../rows/support/open-rows.ts";
import type { Sim } from "../harness/sim.ts";
import type { Member } from "../lsm/member.ts";
import type { Ledger } from "./ledger.ts";
import type { SqlServer } from "./server.ts";
import { ACCOUNTS, OPENING } from "./tables.ts";

/** What must hold once nothing is under way. */
export async function verifyTables(
  sim: Sim,
  member: Member,
  server: SqlServer,
  ledger: Ledger,
): Promise<void> {
  const client = await server.connect("verifier", {});
  const rows = async (sql: string) => (await client.query(sql)).rows;
  const [[total] = []] = await rows("SELECT sum(balance) FROM accounts");
  sim.must(Number(total) === ACCOUNTS * OPENING, () => `the bank holds ${total} in the end`);
  ledger.verifyMarks(await rows("SELECT token, part FROM marks"));
  await verifyIndexes(sim, server);
  await client.end();
  await server.verifyIdle();
  sim.must(member.host.alive, () => "the verifier's process has ended");
}

/** Every entry has its row, every row its entries. */
async function verifyIndexes(sim: Sim, { store }: SqlServer): Promise<void> {
  const tx = await store.begin({ isolation: "repeatable read", readOnly: true, maxAgeMs: 600_000 });
  for (const table of await tx.tables.list()) {
    const broken = await brokenIndexes(tx, table);
    sim.must(broken.length === 0, () => `${table.name}: ${JSON.stringify(broken)}`);
  }
  tx.rollback();
}
