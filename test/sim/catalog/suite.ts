import { sha256Hex } from "../../../src/base/hash.ts";
import { LIMITS } from "../../../src/base/limits.ts";
import { CATALOG_LIMITS } from "../../../src/catalog/limits.ts";
import { shaOfPath } from "../../../src/catalog/paths.ts";
import { walkPayloads, walkPointers } from "../../../src/catalog/walk.ts";
import { SERVICE_LIMITS } from "../../../src/service/limits.ts";
import { tidyReceipts } from "../../support/housekeeping.ts";
import { SITES } from "../harness/faults.ts";
import type { Sim, Suite } from "../harness/sim.ts";
import { Backups } from "./backups.ts";
import { Cluster, type Services } from "./cluster.ts";
import { User } from "./user.ts";
import { verify } from "./verify.ts";
import { BANK, type Files, foundBank, prepare, work } from "./workload.ts";

const COMMIT = ["pointer read", "pointer commit", "node"] as const;
const WITH_PAYLOAD = [...COMMIT, "blob write"] as const;
const READ = ["pointer read", "node"] as const;
/** Looks at what is due, before jobs count as stuck. */
const MAX_ROUNDS = 10;

/** Nodes of the Iceberg catalog over one bucket and one pointer store, and those who use them. */
export const CATALOG_SUITE: Suite = {
  name: "catalog",
  sites: SITES,
  operations: {
    createNamespace: WITH_PAYLOAD,
    updateNamespace: WITH_PAYLOAD,
    dropNamespace: [...WITH_PAYLOAD, "pointer list"],
    deleteNamespace: WITH_PAYLOAD,
    cancelJob: COMMIT,
    createTable: WITH_PAYLOAD,
    createAt: [...WITH_PAYLOAD, "pointer list"],
    createStaged: WITH_PAYLOAD,
    commitTable: [...WITH_PAYLOAD, "blob read"],
    replaceSnapshot: [...WITH_PAYLOAD, "blob read"],
    transaction: [...WITH_PAYLOAD, "blob read"],
    dropTable: WITH_PAYLOAD,
    purgeTable: WITH_PAYLOAD,
    undrop: [...WITH_PAYLOAD, "blob read", "pointer list"],
    runJobs: [...WITH_PAYLOAD, "blob read", "pointer list"],
    listDropped: [...READ, "pointer list"],
    unregisterTable: [...WITH_PAYLOAD, "blob read"],
    renameTable: WITH_PAYLOAD,
    registerTable: [...WITH_PAYLOAD, "blob read"],
    registerOver: [...WITH_PAYLOAD, "blob read"],
    createView: WITH_PAYLOAD,
    commitView: [...WITH_PAYLOAD, "blob read"],
    dropView: WITH_PAYLOAD,
    renameView: WITH_PAYLOAD,
    registerView: [...WITH_PAYLOAD, "blob read"],
    reportMetrics: [...WITH_PAYLOAD, "pointer list"],
    listReports: [...READ, "blob read", "pointer list"],
    stageTable: READ,
    loadTable: [...READ, "blob read"],
    loadView: [...READ, "blob read"],
    loadNamespace: READ,
    tableExists: READ,
    viewExists: READ,
    listTables: [...READ, "pointer list"],
    listViews: [...READ, "pointer list"],
    listNamespaces: [...READ, "pointer list"],
    backup: [...READ, "pointer list", "blob read", "blob list", "blob write"],
    restoreBeside: [...WITH_PAYLOAD, "pointer list", "blob read", "blob list"],
    restore: [...COMMIT, "pointer list", "blob read", "blob list", "blob write"],
  },
  fullSeeds: 3_000,
  run: (sim) => runCatalog(sim),
};

/**
 * Users at work, twice: the second time what they dropped the first time is due, and nodes take it
 * up while users still bring some of it back.
 */
export async function runCatalog(sim: Sim, services?: Services): Promise<() => Promise<void>> {
  const cluster = new Cluster(sim, services);
  await cluster.open(sim.chance(0.3) ? 3 : 2);
  await prepare(new User(sim, cluster, "setup"));
  const accounts = await foundBank(new User(sim, cluster, "bank"));
  const files: Files = { table: [], view: [] };
  const count = 2 + sim.below(3);
  const users = Array.from({ length: count }, (_, i) => new User(sim, cluster, `u${i}`));
  const all = () => users.map((user) => sim.spawn(() => work({ sim, user, accounts, files })));
  const startedMs = sim.clock.monotonicMs();
  const backups = new Backups(sim, cluster);
  const backUp = () => (sim.chance(0.5) ? sim.spawn(() => backups.beside()) : undefined);
  cluster.storm();
  await Promise.all([...all(), backUp()]);
  cluster.calm();
  const tookMs = sim.clock.monotonicMs() - startedMs;
  await sim.sleep(CATALOG_LIMITS.dropRetentionMs - tookMs * sim.prng.float());
  cluster.storm();
  const janitor = new User(sim, cluster, "janitor");
  await Promise.all([...all(), sim.spawn(() => keepHouse(sim, cluster, janitor)), backUp()]);
  cluster.calm();
  if (sim.chance(0.5)) {
    // Another mark is due by now: it meets users, who bring back what it looked at.
    await sim.sleep(cluster.stores.gc.gcGraceMs + SERVICE_LIMITS.gcPeriodMs);
    cluster.storm();
    await Promise.all([...all(), sim.spawn(() => keepHouse(sim, cluster, janitor)), backUp()]);
    cluster.calm();
  }
  await endAll(sim, cluster, janitor);
  await collectAll(sim, cluster, janitor);
  if (sim.chance(0.5)) {
    cluster.storm();
    await backups.still();
    cluster.calm();
  }
  return () => verify(sim, cluster, BANK);
}

/** Takes up what is due, and clears receipts away that have expired. */
async function keepHouse(sim: Sim, { stores }: Cluster, user: User): Promise<void> {
  const rounds = 3 + sim.below(5);
  for (let i = 0; i < rounds; i++) {
    await user.runJobs();
    if (sim.chance(0.5)) await tidyReceipts(stores.pointers, sim.clock);
    await sim.sleep(sim.spanMs(100, CATALOG_LIMITS.jobLeaseMs));
  }
}

/** In fair weather everything that was dropped comes to its end. */
async function endAll(sim: Sim, { stores }: Cluster, user: User): Promise<void> {
  const leaving = () => stores.history.now.leaving.size;
  for (let rounds = 0; rounds < MAX_ROUNDS && leaving() > 0; rounds++) {
    await sim.sleep(SERVICE_LIMITS.jobRetryCapMs);
    await user.runJobs();
  }
  sim.must(leaving() === 0, () => "what is being deleted does not end");
  await sim.sleep(CATALOG_LIMITS.dropRetentionMs + SERVICE_LIMITS.jobRetryCapMs);
  for (let rounds = 0; rounds < MAX_ROUNDS && stores.history.now.dropped.size > 0; rounds++) {
    await user.runJobs();
    await sim.sleep(CATALOG_LIMITS.jobLeaseMs + LIMITS.clockSkewMs);
  }
  sim.must(stores.history.now.dropped.size === 0, () => "what was dropped does not end");
}

/** In fair weather everything goes that nothing leads to. */
async function collectAll(sim: Sim, { stores }: Cluster, user: User): Promise<void> {
  const { pointers, payloads: blobs, gc } = stores;
  const { clock } = sim;
  for (let rounds = 0; rounds < MAX_ROUNDS; rounds++) {
    await sim.sleep(gc.historyRetentionMs + gc.gcGraceMs + SERVICE_LIMITS.gcPeriodMs);
    await user.runJobs();
  }
  const reached = new Set<string>();
  for await (const walked of walkPointers({ pointers, clock })) {
    if (walked.state !== "live") continue;
    const { blob, blobs: told } = walked.references;
    for (const path of blob === undefined ? told : [blob, ...told]) reached.add(path);
  }
  for await (const { path } of walkPayloads({ blobs, clock })) {
    // One that was torn as it was put is kept: nobody can tell whose it is.
    const isTorn =
      sha256Hex((await blobs.get(path))?.bytes ?? new Uint8Array()) !== shaOfPath(path);
    sim.must(isTorn || reached.has(path), () => `garbage stays: ${path}`);
  }
}
