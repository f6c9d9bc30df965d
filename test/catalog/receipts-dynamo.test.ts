import { expect, onTestFinished, test } from "vitest";
import { LIMITS } from "../../src/base/limits.ts";
import { KEY_FAMILIES } from "../../src/catalog/keys.ts";
import { keyOfItem } from "../../src/pointer/dynamo/item.ts";
import { type DynamoWorld, openDynamoWorld, TABLE } from "../double/dynamo/world.ts";
import { FaultyPointerStore } from "../support/faulty-pointer-store.ts";
import { ACTOR, openTestCatalog, testStores } from "../support/open-catalog.ts";
import { heldCommit, keyed, mark, opened, REF } from "./support/keyed.ts";
import { parsedKey } from "./support/read-store.ts";

/*
 * DynamoDB's time to live removes items by a clock of its own, and knows no requests. It may take
 * receipts of attempts, which nobody asks for again, and never one of a client's key.
 */

const WORKS_MS = LIMITS.receiptLifeMs + 2 * LIMITS.clockSkewMs + 1_000;

async function dynamo(): Promise<DynamoWorld> {
  const world = await openDynamoWorld({ families: KEY_FAMILIES });
  onTestFinished(() => world.close());
  return world;
}

/** The second from which the time to live may remove each live receipt of a family. */
function removableAt({ double }: DynamoWorld, family: string): readonly (string | undefined)[] {
  return double.tables
    .ready(TABLE)
    .all()
    .filter((item) => item["d"] === undefined)
    .filter((item) => parsedKey(keyOfItem(item as never)).family === family)
    .map((item) => (item["t"] as { N: string } | undefined)?.N);
}

test("no receipt of a client's key expires by itself, each of an attempt does", async () => {
  const world = await dynamo();
  const { clock, store } = world;
  const stores = testStores({ clock, pointers: store });
  const startMs = clock.nowMs();
  const { namespaces } = await opened(stores);
  await namespaces.create(ACTOR, REF, {});
  await namespaces.update(keyed(), REF, mark("x"));
  await namespaces.update(keyed("0199d8a0-0000-7000-8000-000000000002"), REF, mark("x"));
  expect(removableAt(world, "keyedReceipt")).toEqual([undefined, undefined]);
  const times = removableAt(world, "receipt");
  expect(times.length).toBeGreaterThan(1);
  for (const seconds of times) {
    const lifeMs = Number(seconds) * 1_000 - startMs;
    expect(lifeMs).toBeGreaterThanOrEqual(LIMITS.receiptLifeMs + LIMITS.clockSkewMs);
  }
  // The service's clock may be ahead of every node's by as much as a start allows.
  await clock.advance(WORKS_MS);
  world.double.tables.expire();
  expect(removableAt(world, "receipt")).toEqual([]);
  expect(removableAt(world, "keyedReceipt")).toHaveLength(2);
});

test("a key that is used again is good for one request, whatever expires", async () => {
  const world = await dynamo();
  const { clock, store, double } = world;
  const stores = testStores({ clock, pointers: store });
  const honest = await opened(stores);
  await honest.namespaces.create(ACTOR, REF, {});
  await honest.namespaces.update(keyed(), REF, mark("first"));
  await clock.advance(WORKS_MS);
  const early = heldCommit();
  const pointers = new FaultyPointerStore(store, early.script);
  const node = await openTestCatalog({ ...testStores({ seed: 4 }), ...stores, pointers });
  const count = ({ properties }: { readonly properties: Record<string, string> }) => {
    const n = String(Number(properties["n"] ?? 0) + 1);
    return { properties: { ...properties, n }, detail: n };
  };
  early.arm();
  // It has read the receipt that has expired, and hangs.
  const slow = node.namespaces.update(keyed(undefined, 2), REF, count);
  slow.catch(() => undefined);
  await early.reached;
  double.tables.expire();
  expect(await honest.namespaces.update(keyed(undefined, 2), REF, count)).toBe("1");
  early.go();
  expect(await slow).toBe("1");
  expect((await honest.namespaces.get(REF)).entity.properties).toMatchObject({ n: "1" });
});
