import { expect, test } from "vitest";
import { FirnError } from "../../src/base/error.ts";
import { ConflictPacer } from "../../src/service/conflict-pacer.ts";
import { ACTOR } from "../support/open-catalog.ts";
import { metadataOf } from "../support/snapshots.ts";
import { VirtualClock } from "../support/virtual-clock.ts";
import { appendTo, NS, Shop } from "./support/writers.ts";

const ONE = ["t0"] as const;
const REF = { ...NS, table: "t0" };
const ALL = { snapshots: "all" } as const;

/** Some losers of one thing, and which of them were told so far. */
function lose(losers: ConflictPacer, count: number) {
  const told: number[] = [];
  const lost = async () => {
    throw new FirnError("Conflict", "REQUIREMENT_FAILED", "requirement failed");
  };
  for (let n = 0; n < count; n++) losers.paced("t", lost).catch(() => told.push(n));
  return told;
}

test("losers are told a few at a time, in their order, as others win", async () => {
  const clock = new VirtualClock();
  const losers = new ConflictPacer(clock);
  const told = lose(losers, 10);
  await clock.advance(0);
  expect(told).toEqual([0, 1]);
  for (let wins = 1; wins <= 4; wins++) {
    void losers.paced("t", async () => "won");
    await clock.advance(0);
    expect(told).toEqual(Array.from({ length: 2 + 2 * wins }, (_, n) => n));
  }
  // Nothing is left to do, nothing goes on.
  await clock.advance(1_000);
  expect(clock.sleeping).toBe(0);
});

test("where none wins, a thousand are told within ten steps", async () => {
  const clock = new VirtualClock();
  const told = lose(new ConflictPacer(clock), 1_000);
  await clock.advance(250);
  expect(told).toEqual(Array.from(told, (_, n) => n));
  expect(told).toHaveLength(1_000);
});

test("64 writers of one table: a commit costs a few refusals, not one a writer", async () => {
  const shop = await Shop.open(ONE);
  const node = await shop.node();
  const writers = 64;
  const appends = Array.from({ length: writers }, () => shop.append(node, ONE));
  await shop.clock.run(Promise.all(appends));
  expect(shop.tries.filter(({ answer }) => answer === "committed")).toHaveLength(writers);
  expect(shop.tries.length).toBeLessThan(writers * 6);
  await shop.judge(ONE, "as left");
});

test("a node that waits takes a commit on the head of another node", async () => {
  const shop = await Shop.open(ONE);
  const [here, there] = [await shop.node(), await shop.node()];
  await shop.clock.run(shop.append(here, ONE));
  await shop.clock.run(shop.append(there, ONE));
  const base = metadataOf(await there.iceberg.loadTable(ACTOR, REF, ALL));
  // A commit that waits for its turn is judged by the head that is remembered.
  const updates = [{ action: "set-properties", updates: { a: "b" } }];
  const before = here.iceberg.commitTable(ACTOR, REF, { requirements: [], updates });
  const onHead = here.iceberg.commitTable(ACTOR, REF, appendTo(base, 99n));
  const [, appended] = await shop.clock.run(Promise.all([before, onHead]));
  expect(metadataOf(appended)["current-snapshot-id"]).toBe(99);
});

test("a commit on the head of another node wins though this node knows an older head", async () => {
  const shop = await Shop.open(ONE);
  const [here, there] = [await shop.node(), await shop.node()];
  await shop.clock.run(shop.append(here, ONE));
  await shop.clock.run(shop.append(there, ONE));
  const base = metadataOf(await there.iceberg.loadTable(ACTOR, REF, ALL));
  const updates = [{ action: "set-properties", updates: { k: "v" } }];
  const first = here.iceberg.commitTable(ACTOR, REF, { requirements: [], updates });
  const second = here.iceberg.commitTable(ACTOR, REF, appendTo(base, 99n));
  const [, won] = await shop.clock.run(Promise.all([first, second]));
  expect(metadataOf(won)).toMatchObject({ "current-snapshot-id": 99, properties: { k: "v" } });
});

test("a commit that cannot win is refused while another has its turn", async () => {
  const shop = await Shop.open(ONE);
  const node = await shop.node();
  await shop.clock.run(shop.append(node, ONE));
  const stale = appendTo({ ...metadataOf(await node.iceberg.loadTable(ACTOR, REF, ALL)) }, 98n);
  await shop.clock.run(shop.append(node, ONE));
  const base = metadataOf(await node.iceberg.loadTable(ACTOR, REF, ALL));
  const ended: string[] = [];
  const wins = node.iceberg.commitTable(ACTOR, REF, appendTo(base, 99n));
  const first = wins.then(() => ended.push("won"));
  const refused = node.iceberg.commitTable(ACTOR, REF, stale);
  const second = refused.catch(({ code }) => ended.push(code));
  await shop.clock.run(Promise.all([first, second]));
  expect(ended).toEqual(["REQUIREMENT_FAILED", "won"]);
});
