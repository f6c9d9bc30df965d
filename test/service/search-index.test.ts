import { expect, it } from "vitest";
import { FirnError } from "../../src/base/error.ts";
import { SeededPrng } from "../../src/base/prng.ts";
import { SystemClock } from "../../src/runtime/clock.ts";
import { OWN_ACTOR } from "../../src/service/actor.ts";
import type { FoundName } from "../../src/service/resources/found-name.ts";
import { testStores } from "../support/open-catalog.ts";
import { openTestIceberg, scratchDirectory, type TestIceberg } from "../support/open-iceberg.ts";

const actor = { ...OWN_ACTOR, requestId: "test", principal: "tester" };
const CATALOGS = ["c", "d"];
const PATHS = [["ab"], ["ab", "b"], ["ab", "b", "c"], ["b"], ["c"], ["c", "ä b"]];
const NAMES = ["a", "Ab", "abc", "b", "bc", "ca", "ü"];

async function search({ model }: TestIceberg, q: string, pageSize = 1_000) {
  const items: FoundName[] = [];
  for (let pageToken: string | undefined; ; ) {
    const page = await model.search.find(actor, q, { pageSize, pageToken });
    expect(page.items.length).toBeLessThanOrEqual(pageSize);
    items.push(...page.items);
    if (page.nextPageToken === undefined) return items;
    pageToken = page.nextPageToken;
  }
}

/** What is refused is no news: a name that is taken, gone, or not empty. */
async function tried(work: Promise<unknown>): Promise<boolean> {
  try {
    await work;
    return true;
  } catch (error) {
    if (error instanceof FirnError && /NotFound|AlreadyExists|Conflict/.test(error.kind))
      return false;
    throw error;
  }
}

/** One random change, and what a search must find or miss once it is answered. */
async function change(node: TestIceberg, prng: SeededPrng, own: string): Promise<void> {
  const below = (count: number) => Math.floor(prng.float() * count);
  const pick = <T>(from: readonly T[]): T => from[below(from.length)] as T;
  const [catalog, path] = [pick(CATALOGS), pick(PATHS)];
  const { namespaces, tables, otherTables } = node.model;
  const namespace = { catalog: { name: catalog }, namespace: { path } };
  const table = { ...namespace, relation: { name: pick(NAMES) } };
  switch (below(7)) {
    case 0:
    case 1:
      await tried(namespaces.create(actor, { catalog: { name: catalog } }, path, {}));
      return;
    case 2:
      await tried(namespaces.drop(actor, namespace, {}));
      return;
    case 3:
      await tried(tables.drop(actor, table, {}));
      return;
    case 4: {
      const to = { name: pick(NAMES), namespace: pick(PATHS) };
      await tried(tables.rename(actor, table, to, {}));
      return;
    }
    case 5:
      await tried(otherTables.create(actor, namespace, { name: pick(NAMES), format: "OTHER" }));
      return;
    default: {
      // Names of its own, which no other change takes away: found as soon as it is answered.
      const name = `${own}-${below(1_000_000)}`;
      const made = await tried(otherTables.create(actor, namespace, { name, format: "OTHER" }));
      if (made) {
        const found = (await search(node, name)).map((item) => [item.type, item.name]);
        expect(found).toEqual([["table", name]]);
      }
    }
  }
}

it.each([1, 2, 3])("finds what a plain scan finds, beside changes, seed %i", async (seed) => {
  const clock = new SystemClock();
  const stores = testStores({ clock });
  const directory = scratchDirectory();
  const node = await openTestIceberg(stores, directory, { writesAlone: true });
  const plain = await openTestIceberg({ ...testStores({ clock, seed: 2 }), ...stores }, directory);
  await tried(node.model.catalogs.create(actor, { name: "d" }));
  for (let round = 0; round < 6; round++) {
    const lanes = [0, 1, 2, 3].map(async (lane) => {
      const prng = new SeededPrng(seed * 1_000 + round * 10 + lane);
      for (let step = 0; step < 25; step++) {
        await change(node, prng, `own${lane}`);
        if (step % 8 === 0) await search(node, "b", 2);
      }
    });
    await Promise.all(lanes);
    for (const q of ["a", "B", "own", "ü", "ä", "nothing"]) {
      const expected = await search(plain, q);
      expect([q, await search(node, q)]).toEqual([q, expected]);
      expect([q, await search(node, q, 3)]).toEqual([q, expected]);
    }
  }
  expect((await search(plain, "b")).length).toBeGreaterThan(10);
});
