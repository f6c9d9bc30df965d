import { expect, test } from "vitest";
import { FAMILIES, keyOf } from "../../src/catalog/keys.ts";
import { write } from "../../src/catalog/repository.ts";
import { ACTOR, openTestCatalog, testStores } from "../support/open-catalog.ts";
import { SleepIsTime } from "../support/virtual-clock.ts";

test("that nothing changes is answered only while what it rests on stands still", async () => {
  const { context, catalogs } = await openTestCatalog(testStores({ clock: new SleepIsTime() }));
  const key = keyOf(FAMILIES.accountGuard, context.account);
  let looks = 0;
  const seen = await write(context, ACTOR, "look", async () => {
    const item = await context.pointers.get(key);
    // After the first look somebody makes a catalog, which moves what was read.
    if (looks++ === 0) await catalogs.create(ACTOR, { name: "c", defaultLocation: "mem://w" });
    return { unchanged: item.version, proof: [item] };
  });
  expect(looks).toBe(2);
  expect(seen).toBe((await context.pointers.get(key)).version);
});
