import { describe, expect, it } from "vitest";
import { FirnError } from "../../src/base/error.ts";
import { MemoryBlobStore } from "../../src/blob/memory.ts";
import { CATALOG_LIMITS } from "../../src/catalog/limits.ts";
import type { PointerStore } from "../../src/pointer/port.ts";
import type { JobInfo } from "../../src/service/jobs-admin.ts";
import { checkStore } from "../catalog/support/check-store.ts";
import { Mortal } from "../support/mortal.ts";
import { ACTOR, testStores } from "../support/open-catalog.ts";
import { openInMemory } from "../support/open-iceberg.ts";
import { SleepIsTime } from "../support/virtual-clock.ts";

const SCHEMA = { type: "struct", fields: [] };
const VIEW = {
  "version-id": 1,
  "schema-id": 0,
  "timestamp-ms": 1,
  summary: {},
  representations: [{ type: "sql", sql: "select 1", dialect: "spark" }],
  "default-namespace": ["a"],
};

type Node = Awaited<ReturnType<typeof openInMemory>>;

/** A tree in catalog `c`: `a` with tables, a view, children and grandchildren; `z` beside it. */
async function plant({ iceberg }: Node): Promise<void> {
  const paths = [["a"], ["a", "b"], ["a", "b", "c"], ["a", "d"], ["z"]];
  for (const namespace of paths) {
    await iceberg.createNamespace(ACTOR, { catalog: "c", namespace }, {});
    await createTable({ iceberg } as Node, namespace, "t");
  }
  await createTable({ iceberg } as Node, ["a"], "u");
  await iceberg.createView(
    ACTOR,
    { catalog: "c", namespace: ["a"] },
    {
      name: "v",
      schema: { ...SCHEMA, "schema-id": 0 },
      version: VIEW,
      properties: {},
    },
  );
}

async function createTable(
  { iceberg }: Node,
  namespace: readonly string[],
  name: string,
  stageCreate = false,
) {
  const request = { name, schema: SCHEMA, properties: {}, stageCreate };
  await iceberg.createTable(ACTOR, { catalog: "c", namespace: [...namespace] }, request);
}

const Z = { catalog: "c", path: ["z"], name: "t" };
const A = { catalog: { name: "c" }, namespace: { path: ["a"] } };

async function world() {
  const stores = testStores({ clock: new SleepIsTime() });
  const files = new MemoryBlobStore(stores.clock);
  const node = await openInMemory(stores, files);
  await plant(node);
  const open = (mortal?: Mortal, seed = 2) => {
    const ports = { ...testStores({ clock: stores.clock, seed }), blobs: stores.blobs };
    const pointers = mortal?.pointers(stores.pointers) ?? stores.pointers;
    const blobs = mortal?.files(stores.blobs) ?? stores.blobs;
    return openInMemory({ ...ports, blobs, pointers }, files, { catalog: "other" });
  };
  return { stores, node, open };
}

type World = Awaited<ReturnType<typeof world>>;

async function treeOf({ stores }: World): Promise<readonly string[]> {
  const tree = await checkStore(stores.pointers, stores.blobs);
  return tree.filter((line) => !line.startsWith("done"));
}

async function mustBeSound({ stores, node }: World): Promise<void> {
  const findings: unknown[] = [];
  for await (const finding of node.fsck(new MemoryBlobStore(stores.clock)).run(true)) {
    findings.push(finding);
  }
  expect(findings).toEqual([]);
}

/** Names of what is alive, in words. */
async function alive(of: World): Promise<readonly string[]> {
  const tree = await treeOf(of);
  return tree.filter((line) => line.startsWith("ACTIVE") || line.startsWith("DELETING"));
}

async function refusalOf(work: Promise<unknown>): Promise<string> {
  try {
    await work;
    return "";
  } catch (error) {
    if (error instanceof FirnError) return error.code;
    throw error;
  }
}

const settled = ({ state, progress, error }: JobInfo) => ({ state, progress, code: error?.code });

describe("a recursive delete of a namespace", () => {
  it("drops all that is in it, and each of it can come back", async () => {
    const of = await world();
    const { node } = of;
    const job = await node.model.namespaces.dropAll(ACTOR, A);
    expect(job).toMatchObject({ kind: "delete", state: "due", subjectType: "namespace" });
    const ref = { catalog: "c", path: ["a"] };
    expect(await refusalOf(node.catalog.namespaces.get(ref))).toBe("NAMESPACE_NOT_FOUND");
    expect(await refusalOf(createTable(node, ["a"], "new"))).toBe("NAMESPACE_DELETING");
    // Whatever way it comes: who wants to make something there is told why that cannot be.
    const { metadataLocation = "" } = (await node.catalog.tables.get(Z)).entity.iceberg ?? {};
    for (const refusal of [
      createTable(node, ["a"], "staged", true),
      ...[false, true].map((overwrite) =>
        node.iceberg.registerTable(
          ACTOR,
          { catalog: "c", namespace: ["a"] },
          { name: "registered", metadataLocation, overwrite },
        ),
      ),
    ]) {
      expect(await refusalOf(refusal)).toBe("NAMESPACE_DELETING");
    }
    await mustBeSound(of);
    await node.runner.runDue();
    await mustBeSound(of);
    const over = await node.jobsAdmin.get(ACTOR, job.id);
    // 5 tables and a view, 3 namespaces below, and itself.
    expect(settled(over)).toEqual({
      state: "over",
      progress: { done: 10, total: 10, unit: "things" },
      code: undefined,
    });
    expect(await alive(of)).toEqual([
      expect.stringContaining("ACTIVE account"),
      expect.stringContaining("ACTIVE catalog"),
      expect.stringContaining("ACTIVE namespace"),
      expect.stringContaining("ACTIVE table"),
    ]);
    const { items } = await node.dropped.list(ACTOR);
    expect(items).toHaveLength(10);
    const namespace = items.find(({ type, name }) => type === "namespace" && name === "a");
    await node.dropped.undrop(ACTOR, namespace?.id ?? "");
    const table = items.find(({ type, name }) => type === "table" && name === "u");
    await node.dropped.undrop(ACTOR, table?.id ?? "");
    expect((await node.catalog.tables.get({ ...ref, name: "u" })).entity.id).toBe(table?.id);
    await mustBeSound(of);
  });

  it("keeps the job's record for seven days, and then forgets it", async () => {
    const { node, stores } = await world();
    const { id } = await node.model.namespaces.dropAll(ACTOR, A);
    await node.runner.runDue();
    await stores.clock.sleep(CATALOG_LIMITS.jobKeptMs - 1_000);
    await node.runner.runDue();
    expect((await node.jobsAdmin.get(ACTOR, id)).state).toBe("over");
    const { items } = await node.jobsAdmin.list(ACTOR);
    expect(items.map((job) => job.id)).toContain(id);
    expect(await refusalOf(node.jobsAdmin.retry(ACTOR, id))).toBe("JOB_OVER");
    expect(await refusalOf(node.jobsAdmin.cancel(ACTOR, id))).toBe("JOB_OVER");
    await stores.clock.sleep(2_000);
    await node.runner.runDue();
    expect(await refusalOf(node.jobsAdmin.get(ACTOR, id))).toBe("JOB_NOT_FOUND");
  });
});

describe("a recursive delete that is refused", () => {
  it("begins with nothing where something in it is protected, and says what", async () => {
    const of = await world();
    const { node } = of;
    // What lies beside it would be dropped first.
    const last = { ...A, relation: { name: "u" } };
    await node.model.tables.update(ACTOR, last, { patch: { protected: true } });
    const before = await alive(of);
    const { id } = await node.model.namespaces.dropAll(ACTOR, A);
    await node.runner.runDue();
    const over = await node.jobsAdmin.get(ACTOR, id);
    expect(settled(over)).toMatchObject({ state: "over", code: "PROTECTED" });
    expect(over.error?.message).toContain("a.u");
    expect(await alive(of)).toEqual(before);
    await mustBeSound(of);
    await createTable(node, ["a"], "again");
  });

  it("is refused at once where it is protected itself, or another version", async () => {
    const { node } = await world();
    await node.model.namespaces.update(ACTOR, A, { patch: { protected: true } });
    expect(await refusalOf(node.model.namespaces.dropAll(ACTOR, A))).toBe("PROTECTED");
    const stale = { ifMatch: ['"1-none"'] };
    expect(await refusalOf(node.model.namespaces.dropAll(ACTOR, A, stale))).toBe(
      "PRECONDITION_FAILED",
    );
  });

  it("changes nothing in a dry run, and once under a client's key", async () => {
    const of = await world();
    const { node } = of;
    const before = await treeOf(of);
    await node.model.namespaces.dropAll({ ...ACTOR, dryRun: true }, A);
    expect(await treeOf(of)).toEqual(before);
    const keyed = () => ({
      ...ACTOR,
      idempotency: { key: "k", requestHash: new Uint8Array(32), replayed: false },
    });
    const first = await node.model.namespaces.dropAll(keyed(), A);
    await node.runner.runDue();
    const again = await node.model.namespaces.dropAll(keyed(), A);
    expect(again).toMatchObject({ id: first.id, state: "over" });
  });
});

describe("a recursive delete beside others", () => {
  it("is not starved by one who keeps moving tables into it", async () => {
    const of = await world();
    const { node, stores } = of;
    let made = 0;
    const refusals = new Set<string>();
    const inner = stores.pointers;
    const meddling = {
      ...wrapped(inner),
      commit: async (batch: Parameters<typeof inner.commit>[0]) => {
        const done = await inner.commit(batch);
        const name = `n${made++}`;
        await createTable(node, ["z"], name);
        const from = { namespace: ["z"], table: name };
        const to = { namespace: ["a", "b"], table: name };
        const refusal = await refusalOf(
          node.iceberg.renameTable(ACTOR, { catalog: "c", from, to }),
        );
        refusals.add(refusal);
        return done;
      },
    };
    const ports = testStores({ clock: stores.clock, seed: 9 });
    const other = await openInMemory(
      { ...ports, blobs: stores.blobs, pointers: meddling },
      new MemoryBlobStore(stores.clock),
    );
    const { id } = await node.model.namespaces.dropAll(ACTOR, A);
    await other.runner.runDue();
    expect(settled(await node.jobsAdmin.get(ACTOR, id))).toMatchObject({ state: "over" });
    expect(made).toBeGreaterThan(5);
    expect(refusals).toContain("NAMESPACE_DELETING");
    const left = await alive(of);
    expect(left.filter((line) => line.includes('"a"'))).toEqual([]);
  });
});

function wrapped(inner: World["stores"]["pointers"]): World["stores"]["pointers"] {
  return {
    get: (key) => inner.get(key),
    getMany: (keys) => inner.getMany(keys),
    list: (directory, options) => inner.list(directory, options),
    commit: (batch) => inner.commit(batch),
    sweep: (...of) => inner.sweep(...of),
    forget: (key, version) => inner.forget(key, version),
  };
}

describe("a recursive delete of a catalog", () => {
  it("drops all namespaces and the catalog", async () => {
    const of = await world();
    const { node } = of;
    const { id } = await node.model.catalogs.dropAll(ACTOR, { catalog: { name: "c" } });
    expect(await refusalOf(node.catalog.catalogs.get("c"))).toBe("CATALOG_NOT_FOUND");
    const create = node.iceberg.createNamespace(ACTOR, { catalog: "c", namespace: ["n"] }, {});
    expect(await refusalOf(create)).toBe("CATALOG_DELETING");
    await node.runner.runDue();
    expect(settled(await node.jobsAdmin.get(ACTOR, id))).toMatchObject({
      state: "over",
      progress: { done: 13, total: 13 },
    });
    expect(await alive(of)).toEqual([expect.stringContaining("ACTIVE account")]);
    await mustBeSound(of);
  });

  it("ends the job of a namespace in it, whose root it drops", async () => {
    const of = await world();
    const { node } = of;
    const inner = await node.model.namespaces.dropAll(ACTOR, A);
    const outer = await node.model.catalogs.dropAll(ACTOR, { catalog: { name: "c" } });
    await node.runner.run(outer.id);
    expect(await alive(of)).toEqual([expect.stringContaining("ACTIVE account")]);
    await node.runner.run(inner.id);
    for (const { id } of [inner, outer]) {
      expect(settled(await node.jobsAdmin.get(ACTOR, id))).toMatchObject({ state: "over" });
    }
    await mustBeSound(of);
  });
});

describe("a name that becomes free while it is asked for", () => {
  it.each(["namespace", "catalog"])("is given to who asked: a %s", async (type) => {
    const of = await world();
    const { node, stores } = of;
    let drop: (() => Promise<void>) | undefined = async () => {
      if (type === "namespace") await node.model.namespaces.dropAll(ACTOR, A);
      else await node.model.catalogs.dropAll(ACTOR, { catalog: { name: "c" } });
      await node.runner.runDue();
    };
    // The first single read is of what has the name, once the name itself was read.
    const late: PointerStore = {
      ...new Mortal(Number.POSITIVE_INFINITY).pointers(stores.pointers),
      get: async (key) => {
        const free = key.includes(`/${type}s/by-id/`) ? drop : undefined;
        if (free !== undefined) drop = undefined;
        await free?.();
        return stores.pointers.get(key);
      },
    };
    const ports = { ...testStores({ clock: stores.clock, seed: 7 }), blobs: stores.blobs };
    const files = new MemoryBlobStore(stores.clock);
    const other = await openInMemory({ ...ports, pointers: late }, files, { catalog: "other" });
    if (type === "namespace") {
      await other.iceberg.createNamespace(ACTOR, { catalog: "c", namespace: ["a"] }, {});
    } else await other.model.catalogs.create(ACTOR, { name: "c" });
    expect(drop).toBeUndefined();
    await mustBeSound(of);
  });
});

/** Lets a node run until it ends at a call; answers whether it came that far. */
async function killAt(of: World, call: number): Promise<boolean> {
  const start = new Mortal(Number.POSITIVE_INFINITY);
  await of.open(start);
  const mortal = new Mortal(start.calls + call);
  const doomed = await of.open(mortal, 3);
  await doomed.runner.runDue().catch(() => undefined);
  return mortal.ended;
}

describe("a recursive delete whose node is killed", () => {
  it("comes to the same end from any call, by another node", async () => {
    const whole = await world();
    await whole.node.model.catalogs.dropAll(ACTOR, { catalog: { name: "c" } });
    await whole.node.runner.runDue();
    await whole.open();
    const expected = await treeOf(whole);
    let kills = 0;
    for (let call = 0; ; call++) {
      const of = await world();
      const { id } = await of.node.model.catalogs.dropAll(ACTOR, { catalog: { name: "c" } });
      if (!(await killAt(of, call))) break;
      kills++;
      await treeOf(of);
      await of.stores.clock.sleep(CATALOG_LIMITS.jobLeaseMs);
      await (await of.open()).runner.runDue();
      expect(await treeOf(of), `call ${call}`).toEqual(expected);
      expect((await of.node.jobsAdmin.get(ACTOR, id)).progress?.done).toBe(13);
    }
    expect(kills).toBeGreaterThan(100);
  }, 60_000);

  it("can be called off at any call: what is left is found again, with all it had", async () => {
    let undone = 0;
    let over = 0;
    for (let call = 0; ; call += 7) {
      const of = await world();
      const { id } = await of.node.model.namespaces.dropAll(ACTOR, A);
      const killed = await killAt(of, call);
      const refusal = await refusalOf(of.node.jobsAdmin.cancel(ACTOR, id));
      await (await of.open()).runner.runDue();
      const lines = await alive(of);
      expect(lines.filter((line) => line.startsWith("DELETING"))).toEqual([]);
      const { error } = await of.node.jobsAdmin.get(ACTOR, id);
      if (refusal === "") {
        undone++;
        expect(error?.code).toBe("JOB_CANCELLED");
        await createTable(of.node, ["a"], "after");
      } else {
        over++;
        expect([refusal, error]).toEqual(["JOB_OVER", undefined]);
      }
      if (!killed) break;
    }
    expect(undone).toBeGreaterThan(10);
    expect(over).toBe(1);
  }, 60_000);
});
