import { IdSource } from "../../../src/base/ids.ts";
import { createMetrics } from "../../../src/base/metrics.ts";
import { type LocationScheme, Locations } from "../../../src/blob/locations.ts";
import { MemoryBlobStore } from "../../../src/blob/memory.ts";
import type { BlobStore } from "../../../src/blob/port.ts";
import { KEY_FAMILIES } from "../../../src/catalog/keys.ts";
import { MemoryPointerStore } from "../../../src/pointer/memory.ts";
import type { PointerStore } from "../../../src/pointer/port.ts";
import { OWN_ACTOR } from "../../../src/service/actor.ts";
import { SERVICE_LIMITS } from "../../../src/service/limits.ts";
import { type CatalogNode, openNode as openCatalogNode } from "../../../src/service/node.ts";
import { restartablePointers } from "../../support/engine-pointers.ts";
import { FAIR, type Weather, weatherOf } from "../harness/faults.ts";
import { Host } from "../harness/host.ts";
import { type Sim, Violation } from "../harness/sim.ts";
import { History } from "./history.ts";
import { Ledger } from "./ledger.ts";
import { WAREHOUSE, Warehouse } from "./warehouse.ts";
import { type Gone, watched } from "./watch.ts";

export const CATALOG = "c";

const DAY_MS = 86_400_000;

/** One shared by all nodes, so that any of them opens the page tokens of any other. */
const SECRET = new Uint8Array(32);

/** One process that serves the catalog, with caches of its own. */
export interface Node extends CatalogNode {
  readonly host: Host;
}

/** The stores, and what is known of all that happened in them. */
export interface Stores {
  readonly pointers: PointerStore;
  readonly payloads: BlobStore;
  readonly warehouse: Warehouse;
  readonly history: History;
  readonly ledger: Ledger;
  /** Receipts of batches that have been overwritten, deleted or forgotten since. */
  readonly gone: Gone;
  /** How garbage is collected, on every node. */
  readonly gc: { readonly historyRetentionMs: number; readonly gcGraceMs: number };
  /** Ends the engine that holds the pointers, where one does; another takes over. */
  readonly restart: () => Promise<void>;
}

/** Stores behind sockets. Pointers there answer a second copy of a batch as the first. */
export interface Services {
  readonly pointers: PointerStore;
  readonly payloads: BlobStore;
  readonly warehouse: BlobStore;
}

/** In memory, unless there are services. */
export function openStores(sim: Sim, services?: Services): Stores {
  const { clock } = sim;
  const history = new History(sim);
  const inMemory = (): BlobStore => new MemoryBlobStore(clock);
  const warehouse = new Warehouse(sim, services?.warehouse ?? inMemory(), history);
  const gone: Gone = { receipts: 0, changes: [], contents: new Map() };
  const payloads = services?.payloads ?? inMemory();
  const service = services?.pointers;
  // A third of the seeds as profile `local` has it: pointers in an engine, which has one owner.
  const isEngine = service === undefined && sim.chance(1 / 3);
  const engine = isEngine ? restartablePointers(KEY_FAMILIES, clock) : undefined;
  const memory = () => new MemoryPointerStore({ families: KEY_FAMILIES, clock });
  const inner = service ?? engine?.pointers ?? memory();
  sim.coverage.note(`pointers in ${isEngine ? "the engine" : service ? "a service" : "memory"}`);
  const repeats = service !== undefined;
  const ledger = new Ledger();
  const pointers = watched(sim, inner, payloads, { warehouse, history, ledger, gone, repeats });
  const restart = async (): Promise<void> => {
    if (engine === undefined) return;
    sim.log("the engine ends, and another takes over");
    sim.coverage.note("engine taken over");
    await engine.restart();
  };
  const gc = {
    historyRetentionMs: sim.pick([
      SERVICE_LIMITS.catalogGcFloorMs,
      DAY_MS,
      SERVICE_LIMITS.historyRetentionMs,
    ]),
    gcGraceMs: sim.pick([SERVICE_LIMITS.catalogGcFloorMs, SERVICE_LIMITS.gcGraceMs]),
  };
  return { pointers, payloads, warehouse, history, ledger, gone, gc, restart };
}

/**
 * Starts a process over the stores. `bucket`: another way to the warehouse.
 *
 * @throws what a start throws whose stores do not answer.
 */
export async function openNode(
  sim: Sim,
  host: Host,
  stores: Stores,
  bucket: BlobStore = stores.warehouse.store,
): Promise<Node> {
  const { clock } = host;
  const prng = sim.fork();
  const ids = new IdSource(clock, prng);
  const pointers = host.pointers(stores.pointers);
  const blobs = host.blobs(stores.payloads, "payloads");
  const files = host.blobs(bucket, "warehouse");
  const scheme: LocationScheme = {
    normalize: (uri) => uri.replace(/\/+$/, ""),
    // One bucket, whatever root in it: a purge adds a table's location where its catalog is gone.
    open: (root) => ({
      store: files,
      pathOf: (uri) => (uri === root ? "" : uri.slice(WAREHOUSE.length + 1)),
    }),
  };
  const schemes = new Map([["sim", scheme]]);
  const locations = new Locations({ allowedRoots: [WAREHOUSE], clock, prng, schemes });
  const node = await openCatalogNode({
    stores: { clock, prng, ids, blobs, pointers },
    locations,
    metrics: createMetrics(),
    secret: SECRET,
    warehouse: WAREHOUSE,
    sharedRoots: [],
    gc: {
      ...stores.gc,
      onDeleted: ({ kind, paths }) => {
        sim.coverage.note(`collected ${kind}`);
        sim.log(`${host.name} collects ${kind}: ${paths.length}`);
      },
      onStopped: ({ code, message }) => sim.fail(new Violation(`${code}: ${message}`)),
    },
  });
  node.collector.start();
  await node.catalogs.ensure(OWN_ACTOR, CATALOG, WAREHOUSE);
  return { ...node, host };
}

/** Nodes behind a balancer: they end and are started anew, with nothing but the stores. */
export class Cluster {
  readonly stores: Stores;
  readonly #sim: Sim;
  readonly #nodes: Node[] = [];
  /** With how much calmer the weather is for them. */
  readonly #visitors = new Map<Host, number>();
  #weather: Weather = FAIR;
  #started = 0;
  #stormy = false;

  constructor(sim: Sim, services?: Services) {
    this.#sim = sim;
    this.stores = openStores(sim, services);
  }

  /** Opens so many nodes in fair weather. */
  async open(count: number): Promise<void> {
    for (let i = 0; i < count; i++) this.#nodes.push(await this.#start());
  }

  /** Lets faults begin. */
  storm(): void {
    this.#stormy = true;
    this.#weather = weatherOf(this.#sim);
    this.#blow();
  }

  /** Lets them end: only what is under way already may still go wrong. */
  calm(): void {
    this.#stormy = false;
    this.#weather = FAIR;
    this.#blow();
  }

  #blow(): void {
    for (const { host } of this.#nodes) host.weather = this.#weather;
    for (const [host, calm] of this.#visitors) host.weather = this.#weatherOf(calm);
  }

  #weatherOf(calm: number): Weather {
    return { ...this.#weather, rate: this.#weather.rate / calm };
  }

  /**
   * Starts a process that serves nobody, until it leaves. Its calls meet the faults of the nodes',
   * so many times as seldom.
   */
  visitor(name: string, calm: number): Host {
    const host = new Host(this.#sim, name);
    host.weather = this.#weatherOf(calm);
    this.#visitors.set(host, calm);
    return host;
  }

  leave(host: Host): void {
    this.#visitors.delete(host);
  }

  get stormy(): boolean {
    return this.#stormy;
  }

  any(): Node {
    return this.#sim.pick(this.#nodes);
  }

  /** Ends a node and starts its successor, which takes its place when it is up. */
  async replace(node: Node): Promise<void> {
    if (!node.host.alive) return;
    node.host.crash();
    if (this.#sim.chance(0.5)) await this.stores.restart();
    await this.#sim.sleep(this.#sim.spanMs(10, 3_000));
    const successor = await this.#start();
    this.#nodes[this.#nodes.indexOf(node)] = successor;
  }

  /** A process that cannot start ends, and its supervisor starts another. */
  async #start(): Promise<Node> {
    for (;;) {
      const host = new Host(this.#sim, `node${++this.#started}`);
      try {
        const node = await openNode(this.#sim, host, this.stores);
        host.weather = this.#weather;
        this.#sim.log(`${host.name} is up`);
        return node;
      } catch (error) {
        this.#sim.log(`${host.name} did not start: ${String(error)}`);
        host.crash();
        await this.#sim.sleep(100);
      }
    }
  }
}
