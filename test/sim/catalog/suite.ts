import { SITES } from "../harness/faults.ts";
import type { Sim, Suite } from "../harness/sim.ts";
import { Cluster } from "./cluster.ts";
import { User } from "./user.ts";
import { verify } from "./verify.ts";
import { BANK, type Files, foundBank, prepare, work } from "./workload.ts";

const COMMIT = ["pointer read", "pointer commit", "node"] as const;
const WITH_PAYLOAD = [...COMMIT, "blob write"] as const;
const READ = ["pointer read", "node"] as const;

/** Nodes of the Iceberg catalog over one bucket and one pointer store, and those who use them. */
export const CATALOG_SUITE: Suite = {
  name: "catalog",
  sites: SITES,
  operations: {
    createNamespace: WITH_PAYLOAD,
    updateNamespace: WITH_PAYLOAD,
    dropNamespace: [...WITH_PAYLOAD, "pointer list"],
    createTable: WITH_PAYLOAD,
    createStaged: WITH_PAYLOAD,
    commitTable: [...WITH_PAYLOAD, "blob read"],
    replaceSnapshot: [...WITH_PAYLOAD, "blob read"],
    transaction: [...WITH_PAYLOAD, "blob read"],
    dropTable: WITH_PAYLOAD,
    unregisterTable: [...WITH_PAYLOAD, "blob read"],
    renameTable: WITH_PAYLOAD,
    registerTable: [...WITH_PAYLOAD, "blob read"],
    registerOver: [...WITH_PAYLOAD, "blob read"],
    createView: WITH_PAYLOAD,
    commitView: [...WITH_PAYLOAD, "blob read"],
    dropView: WITH_PAYLOAD,
    renameView: WITH_PAYLOAD,
    registerView: [...WITH_PAYLOAD, "blob read"],
    stageTable: READ,
    loadTable: [...READ, "blob read"],
    loadView: [...READ, "blob read"],
    loadNamespace: READ,
    tableExists: READ,
    viewExists: READ,
    listTables: [...READ, "pointer list"],
    listViews: [...READ, "pointer list"],
    listNamespaces: [...READ, "pointer list"],
  },
  fullSeeds: 1_000,
  run,
};

async function run(sim: Sim): Promise<() => Promise<void>> {
  const cluster = new Cluster(sim);
  await cluster.open(sim.chance(0.3) ? 3 : 2);
  await prepare(new User(sim, cluster, "setup"));
  const accounts = await foundBank(new User(sim, cluster, "bank"));
  cluster.storm();
  const files: Files = { table: [], view: [] };
  const users = 2 + sim.below(4);
  const lines: Promise<void>[] = [];
  for (let i = 0; i < users; i++) {
    const user = new User(sim, cluster, `u${i}`);
    lines.push(sim.spawn(() => work({ sim, user, accounts, files })));
  }
  await Promise.all(lines);
  cluster.calm();
  return () => verify(sim, cluster, BANK);
}
