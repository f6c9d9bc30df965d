import { expect, it } from "vitest";
import type { WriterId } from "../../../src/base/ids.ts";
import { LIMITS } from "../../../src/base/limits.ts";
import { createMetrics } from "../../../src/base/metrics.ts";
import { MemoryBlobStore } from "../../../src/blob/memory.ts";
import { jobKeys } from "../../../src/catalog/jobs.ts";
import { CATALOG_LIMITS } from "../../../src/catalog/limits.ts";
import { HistoryPin } from "../../../src/catalog/pins.ts";
import { Engine, LsmMetrics, MemoryBudget, ObjectWalStore, Shard } from "../../../src/lsm/index.ts";
import { nodeIdentity } from "../../../src/runtime/node-identity.ts";
import { shardPrefix } from "../../../src/runtime/shard-parts.ts";
import { SERVICE_LIMITS } from "../../../src/service/limits.ts";
import { Mortal } from "../../support/mortal.ts";
import { ACTOR, testStores } from "../../support/open-catalog.ts";
import { openTestIceberg, type TestIceberg } from "../../support/open-iceberg.ts";
import { VirtualClock } from "../../support/virtual-clock.ts";

const PLACE = { catalog: { name: "c" } };
const REF = { catalog: "c", path: ["a"], name: "t" };
const MINUTE = 60_000;
const ROWS = 40;

/** Stores that outlive the processes over them. */
class World {
  readonly clock = new VirtualClock();
  readonly stores = testStores({ clock: this.clock });
  readonly files = new MemoryBlobStore(this.clock);
  readonly #open: Shard[] = [];
  #nodes = 0;

  /** A process that ends before its n-th call to a store. */
  async start(mortal: Mortal): Promise<TestIceberg> {
    const { clock, stores } = this;
    const node = `n${++this.#nodes}`;
    const budget = MemoryBudget.within(64 * 1_048_576);
    const metrics = new LsmMetrics(createMetrics(), budget);
    const store = mortal.files(this.files);
    const openRowShard = async (name: string): Promise<Shard> => {
      const prefix = shardPrefix(name);
      const { prng } = stores;
      const shard = await Shard.open({
        clock,
        node: nodeIdentity({ nodeId: node, url: "", prng, oneHost: true }),
        takeOver: "takeover",
        open: (identity, takeOver) =>
          Engine.open({
            store,
            clock,
            prng,
            prefix,
            budget,
            takeOver,
            node: identity,
            wal: new ObjectWalStore(store, { clock, prng, prefix: `${prefix}wal/` }),
            metrics: { of: metrics, shard: name },
            options: { gcMinAgeMs: 0 },
          }),
      });
      this.#open.push(shard);
      return shard;
    };
    const parts = { ...stores, pointers: mortal.pointers(stores.pointers) };
    return await openTestIceberg(parts, undefined, { openRowShard });
  }

  /** Over virtual time, which leases and retries need. */
  async within<T>(work: Promise<T>): Promise<T> {
    let isOver = false;
    const done = work.finally(() => {
      isOver = true;
    });
    done.catch(() => undefined);
    for (let i = 0; i < 2_000 && !isOver; i++) await this.clock.advance(200);
    if (!isOver) throw new Error("it does not end");
    return await done;
  }
}

async function rowsOf(node: TestIceberg): Promise<readonly (readonly unknown[])[]> {
  const { store, id } = await node.rows.open(ACTOR, REF);
  return await store.run(
    async (tx) => {
      const found: unknown[][] = [];
      const table = await tx.tables.get(id);
      for (let n = 0; n <= ROWS; n++) {
        const row = await tx.get(table, [n]);
        if (row !== undefined) found.push([...row]);
      }
      for (const { id: index } of table.indexes) {
        const { missing, extra, wrong } = await tx.checkIndex(table, index);
        expect(missing + extra + wrong).toBe(0);
      }
      return found;
    },
    { readOnly: true, isolation: "repeatable read" },
  );
}

async function add(node: TestIceberg, n: number): Promise<void> {
  const { store, id } = await node.rows.open(ACTOR, REF);
  await store.run(async (tx) => {
    await tx.put(await tx.tables.get(id), [n, `later ${n}`]);
  });
}

async function findings(node: TestIceberg, world: World): Promise<readonly string[]> {
  const found: string[] = [];
  const scratch = new MemoryBlobStore(world.clock);
  for await (const { code } of node.fsck(scratch).run()) found.push(code);
  // A write that was killed leaves its payload to the collector.
  return found.filter((code) => code !== "PAYLOAD_ORPHANED");
}

/** A table in a first shard, and the job that is to move it. */
async function prepared(): Promise<World> {
  const world = new World();
  const node = await world.start(new Mortal(Number.POSITIVE_INFINITY));
  await node.model.namespaces.create(ACTOR, PLACE, ["a"], {});
  const made = node.rows.create(
    ACTOR,
    { catalog: "c", path: ["a"] },
    {
      name: "t",
      columns: [
        { name: "id", type: { kind: "int4" } },
        { name: "v", type: { kind: "text" }, nullable: true },
      ],
      primaryKey: { parts: [{ column: "id" }] },
      indexes: [{ name: "t_v", parts: [{ column: "v" }] }],
    },
  );
  const { store, id } = await world.within(made);
  const rows = Array.from({ length: ROWS }, (_, n) => [n, `v${n % 3}`]);
  const fill = store.run(async (tx) => await tx.insert(await tx.tables.get(id), rows));
  await world.within(fill);
  await world.within(node.model.rowShards.create(ACTOR, PLACE, "hot"));
  const place = { ...PLACE, namespace: { path: ["a"] }, relation: { name: "t" } };
  await world.within(node.model.rows.move(ACTOR, place, { shard: "hot" }));
  return world;
}

/** As in a store that was restored: backups have no such jobs. */
async function forgetJobs({ catalog }: TestIceberg, { stores }: World): Promise<void> {
  const { account } = catalog.context;
  for (const job of (await catalog.jobs.list()).items) {
    const items = await stores.pointers.getMany(jobKeys(account, job.id, job.dueMs));
    const live = items.filter((item) => item.state === "live");
    const ops = live.map(({ key, version }) => ({ op: "delete" as const, key, expected: version }));
    await stores.pointers.commit({ writerId: stores.ids.mint<WriterId>(), ops });
  }
}

/** Rows and entries that the first shard still has. */
async function leftIn(node: TestIceberg, first: string): Promise<number> {
  const engine = await node.model.rowShards.opened(ACTOR, first);
  let count = 0;
  const from = Buffer.from("0100000010", "hex");
  for await (const batch of engine?.scan({ from }) ?? []) count += batch.length;
  return count;
}

it.each([
  ["ends", false],
  ["whose job is gone is ended by who opens the shard", true],
])(
  "a move that is killed before any call to a store %s, and loses nothing",
  async (_, isGone) => {
    const lasting = (): Mortal => new Mortal(Number.POSITIVE_INFINITY);
    let kills = 0;
    let moved = 0;
    for (let at = 0; ; at++) {
      const world = await prepared();
      const dying = new Mortal(at);
      const node = await world.within(world.start(dying)).catch(() => undefined);
      if (node !== undefined) await world.within(node.runner.runDue()).catch(() => undefined);
      const isKilled = dying.ended;
      if (isKilled) kills++;

      await world.clock.advance(CATALOG_LIMITS.jobLeaseMs + LIMITS.clockSkewMs);
      const next = await world.within(world.start(lasting()));
      if (isGone) await forgetJobs(next, world);
      // Before the job goes on.
      expect(await world.within(findings(next, world))).toEqual([]);
      for (let i = 0; i < 4 && !isGone; i++) {
        await world.within(next.runner.runDue());
        await world.clock.advance(2 * MINUTE);
      }
      await world.within(add(next, ROWS));
      const rows = await world.within(rowsOf(next));
      expect(rows.length, `killed at call ${at}`).toBe(ROWS + 1);
      expect(await world.within(findings(next, world))).toEqual([]);
      const { entity } = await next.catalog.tables.get(REF);
      if (entity.shard !== undefined) moved++;
      if (!isGone) expect(await leftIn(next, entity.catalogId)).toBe(0);
      if (!isKilled) break;
    }
    if (isGone) expect(moved).toBeGreaterThan(0);
    else expect(moved).toBe(kills + 1);
    expect(kills).toBeGreaterThan(20);
  },
  120_000,
);

async function runDue(node: TestIceberg, world: World): Promise<void> {
  await world.within(node.runner.runDue());
  await world.clock.advance(2 * MINUTE);
}

it("the old rows stay while a backup is taken that may have read of them", async () => {
  const world = await prepared();
  const node = await world.within(world.start(new Mortal(Number.POSITIVE_INFINITY)));
  const { account, clock, ids } = node.catalog.context;
  const { blobs } = world.stores;
  const first = (await node.catalog.tables.get(REF)).entity.catalogId;
  const id = ids.mint<WriterId>();
  const pin = await HistoryPin.take(blobs, clock, account, { id, sinceMs: clock.nowMs() });
  for (let i = 0; i < 2; i++) await runDue(node, world);
  expect((await node.catalog.tables.get(REF)).entity.shard).toBeDefined();
  // A row and its entry each.
  expect(await leftIn(node, first)).toBe(2 * ROWS);
  await pin.release();
  await world.clock.advance(SERVICE_LIMITS.jobRetryCapMs);
  await runDue(node, world);
  expect(await leftIn(node, first)).toBe(0);
});

it("a job that is cancelled, or whose table is dropped, leaves no copy", async () => {
  for (const how of ["cancel", "drop"]) {
    const world = await prepared();
    const dying = new Mortal(45);
    const begun = await world.within(world.start(dying));
    await world.within(begun.runner.runDue()).catch(() => undefined);
    const node = await world.within(world.start(new Mortal(Number.POSITIVE_INFINITY)));
    const [job] = (await node.catalog.jobs.list()).items;
    const { entity } = await node.catalog.tables.get(REF);
    if (job === undefined) throw new Error("no job");
    if (how === "cancel") await node.catalog.jobs.cancel(job.id);
    else await node.catalog.tables.drop(ACTOR, REF, { purgeRequested: false });
    await world.clock.advance(CATALOG_LIMITS.jobLeaseMs + LIMITS.clockSkewMs);
    await runDue(node, world);
    const ended = await node.catalog.jobs.get(job.id);
    const code = how === "cancel" ? "JOB_CANCELLED" : "TABLE_NOT_FOUND";
    expect([ended?.step, ended?.lastFailure]).toEqual(["done", code]);
    const [, target = ""] = job.step.split(" ");
    expect(await leftIn(node, target)).toBe(0);
    expect(await leftIn(node, entity.catalogId)).toBe(2 * ROWS);
    if (how === "cancel") await world.within(add(node, ROWS));
  }
});
