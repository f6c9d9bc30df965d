import { describe, expect, it } from "vitest";
import { FirnError } from "../../../src/base/error.ts";
import { createMetrics } from "../../../src/base/metrics.ts";
import { MemoryBlobStore } from "../../../src/blob/memory.ts";
import { LsmMetrics, MemoryBudget, type Shard } from "../../../src/lsm/index.ts";
import type { PointerStore } from "../../../src/pointer/port.ts";
import type { TableChange } from "../../../src/rows/index.ts";
import { openMemoryShard } from "../../../src/runtime/memory-shard.ts";
import { ACTOR, testStores } from "../../support/open-catalog.ts";
import { openTestIceberg } from "../../support/open-iceberg.ts";

const NS = { catalog: "c", path: ["a"] } as const;
const REF = { ...NS, name: "t" } as const;
const INT = { kind: "int4" } as const;
const REQUEST = {
  name: "t",
  columns: [
    { name: "id", type: INT },
    { name: "v", type: { kind: "varchar", length: 3 } },
  ],
  primaryKey: { parts: [{ column: "id" }] },
} as const;

/** Nodes over the same stores and shard, whose catalog may refuse to be written. */
async function world() {
  const stores = testStores();
  const { pointers, clock, prng } = stores;
  const catalog = { isDown: false };
  const faulty: PointerStore = {
    get: (key) => pointers.get(key),
    getMany: (keys) => pointers.getMany(keys),
    list: (directory, options) => pointers.list(directory, options),
    forget: (key, version) => pointers.forget(key, version),
    sweep: (prefix) => pointers.sweep(prefix),
    commit: async (batch) => {
      if (catalog.isDown) throw new FirnError("Internal", "STORE_DOWN", "not sent");
      return await pointers.commit(batch);
    },
  };
  const blobs = new MemoryBlobStore(clock);
  const budget = MemoryBudget.within(64 * 1_048_576);
  const metrics = new LsmMetrics(createMetrics(), budget);
  let shard: Promise<Shard> | undefined;
  const openRowShard = (name: string): Promise<Shard> => {
    shard ??= openMemoryShard(blobs, { clock, prng, nodeId: "n", budget, metrics, shard: name });
    return shard;
  };
  const openNode = async () =>
    await openTestIceberg({ ...stores, pointers: faulty }, undefined, { openRowShard });
  const node = await openNode();
  await node.model.namespaces.create(ACTOR, { catalog: { name: "c" } }, ["a"], {});
  const { store, id } = await node.rows.create(ACTOR, NS, REQUEST);
  const alter = async (change: TableChange): Promise<unknown> =>
    await store.run((tx) => tx.alter(id, change));
  const shown = async (): Promise<readonly string[]> => {
    const { entity } = await node.catalog.tables.get(REF);
    return (entity.columns ?? []).map(
      (one) => `${one.fieldId} ${one.name} ${one.type}${one.nullable ? "" : " not null"}`,
    );
  };
  const findings = async (): Promise<readonly string[]> => {
    const found: string[] = [];
    for await (const { code } of node.fsck(new MemoryBlobStore(clock)).run()) found.push(code);
    return found;
  };
  return { node, openNode, alter, shown, findings, catalog, store, id };
}

const ADD: TableChange = { kind: "add column", column: { name: "n", type: INT } };

describe("the columns that the catalog shows of a row table", () => {
  it("are those of its rows, behind each change", async () => {
    const { alter, shown, findings } = await world();
    expect(await shown()).toEqual(["1 id int4 not null", "2 v varchar(3)"]);
    await alter(ADD);
    await alter({ kind: "rename column", column: "v", name: "w" });
    await alter({ kind: "widen", column: "w", type: { kind: "text" } });
    expect(await shown()).toEqual(["1 id int4 not null", "2 w text", "3 n int4"]);
    await alter({ kind: "drop column", column: "w" });
    await alter({ kind: "set not null", column: "n" });
    expect(await shown()).toEqual(["1 id int4 not null", "3 n int4 not null"]);
    expect(await findings()).toEqual([]);
  });

  it("follow when the catalog was down: with the next change, or after a restart", async () => {
    const { node, openNode, alter, shown, findings, catalog } = await world();
    const before = await shown();
    catalog.isDown = true;
    await alter(ADD);
    catalog.isDown = false;
    expect(await shown()).toEqual(before);
    expect(await findings()).toEqual(["ROW_COLUMNS_MISMATCH"]);
    await node.rows.create(ACTOR, NS, { ...REQUEST, name: "u" });
    expect(await shown()).toEqual(before);
    const next = await openNode();
    await next.rows.create(ACTOR, NS, { ...REQUEST, name: "w" });
    expect(await shown()).toEqual([...before, "3 n int4"]);
    catalog.isDown = true;
    await alter({ kind: "drop column", column: "n" });
    catalog.isDown = false;
    await alter({ kind: "rename column", column: "v", name: "w" });
    expect(await shown()).toEqual(["1 id int4 not null", "2 w varchar(3)"]);
    expect(await findings()).toEqual([]);
  });

  it("are the newest ones after changes at once", async () => {
    const { alter, shown, findings, store, id } = await world();
    const names = Array.from({ length: 12 }, (_, i) => `n${i}`);
    await Promise.all(
      names.map((name) => alter({ kind: "add column", column: { name, type: INT } })),
    );
    expect((await shown()).length).toBe(14);
    expect(await findings()).toEqual([]);
    const due = await store.run((tx) => tx.tables.unpublished(), { readOnly: true });
    expect(due).toEqual([]);
    const lost = await store.begin();
    await lost.alter(id, { kind: "drop column", column: "v" });
    lost.rollback();
    expect((await shown()).length).toBe(14);
  });
});
