import { expect, it } from "vitest";
import { LIMITS } from "../../../src/base/limits.ts";
import { CATALOG_LIMITS } from "../../../src/catalog/limits.ts";
import type { TableRef } from "../../../src/catalog/tables.ts";
import { killPoints, Mortal } from "../../support/mortal.ts";
import { ACTOR } from "../../support/open-catalog.ts";
import type { TestIceberg } from "../../support/open-iceberg.ts";
import { findings, forgetJobs, World } from "./row-world.ts";

const PLACE = { catalog: { name: "c" } };
export const REF: TableRef = { catalog: "c", path: ["a"], name: "t" };
const MINUTE = 60_000;
export const ROWS = 40;

export async function rowsOf(node: TestIceberg): Promise<readonly (readonly unknown[])[]> {
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

export async function add(node: TestIceberg, n: number): Promise<void> {
  const { store, id } = await node.rows.open(ACTOR, REF);
  await store.run(async (tx) => {
    await tx.put(await tx.tables.get(id), [n, `later ${n}`]);
  });
}

/** A table in a first shard, and the job that is to move it. */
export async function prepared(): Promise<World> {
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

/** Rows and entries that the first shard still has. */
export async function leftIn(node: TestIceberg, first: string): Promise<number> {
  const engine = await node.model.rowShards.opened(ACTOR, first);
  let count = 0;
  const from = Buffer.from("0100000010", "hex");
  for await (const batch of engine?.scan({ from }) ?? []) count += batch.length;
  return count;
}

export async function runDue(node: TestIceberg, world: World): Promise<void> {
  await world.within(node.runner.runDue());
  await world.clock.advance(2 * MINUTE);
}

/** Kills a move before one call of each `every`, and before none. */
export function describeMoveKills(every: number): void {
  it.each([
    ["ends", false],
    ["whose job is gone is ended by who opens the shard", true],
  ])(
    "a move that is killed before any call to a store %s, and loses nothing",
    async (_, isGone) => {
      const lasting = (): Mortal => new Mortal(Number.POSITIVE_INFINITY);
      let kills = 0;
      let moved = 0;
      for (const at of killPoints(every)) {
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
      expect(kills * every).toBeGreaterThan(20);
    },
    120_000,
  );
}
