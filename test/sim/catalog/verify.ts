import { MemoryBlobStore } from "../../../src/blob/memory.ts";
import type { BlobStore } from "../../../src/blob/port.ts";
import type { PointerStore } from "../../../src/pointer/port.ts";
import { checkStore } from "../../catalog/support/check-store.ts";
import { Host } from "../harness/host.ts";
import { type Sim, Violation } from "../harness/sim.ts";
import { type Cluster, openNode, type Stores } from "./cluster.ts";
import { contentKey, namespaceOf, seen, tableOf, viewOf } from "./requests.ts";
import { childrenOf, nameKey, namesIn, type Path, type State } from "./spec.ts";
import { type BANK, mustAddUp } from "./workload.ts";

/**
 * What has to hold when nothing is under way any more: the store agrees with itself, and a node
 * that has seen nothing yet shows exactly the last state of the history.
 */
export async function verify(sim: Sim, cluster: Cluster, bank: typeof BANK): Promise<void> {
  const { stores } = cluster;
  await checkStore(...withGone(stores), stores.gone.receipts);
  mustHavePurged(stores);
  const { leaving } = stores.history.now;
  if (leaving.size > 0) throw new Violation(`still being deleted: ${[...leaving.keys()]}`);
  const expected = describeState(stores.history.now);
  const host = new Host(sim, "reader");
  const node = await openNode(sim, host, stores);
  await mustBeSound(sim, node);
  const { shown, balances } = await readAll(node, bank);
  if (JSON.stringify(shown) !== JSON.stringify(expected)) {
    throw new Violation(`the end is ${shown.join("\n")}\nand not ${expected.join("\n")}`);
  }
  mustAddUp(balances);
  for (const { outcome } of stores.history.intents) sim.coverage.note(`changes ${outcome}`);
  sim.log(`the end: ${sim.coverage.totalCalls} calls, ${stores.warehouse.orphans} orphans`);
}

/** What the product's own check says. What a lost attempt left, and what is derived, may be. */
async function mustBeSound(sim: Sim, { fsck, host: { clock } }: Opened): Promise<void> {
  const run = fsck(new MemoryBlobStore(clock)).run();
  for (;;) {
    const step = await run.next();
    if (step.done === true) return;
    const { code, level, subject } = step.value;
    sim.coverage.note(`found ${code}`);
    if (level === "damage") throw new Violation(`${code} ${subject}`);
  }
}

/** Of a table whose files went, none is left, unless it was registered somewhere, sometime. */
function mustHavePurged({ history, warehouse }: Cluster["stores"]): void {
  const registered = new Set<string>();
  for (const { mutation } of history.intents) {
    if ("file" in mutation) registered.add(mutation.file.content.born);
  }
  for (const id of history.everPurged) {
    const content = history.everDropped.get(id)?.content;
    if (content === undefined || registered.has(content.born)) continue;
    // Others may lie, or have lain, where somebody chose to.
    if (content.place !== undefined) continue;
    const left = warehouse.leftOf(id, content.snapshots);
    if (left.length > 0) throw new Violation(`a purge left ${left.join(", ")}`);
  }
}

function describeState(state: State, path: Path = []): readonly string[] {
  const children = childrenOf(state, path);
  const lines = [`${path.join(".")}: ${children.join(" ")}`];
  for (const type of ["table", "view"] as const) {
    for (const name of namesIn(state, type, path)) {
      const content = state.relations.get(nameKey({ path, name }))?.content;
      if (content !== undefined) lines.push(`${type} ${name} ${contentKey(content)}`);
    }
  }
  return [...lines, ...children.flatMap((child) => describeState(state, [...path, child]))];
}

type Opened = Awaited<ReturnType<typeof openNode>>;

async function readAll({ iceberg: service }: Opened, bank: typeof BANK) {
  const shown: string[] = [];
  const balances: number[] = [];
  const context = { requestId: "read", principal: "reader", account: "default" };
  const walk = async (path: Path): Promise<void> => {
    const { items } = await service.listNamespaces(context, namespaceOf(path).catalog, path, {});
    const children = items.map((child) => child.at(-1) ?? "");
    shown.push(`${path.join(".")}: ${children.join(" ")}`);
    if (path.length > 0) await show(path);
    for (const child of children) await walk([...path, child]);
  };
  const show = async (path: Path): Promise<void> => {
    const tables = await service.listTables(context, namespaceOf(path), {});
    for (const name of tables.items) {
      const table = await service.loadTable(context, tableOf({ path, name }), { snapshots: "all" });
      if (table === "not-modified") throw new Violation(`${name} was not asked for by a tag`);
      const { content } = seen(table);
      if (path.join() === bank.path.join()) balances.push(content.balance ?? 0);
      shown.push(`table ${name} ${contentKey(content)}`);
    }
    const views = await service.listViews(context, namespaceOf(path), {});
    for (const name of views.items) {
      const { content } = seen(await service.loadView(context, viewOf({ path, name })));
      shown.push(`view ${name} ${contentKey(content)}`);
    }
  };
  await walk([]);
  return { shown, balances };
}

/** The stores as if no change record had been collected: the records still have to chain. */
function withGone({ pointers, payloads, gone }: Stores): readonly [Sweeping, BlobStore] {
  const sweep: PointerStore["sweep"] = async function* (prefix, options) {
    yield* pointers.sweep(prefix, options);
    yield* gone.changes;
  };
  const get = async (path: string) => (await payloads.get(path)) ?? gone.contents.get(path);
  const blobs = new Proxy(payloads, {
    get: (of, name) => (name === "get" ? get : bound(of, name)),
  });
  return [{ sweep }, blobs];
}

type Sweeping = Pick<PointerStore, "sweep">;

function bound(of: BlobStore, name: string | symbol): unknown {
  const method = Reflect.get(of, name) as unknown;
  return typeof method === "function" ? method.bind(of) : method;
}
