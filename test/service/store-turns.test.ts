import { beforeAll, expect, test } from "vitest";
import { SeededPrng } from "../../src/base/prng.ts";
import { MemoryBlobStore } from "../../src/blob/memory.ts";
import { SystemClock } from "../../src/runtime/clock.ts";
import { findBackup } from "../../src/service/backup/format.ts";
import { restoreBackup } from "../../src/service/backup/restore.ts";
import { takeBackup } from "../../src/service/backup/take.ts";
import { Fsck } from "../../src/service/fsck/fsck.ts";
import { SortedLines } from "../../src/service/gc/sorted-lines.ts";
import { ACTOR, openTestCatalog, type TestStores, testStores } from "../support/open-catalog.ts";
import { costOf, expectShortTurns } from "../support/turns.ts";

/*
 * Work over a whole store, in memory: nothing in it ever waits, so whatever others get of the event
 * loop is what it gives them.
 */

const NAMESPACES = 1_500;
const clock = new SystemClock();
let stores: TestStores;

beforeAll(async () => {
  stores = testStores({ clock });
  const catalog = await openTestCatalog(stores);
  await catalog.catalogs.create(ACTOR, { name: "c", defaultLocation: "file:///lake/c" });
  for (let i = 0; i < NAMESPACES; i++) {
    await catalog.namespaces.create(ACTOR, { catalog: "c", path: [`n${i}`] }, {});
  }
});

test("a check takes short turns", async () => {
  const parts = { ...stores, prng: new SeededPrng(3), scratch: new MemoryBlobStore(clock) };
  const cost = await costOf(async () => {
    const run = new Fsck(parts).run();
    for (;;) {
      const step = await run.next();
      if (step.done === true) return step.value;
    }
  });
  expect(cost.result).toMatchObject({ damage: 0, derived: 0 });
  expect(cost.result.pointers).toBeGreaterThan(2 * NAMESPACES);
  await expectShortTurns("a check", cost);
});

test("a backup and its restore take short turns", async () => {
  const target = new MemoryBlobStore(clock);
  const taken = await costOf(() =>
    takeBackup({ ...stores, target, historyRetentionMs: 86_400_000 }, "default"),
  );
  expect(taken.result.changes).toBeGreaterThan(NAMESPACES);
  await expectShortTurns("a backup", taken);
  const backup = await findBackup(target);
  const into = testStores({ clock, seed: 99 });
  const restored = await costOf(() => restoreBackup({ ...into, source: target }, backup));
  expect(restored.result.entities).toBeGreaterThan(NAMESPACES);
  await expectShortTurns("a restore", restored);
});

test("lines are sorted in short turns", async () => {
  const lines = new SortedLines({ scratch: new MemoryBlobStore(clock), clock }, "lines");
  const prng = new SeededPrng(5);
  const count = 60_000;
  const cost = await costOf(async () => {
    for (let i = 0; i < count; i++) {
      const key = String(Math.floor(prng.float() * 1e9)).padStart(9, "0");
      await lines.add(["/accounts/a/namespaces/by-id", key, i].join("\t"));
    }
    let seen = 0;
    let last = "";
    let isOrdered = true;
    for await (const line of lines.lines()) {
      isOrdered &&= line > last;
      last = line;
      seen++;
    }
    return isOrdered ? seen : -1;
  });
  expect(cost.result).toBe(count);
  await expectShortTurns("a sort", cost);
});
