import { describe, expect, it } from "vitest";
import { JobLease } from "../../../src/catalog/jobs.ts";
import type { Job } from "../../../src/catalog/model.ts";
import type { Engine } from "../../../src/lsm/index.ts";
import type { IndexSpec, RowStore } from "../../../src/rows/index.ts";
import { RowIndexJobs } from "../../../src/service/rows/row-index-jobs.ts";
import { ACTOR } from "../../support/open-catalog.ts";
import { openRowNode } from "./open-row-node.ts";

const NS = { catalog: "c", path: ["a"] } as const;
const SPEC: IndexSpec = { name: "v_idx", parts: [{ column: "v" }] };
const ROWS = 1_300;

async function world(count: number = ROWS) {
  const { clock, node, shards } = await openRowNode();
  await node.model.namespaces.create(ACTOR, { catalog: { name: "c" } }, ["a"], {});
  const open = await node.rows.create(ACTOR, NS, {
    name: "t",
    columns: [
      { name: "id", type: { kind: "int4" } },
      { name: "v", type: { kind: "text" } },
    ],
    primaryKey: { parts: [{ column: "id" }] },
  });
  await open.store.run(async (tx) => {
    const table = await tx.tables.get(open.id);
    await tx.insert(
      table,
      Array.from({ length: count }, (_, id) => [id, `v${id}`]),
    );
  });
  const jobs = async (): Promise<readonly Job[]> =>
    (await node.catalog.jobs.list()).items.filter(({ kind }) => kind === "build-index");
  const stateOf = async (store: RowStore): Promise<string | undefined> => {
    const table = await store.run((tx) => tx.tables.get(open.id), { readOnly: true });
    return table.indexes[0]?.state;
  };
  return { clock, node, open, shards, jobs, stateOf };
}

describe("the build of an index of a row table", () => {
  it("is a job that tells how far it has come, and that is over with it", async () => {
    const { node, open, jobs, stateOf } = await world();
    await node.indexes.build(ACTOR, open, SPEC);
    expect(await stateOf(open.store)).toBe("public");
    expect(await jobs()).toMatchObject([
      { kind: "build-index", step: "done", subject: { type: "table", id: open.id } },
    ]);
    const [report] = await node.indexes.check(ACTOR, open, {});
    expect(report).toMatchObject({ rows: ROWS, entries: ROWS, missing: 0, extra: 0, wrong: 0 });
  });

  it("ends with its error where two rows have one key, and leaves no index", async () => {
    const { node, open, jobs, stateOf } = await world();
    await open.store.run(async (tx) => {
      await tx.insert(await tx.tables.get(open.id), [[9_999, "v3"]]);
    });
    const build = node.indexes.build(ACTOR, open, { ...SPEC, unique: true });
    await expect(build).rejects.toMatchObject({ context: { sqlState: "23505" } });
    expect(await stateOf(open.store)).toBeUndefined();
    expect(await jobs()).toMatchObject([{ step: "done", lastFailure: "ROW_DUPLICATE" }]);
  });

  it("is dropped where its caller gives up", async () => {
    const { node, open, jobs, stateOf } = await world();
    const stop = new AbortController();
    stop.abort(new Error("enough"));
    await expect(node.indexes.build(ACTOR, open, SPEC, stop.signal)).rejects.toThrow("enough");
    expect(await stateOf(open.store)).toBeUndefined();
    expect(await jobs()).toMatchObject([{ step: "done", lastFailure: "ROW_INDEX_BUILD_ENDED" }]);
  });

  it("goes on as a job where its node has died", async () => {
    const { clock, node, open, jobs, stateOf } = await world();
    class Died extends Error {}
    let steps = 0;
    const dying = {
      id: open.id,
      store: {
        clock,
        run: async (...args: Parameters<RowStore["run"]>) => {
          if (++steps === 3) throw new Died();
          return await open.store.run(...args);
        },
      } as unknown as RowStore,
    };
    await expect(node.indexes.build(ACTOR, dying, SPEC)).rejects.toThrow(Died);
    expect(await stateOf(open.store)).toBe("backfilling");
    const [left] = await jobs();
    expect(left).toMatchObject({ step: SPEC.name });
    await clock.advance(60_001);
    const lease = await node.catalog.jobs.take((left as Job).id);
    if (!(lease instanceof JobLease)) throw new Error("no lease");
    const work = new RowIndexJobs(node.catalog, node.rows);
    expect(await work.run(lease, new AbortController().signal)).toBe(true);
    expect(await stateOf(open.store)).toBe("public");
    const [report] = await node.indexes.check(ACTOR, open, { index: "v_idx" });
    expect(report).toMatchObject({ entries: ROWS, missing: 0, extra: 0, wrong: 0 });
  });

  it("is checked by its name, and mended", async () => {
    const { node, open, shards } = await world(5);
    await node.indexes.build(ACTOR, open, SPEC);
    const unknown = node.indexes.check(ACTOR, open, { index: "nope" });
    await expect(unknown).rejects.toMatchObject({ code: "ROW_INDEX_NOT_FOUND" });
    const [shard] = shards;
    const engine = (await shard?.engine()) as Engine;
    const from = Buffer.from("01000000100001", "hex");
    const keys: Buffer[] = [];
    for await (const batch of engine.scan({ from, limit: 100 })) {
      for (const { key } of batch) keys.push(Buffer.from(key));
    }
    for (const key of keys.filter((_, i) => i < 2)) await engine.delete(key);
    const place = {
      catalog: { name: "c" },
      namespace: { path: ["a"] },
      relation: { name: "t" },
    };
    const broken = await node.model.rows.check(ACTOR, place, { repair: false });
    expect(broken).toMatchObject({ agrees: false, indexes: [{ missing: 2 }] });
    const mended = await node.model.rows.check(ACTOR, place, { repair: true });
    expect(mended).toMatchObject({ agrees: false, indexes: [{ missing: 2 }] });
    expect(await node.model.rows.check(ACTOR, place, { repair: false })).toMatchObject({
      agrees: true,
    });
  });
});
