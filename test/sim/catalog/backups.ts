import { FirnError } from "../../../src/base/error.ts";
import { sha256Hex } from "../../../src/base/hash.ts";
import { IdSource } from "../../../src/base/ids.ts";
import { MemoryBlobStore } from "../../../src/blob/memory.ts";
import type { BlobStore } from "../../../src/blob/port.ts";
import { KEY_FAMILIES } from "../../../src/catalog/keys.ts";
import { shaOfPath } from "../../../src/catalog/paths.ts";
import { MemoryPointerStore } from "../../../src/pointer/memory.ts";
import type { PointerStore } from "../../../src/pointer/port.ts";
import { OWN_ACTOR } from "../../../src/service/actor.ts";
import { restoreBeside } from "../../../src/service/backup/beside.ts";
import { findBackup } from "../../../src/service/backup/format.ts";
import { restoreBackup } from "../../../src/service/backup/restore.ts";
import { takeBackup } from "../../../src/service/backup/take.ts";
import { Fsck } from "../../../src/service/fsck/fsck.ts";
import { entityHash } from "../../support/entity-hash.ts";
import type { Host } from "../harness/host.ts";
import { type Sim, Violation } from "../harness/sim.ts";
import { mustEqual, overlaid, type Restored } from "./beside.ts";
import { CATALOG, type Cluster, openNode } from "./cluster.ts";
import { heldBy } from "./ledger.ts";

/** Processes that may end before one comes to the end of a backup or a restore. */
const MAX_PROCESSES = 40;
/** From here on they meet no fault: hundreds of calls never get through the worst weather. */
const FAIR_FROM = 20;
/** A backup makes hundreds of calls, where a request of a user makes a few. */
const CALM = 20;
/** Name of a catalog that is made again beside the original. */
const BESIDE = "beside";
/** How often a process ends, or its clock is set, while it works. */
const TROUBLE = 0.3;

/** A process of an operator, which works until it is done or ends. */
type Work = (host: Host) => Promise<void>;

/**
 * Backups to one location that grows, and restores over empty stores, by processes that meet every
 * fault. What is restored has to hold together, has to hold whole batches alone, and nothing that
 * was not there between the begin of the backup and its end.
 */
export class Backups {
  readonly #sim: Sim;
  readonly #cluster: Cluster;
  readonly #target: BlobStore;
  #processes = 0;

  constructor(sim: Sim, cluster: Cluster) {
    this.#sim = sim;
    this.#cluster = cluster;
    this.#target = new MemoryBlobStore(sim.clock);
  }

  /** Takes a backup while others write, and restores it. */
  async beside(): Promise<void> {
    const { ledger } = this.#cluster.stores;
    await this.#sim.sleep(this.#sim.spanMs(1, 5_000));
    const from = ledger.length;
    const id = await this.#take();
    const to = ledger.length;
    const restored = await this.#restore(id);
    ledger.mustHold(await heldBy(restored.pointers), from, to);
    this.#sim.log(`backup ${id} of batches ${from} to ${to} is restored`);
  }

  /** Takes a backup while nobody writes: it restores to an equal catalog. */
  async still(): Promise<void> {
    const id = await this.#take();
    const restored = await this.#restore(id);
    const [was, is] = [
      await entityHash(this.#whole(this.#cluster.stores.pointers)),
      await entityHash(restored.pointers),
    ];
    this.#sim.must(was.hash === is.hash, () => `${id} restores to another catalog`);
    this.#sim.coverage.note("backups equal to a catalog at rest");
    if (this.#sim.chance(0.5)) await this.#again(id, restored);
  }

  /** Makes the catalog again beside itself, in the restored store: nodes serve the other one. */
  async #again(id: string, restored: Restored): Promise<void> {
    const { clock } = this.#sim;
    const { stores } = this.#cluster;
    const files = overlaid(stores.warehouse.store, new MemoryBlobStore(clock));
    const own = { ...stores, pointers: restored.pointers, payloads: restored.blobs };
    await this.#insist("restoreBeside", async (host) => {
      const node = await openNode(this.#sim, host, own, files);
      const { catalog, catalogs, copies } = node;
      const source = host.blobs(this.#target, "backups");
      const parts = {
        catalog,
        catalogs,
        copies,
        source,
        clock: host.clock,
        prng: this.#sim.fork(),
        scratch: new MemoryBlobStore(clock),
      };
      const scope = { catalog: CATALOG, as: BESIDE };
      try {
        const backup = await findBackup(source, id);
        const { leftOut } = await restoreBeside(parts, OWN_ACTOR, backup, scope);
        this.#sim.must(leftOut.length === 0, () => `left out: ${JSON.stringify(leftOut)}`);
      } catch (error) {
        // An earlier process was not told that it had come to the end.
        const done = error instanceof FirnError && error.code === "CATALOG_ALREADY_EXISTS";
        if (!done) throw error;
      }
    });
    await this.#mustBeWhole(restored);
    await mustEqual(this.#sim, restored, files, [CATALOG, BESIDE]);
    this.#sim.log(`backup ${id} is restored beside the original`);
  }

  /**
   * Without the derived pointers whose payload a lost attempt left torn: no backup has them. Those
   * of snapshots that their table still has are put over what another attempt had put.
   */
  #whole(pointers: PointerStore): Pick<PointerStore, "sweep"> {
    const { payloads } = this.#cluster.stores;
    return {
      sweep: async function* (prefix, options) {
        for await (const item of pointers.sweep(prefix, options)) {
          const path = item.state === "live" ? item.blobPath : undefined;
          if (path !== undefined && /\/snapshots\/by-(?:id|time)\//.test(item.key)) {
            const bytes = (await payloads.get(path))?.bytes ?? new Uint8Array();
            if (sha256Hex(bytes) !== shaOfPath(path)) continue;
          }
          yield item;
        }
      },
    };
  }

  /** @returns the id of the backup. */
  async #take(): Promise<string> {
    const { stores } = this.#cluster;
    let id = "";
    await this.#insist("backup", async (host) => {
      const ids = new IdSource(host.clock, this.#sim.fork());
      const parts = {
        pointers: this.#slow(host.pointers(stores.pointers)),
        blobs: host.blobs(stores.payloads, "payloads"),
        clock: host.clock,
        prng: this.#sim.fork(),
        ids,
        target: host.blobs(this.#target, "backups"),
        scratch: new MemoryBlobStore(this.#sim.clock),
        historyRetentionMs: stores.gc.historyRetentionMs,
      };
      ({ id } = await takeBackup(parts, OWN_ACTOR.account));
    });
    return id;
  }

  async #restore(id: string): Promise<Restored> {
    const { clock } = this.#sim;
    const pointers = new MemoryPointerStore({ families: KEY_FAMILIES, clock });
    const blobs = new MemoryBlobStore(clock);
    await this.#insist("restore", async (host) => {
      const ids = new IdSource(host.clock, this.#sim.fork());
      const source = host.blobs(this.#target, "backups");
      const backup = await findBackup(source, id);
      const parts = {
        pointers: host.pointers(pointers),
        blobs: host.blobs(blobs, "restored"),
        clock: host.clock,
        prng: this.#sim.fork(),
        ids,
        source,
        scratch: new MemoryBlobStore(this.#sim.clock),
      };
      await restoreBackup(parts, backup).catch((error: unknown) => {
        // An earlier process was not told that its last batch had come through.
        const done = error instanceof FirnError && error.code === "STORE_NOT_EMPTY";
        if (!done) throw error;
      });
    });
    const restored = { pointers, blobs };
    await this.#mustBeWhole(restored);
    return restored;
  }

  async #mustBeWhole(restored: Restored): Promise<void> {
    const { clock } = this.#sim;
    const scratch = new MemoryBlobStore(clock);
    const prng = this.#sim.fork();
    const ids = new IdSource(clock, prng);
    const check = new Fsck({ ...restored, clock, ids, prng, scratch });
    for await (const { code, level, subject } of check.run(false)) {
      // Lost attempts leave payloads, and derived pointers are those of the sweep, not of the cut.
      if (level === "damage") throw new Violation(`the restored store: ${code} ${subject}`);
    }
  }

  /** Starts one process after the other until one of them is done. */
  async #insist(operation: string, work: Work): Promise<void> {
    const { coverage } = this.#sim;
    for (let tries = 1; tries <= MAX_PROCESSES; tries++) {
      const calm = tries < FAIR_FROM ? CALM : Number.POSITIVE_INFINITY;
      const host = this.#cluster.visitor(`operator${++this.#processes}`, calm);
      const ended = this.#sim.during(operation, () =>
        work(host).then(
          () => "done",
          (error: unknown) => this.#saidBy(error),
        ),
      );
      ended.catch((error: unknown) => this.#sim.fail(error));
      this.#trouble(operation, host);
      const said = await Promise.race([ended, host.death.then(() => "crashed")]);
      this.#cluster.leave(host);
      this.#sim.log(`${host.name} ${operation}: ${said}`);
      coverage.note(`${operation}: ${said}`);
      if (said === "done") return;
      host.crash();
      await this.#sim.sleep(this.#sim.spanMs(100, 20_000));
    }
    throw new Violation(`${operation} does not come to its end`);
  }

  #trouble(operation: string, host: Host): void {
    const { coverage } = this.#sim;
    coverage.call(operation, "node");
    if (!this.#cluster.stormy || !this.#sim.chance(TROUBLE)) return;
    const crash = this.#sim.chance(0.5);
    void this.#sim.spawn(async () => {
      await this.#sim.sleep(this.#sim.spanMs(1, 10_000));
      if (!host.alive) return;
      coverage.inject(operation, "node", crash ? "crash" : "clockJump");
      if (crash) host.crash();
      else host.jumpClock();
    });
  }

  /** What an operator is told, who then runs it again. */
  #saidBy(error: unknown): string {
    if (!(error instanceof FirnError)) throw error;
    switch (error.kind) {
      case "Unknown":
      case "Unavailable":
      case "Overloaded":
        return error.code;
      case "Conflict":
      case "NotFound":
      case "AlreadyExists":
      case "Invalid":
      case "Corrupt":
      case "Internal":
      case "Forbidden":
      case "Unauthenticated":
        throw new Violation(`an operator is told ${error.code}: ${error.message}`);
    }
  }

  /** Sweeps and lists take their time: others write between what they see. */
  #slow(pointers: PointerStore): PointerStore {
    const sim = this.#sim;
    return {
      ...pointers,
      list: async (directory, options) => {
        if (sim.chance(0.05)) await sim.sleep(sim.spanMs(0.2, 1_000));
        return pointers.list(directory, options);
      },
      sweep: async function* (prefix, options) {
        for await (const item of pointers.sweep(prefix, options)) {
          if (sim.chance(0.1)) await sim.sleep(sim.spanMs(0.2, 400));
          yield item;
        }
      },
    };
  }
}
