import { buildIndex } from "../../../src/rows/index.ts";
import { brokenIndexes } from "../../rows/support/open-rows.ts";
import type { Sim } from "../harness/sim.ts";
import type { Member } from "../lsm/member.ts";
import { anomaliesOf, REFUSED } from "../rows/cycles.ts";
import { split } from "../rows/user.ts";
import type { Cells } from "./client.ts";
import { familyHolds } from "./family.ts";
import type { SqlServer } from "./server.ts";
import { ACCOUNTS, OPENING } from "./tables.ts";
import type { SqlUser, UserParts } from "./user.ts";

/** What must hold once nothing is under way. */
export async function verifyTables(
  parts: UserParts,
  users: readonly SqlUser[],
  member: Member,
  server: SqlServer,
): Promise<void> {
  const { sim, ledger, queue } = parts;
  const client = await server.connect("verifier", {});
  const rows = async (sql: string) => (await client.query(sql)).rows;
  const [[total] = []] = await rows("SELECT sum(balance) FROM accounts");
  sim.must(Number(total) === ACCOUNTS * OPENING, () => `the bank holds ${total} in the end`);
  ledger.verifyMarks(await rows("SELECT token, part FROM marks"));
  queue.verifyJobs(await rows("SELECT id, state, owner FROM jobs"));
  queue.verifyCount((await rows("SELECT n FROM counters"))[0]?.[0]);
  await familyHolds(sim, (sql) => client.query(sql));
  verifyLists(parts, await rows("SELECT id, elements FROM lists"));
  await client.query("BEGIN");
  for (const { own } of users) await own.verify((sql) => client.query(sql));
  await client.query("COMMIT");
  await verifyIndexes(sim, server);
  await client.end();
  await server.verifyIdle();
  sim.must(member.host.alive, () => "the verifier's process has ended");
}

function verifyLists({ sim, ledger, level }: UserParts, rows: readonly Cells[]): void {
  const lists = new Map(rows.map(([list, elements]) => [String(list), split(elements)]));
  for (const [list, elements] of lists) {
    const once = new Set(elements).size === elements.length;
    sim.must(once, () => `list ${list} has an element twice: ${elements}`);
  }
  for (const { anomaly, text } of anomaliesOf(ledger.transactions, lists)) {
    if (!REFUSED[level].has(anomaly)) sim.coverage.note(`${level}: ${anomaly}, as it allows`);
    else sim.must(false, () => `${level}: ${anomaly}: ${text}`);
  }
}

/** Every entry has its row, every row its entries; what builds were begun can be ended. */
async function verifyIndexes(sim: Sim, { store }: SqlServer): Promise<void> {
  for (const { id, indexes } of await store.run((tx) => tx.tables.list())) {
    for (const { name, state } of indexes) {
      if (state !== "public") await buildIndex(store, id, name);
    }
  }
  const tx = await store.begin({ isolation: "repeatable read", readOnly: true, maxAgeMs: 600_000 });
  for (const table of await tx.tables.list()) {
    const broken = await brokenIndexes(tx, table);
    sim.must(broken.length === 0, () => `${table.name}: ${JSON.stringify(broken)}`);
  }
  tx.rollback();
}
