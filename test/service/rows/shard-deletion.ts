import { expect, it } from "vitest";
import { LIMITS } from "../../../src/base/limits.ts";
import { CATALOG_LIMITS } from "../../../src/catalog/limits.ts";
import type { RowStore } from "../../../src/rows/index.ts";
import { shardPrefix } from "../../../src/runtime/shard-parts.ts";
import { killPoints, Mortal } from "../../support/mortal.ts";
import { ACTOR } from "../../support/open-catalog.ts";
import type { TestIceberg } from "../../support/open-iceberg.ts";
import { findings, forgetJobs, World } from "./row-world.ts";

export const PLACE = { catalog: { name: "c" } };
const MINUTE = 60_000;
/** Longer than what was dropped is kept. */
const DAYS = 30 * 24 * 60 * MINUTE;

export const lasting = (): Mortal => new Mortal(Number.POSITIVE_INFINITY);

/** Makes a table with a row. @returns the store that has it. */
export async function make(node: TestIceberg, name: string, shard?: string): Promise<RowStore> {
  const { store, id } = await node.rows.create(
    ACTOR,
    { catalog: "c", path: ["a"] },
    {
      name,
      columns: [{ name: "id", type: { kind: "int4" } }],
      primaryKey: { parts: [{ column: "id" }] },
      ...(shard !== undefined && { shard }),
    },
  );
  await store.run(async (tx) => await tx.put(await tx.tables.get(id), [1]));
  return store;
}

/** A catalog with a table in its first shard, and an empty one that held a table. */
export async function prepared(): Promise<{
  readonly world: World;
  readonly shard: string;
  readonly store: RowStore;
}> {
  const world = new World();
  const node = await world.start(lasting());
  await node.model.namespaces.create(ACTOR, PLACE, ["a"], {});
  await world.within(make(node, "kept"));
  const made = await world.within(node.model.rowShards.create(ACTOR, PLACE, "hot"));
  const store = await world.within(make(node, "gone", "hot"));
  const ref = { catalog: "c", path: ["a"], name: "gone" };
  await node.catalog.tables.drop(ACTOR, ref, { purgeRequested: true });
  await world.clock.advance(DAYS);
  await runDue(node, world);
  return { world, shard: made.id, store };
}

export async function namesOf(node: TestIceberg): Promise<readonly string[]> {
  return (await node.model.rowShards.list(ACTOR, PLACE)).map(({ name }) => name);
}

/** Files of a shard that hold what was written to it. */
export async function filesOf({ files }: World, shard: string): Promise<readonly string[]> {
  const prefix = shardPrefix(shard);
  const found: string[] = [];
  for (const directory of ["sst/", "values/", "wal/"]) {
    const listed = await files.list(prefix + directory, { limit: 1_000 });
    // The last two objects of the log say who may write: none.
    const kept = directory === "wal/" ? listed.length - 2 : listed.length;
    found.push(...listed.slice(0, kept).map(({ path }) => path));
  }
  return found;
}

export async function runDue(node: TestIceberg, world: World): Promise<void> {
  for (let i = 0; i < 4; i++) {
    await world.within(node.runner.runDue());
    await world.clock.advance(2 * MINUTE);
  }
}

/** Kills a deletion before one call of each `every`, and before none. */
export function describeDeletionKills(every: number): void {
  it.each([
    ["ends, and the name is free", false],
    ["whose job is gone leaves a shard that can be used, or none", true],
  ])(
    "a deletion that is killed before any call to a store %s",
    async (_, isGone) => {
      let kills = 0;
      let unbegun = 0;
      for (const at of killPoints(every)) {
        const { world, shard } = await prepared();
        const dying = new Mortal(at);
        const node = await world.within(world.start(dying)).catch(() => undefined);
        if (node !== undefined) {
          const asked = node.model.rowShards.drop(ACTOR, PLACE, "hot");
          await world.within(asked).catch(() => undefined);
          await world.clock.advance(2 * MINUTE);
          await world.within(node.runner.runDue()).catch(() => undefined);
        }
        const isKilled = dying.ended;
        if (isKilled) kills++;

        await world.clock.advance(CATALOG_LIMITS.jobLeaseMs + LIMITS.clockSkewMs);
        const next = await world.within(world.start(lasting()));
        if (isGone) await forgetJobs(next, world);
        // Before the job goes on.
        expect(await world.within(findings(next, world)), `killed at call ${at}`).toEqual([]);
        await runDue(next, world);
        if ((await namesOf(next)).includes("hot")) {
          unbegun++;
          // Nothing of it was done, or it was forgotten: what is made there stays.
          await world.within(make(next, "more", "hot"));
        } else {
          if (!isGone) expect(await filesOf(world, shard), `killed at call ${at}`).toEqual([]);
          const again = await world.within(next.model.rowShards.create(ACTOR, PLACE, "hot"));
          expect(again.id).not.toBe(shard);
          await world.within(make(next, "more", "hot"));
        }
        expect(await world.within(findings(next, world))).toEqual([]);
        if (!isKilled) break;
      }

      expect(unbegun).toBeGreaterThan(0);
      expect((kills - unbegun) * every).toBeGreaterThan(10);
    },
    120_000,
  );
}
