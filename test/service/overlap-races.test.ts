import { expect, test } from "vitest";
import { FirnError } from "../../src/base/error.ts";
import { type Prng, randomBelow, SeededPrng } from "../../src/base/prng.ts";
import { isWithin } from "../../src/blob/locations.ts";
import { summaryOfItem } from "../../src/catalog/entities.ts";
import { leafText, locationDirectory } from "../../src/catalog/keys.ts";
import type { Batch, CommitOutcome, PointerStore } from "../../src/pointer/port.ts";
import { ACTOR, testStores } from "../support/open-catalog.ts";
import { commitOf, openTestIceberg, SCHEMA, type TestIceberg } from "../support/open-iceberg.ts";
import { countOf, newPointers } from "../support/pointer-kind.ts";
import { stagedTable } from "../support/staged-table.ts";
import { SleepIsTime } from "../support/virtual-clock.ts";

/*
 * Two relations that come at once, one location inside the other. `test/catalog/schedules.test.ts`
 * goes through the orders of their calls; here they come by every way in which a client comes to a
 * location, and many at a time.
 */

const NS = { catalog: "c", namespace: ["a"] } as const;
const LOST: ReadonlySet<string> = new Set(["LOCATION_OVERLAPS", "LOCATION_TAKEN"]);

interface World extends TestIceberg {
  readonly pointers: PointerStore;
  readonly at: (path: string) => string;
}

/** Who waits for another lets it go on: its files are on a disk. */
class Patient extends SleepIsTime {
  override async sleep(ms: number): Promise<void> {
    await super.sleep(ms);
    await new Promise((resolve) => setTimeout(resolve, ms));
  }
}

async function open(wrap: (inner: PointerStore) => PointerStore, seed = 1): Promise<World> {
  const clock = new Patient();
  const inner = newPointers(clock);
  const pointers = wrap(inner);
  const node = await openTestIceberg(testStores({ clock, seed, pointers }));
  await node.iceberg.createNamespace(ACTOR, NS, {});
  return { ...node, pointers: inner, at: (path) => `file://${node.directory}/${path}` };
}

/** A store of whose calls each may be handled otherwise. */
function around(inner: PointerStore, commit: PointerStore["commit"]): PointerStore {
  return {
    get: (key) => inner.get(key),
    getMany: (keys) => inner.getMany(keys),
    list: (directory, options) => inner.list(directory, options),
    sweep: (prefix) => inner.sweep(prefix),
    forget: (key, version) => inner.forget(key, version),
    commit,
  };
}

/** What is claimed, and whether anything is held and not claimed. */
async function taken({ pointers, catalog }: World) {
  const { account } = catalog.context;
  const items = await pointers.list(locationDirectory(account));
  const held = items.filter((item) => summaryOfItem(item).heldUntilMs !== undefined);
  return { claims: items.map(({ key }) => leafText(key) ?? ""), held };
}

async function mustBeApart(world: World): Promise<readonly string[]> {
  const { claims, held } = await taken(world);
  expect(held).toEqual([]);
  for (const outer of claims) {
    for (const inner of claims) {
      if (inner !== outer) expect(isWithin(inner, outer), `${inner} in ${outer}`).toBe(false);
    }
  }
  return claims;
}

function create({ iceberg, at }: World, name: string, path: string) {
  const request = { name, location: at(path), schema: SCHEMA, properties: {}, stageCreate: false };
  return iceberg.createTable(ACTOR, NS, request);
}

function createView({ iceberg, at }: World, name: string, path: string) {
  const version = {
    "version-id": 1,
    "timestamp-ms": 1,
    "schema-id": 0,
    summary: {},
    "default-namespace": ["a"],
    representations: [{ type: "sql", sql: "select 1", dialect: "spark" }],
  };
  const schema = { ...SCHEMA, "schema-id": 0 };
  return iceberg.createView(ACTOR, NS, {
    name,
    schema,
    version,
    properties: {},
    location: at(path),
  });
}

/** Makes a table and drops it, so that it can be brought back, or its file registered. */
async function dropped(world: World, name: string, path: string) {
  const { metadataLocation } = await create(world, name, path);
  await world.iceberg.dropTable(ACTOR, { ...NS, table: name }, { purgeRequested: false });
  const { items } = await world.dropped.list(ACTOR);
  return { metadataLocation, id: items.find((one) => one.name === name)?.id ?? "" };
}

/** Comes to a location; what it answers is done when nothing else is at work. */
type Way = (world: World, name: string, path: string) => Promise<() => Promise<unknown>>;

const WAYS: Readonly<Record<string, Way>> = {
  create: async (world, name, path) => () => create(world, name, path),
  view: async (world, name, path) => () => createView(world, name, path),
  staged: async (world, name, path) => () =>
    world.iceberg.commitTable(ACTOR, { ...NS, table: name }, stagedTable(world.at(path))),
  transaction: async (world, name, path) => () =>
    world.iceberg.commitTransaction(ACTOR, "c", [
      { ...NS, table: name, ...stagedTable(world.at(path)) },
      { ...NS, table: `${name}2`, ...stagedTable(world.at(`beside/${name}`)) },
    ]),
  move: async (world, name, path) => {
    await create(world, name, `from/${name}`);
    const location = world.at(path);
    const change = commitOf([{ action: "set-location", location }]);
    return () => world.iceberg.commitTable(ACTOR, { ...NS, table: name }, change);
  },
  register: async (world, name, path) => {
    const { metadataLocation = "" } = await dropped(world, name, path);
    const request = { name, metadataLocation, overwrite: false };
    return () => world.iceberg.registerTable(ACTOR, NS, request);
  },
  undrop: async (world, name, path) => {
    const { id } = await dropped(world, name, path);
    return () => world.dropped.undrop(ACTOR, id);
  },
};

/** What became of racers: who won, and that the others heard what is true. */
async function outcomes(
  racers: readonly Promise<unknown>[],
  /** Where one holds a location for a second, on a busy machine, others are told to come again. */
  lost: ReadonlySet<string> = LOST,
): Promise<readonly boolean[]> {
  const settled = await Promise.allSettled(racers);
  for (const one of settled) {
    if (one.status === "fulfilled") continue;
    const { reason } = one;
    if (!(reason instanceof FirnError)) throw reason;
    expect(lost.has(reason.code), reason.code).toBe(true);
    if (LOST.has(reason.code)) expect(reason.kind).toBe("Invalid");
  }
  return settled.map(({ status }) => status === "fulfilled");
}

/** Whether a batch claims a location, which a lone write does not. */
function claims({ ops }: Batch, location: string): boolean {
  return ops.length > 1 && ops.some((op) => op.op === "put" && leafText(op.key) === location);
}

test.each(Object.entries(WAYS))(
  "of two that come at once the outer one, by %s, has looked before the inner one comes",
  async (_way, prepare) => {
    const gate: { outer?: string; inner?: string } = {};
    const outerAsks = Promise.withResolvers<void>();
    const innerAnswered = Promise.withResolvers<void>();
    const world = await open((inner) =>
      around(inner, async (batch): Promise<CommitOutcome> => {
        if (gate.outer !== undefined && claims(batch, gate.outer)) {
          outerAsks.resolve();
          await innerAnswered.promise;
        }
        const isInner = gate.inner !== undefined && claims(batch, gate.inner);
        const outcome = await inner.commit(batch);
        if (isInner) innerAnswered.resolve();
        return outcome;
      }),
    );
    const outer = await prepare(world, "outer", "x");
    gate.outer = world.at("x");
    gate.inner = world.at("x/in");
    const first = outer();
    await outerAsks.promise;
    const won = await outcomes([first, create(world, "inner", "x/in")]);
    expect(won).toEqual([true, false]);
    expect(await mustBeApart(world)).toContain(world.at("x"));
  },
);

/** A store that lets others go first, now and then. */
function jittery(prng: Prng): (inner: PointerStore) => PointerStore {
  const pause = async (): Promise<void> => {
    for (let turns = randomBelow(prng, 6); turns > 0; turns--) {
      await new Promise((resolve) => setImmediate(resolve));
    }
  };
  const slowly = async <T>(call: () => Promise<T>): Promise<T> => {
    await pause();
    const answer = await call();
    await pause();
    return answer;
  };
  return (inner) => ({
    get: (key) => slowly(() => inner.get(key)),
    getMany: (keys) => slowly(() => inner.getMany(keys)),
    list: (directory, options) => slowly(() => inner.list(directory, options)),
    sweep: (prefix) => inner.sweep(prefix),
    forget: (key, version) => inner.forget(key, version),
    commit: (batch) => slowly(() => inner.commit(batch)),
  });
}

const PATHS = ["x", "x/y", "x/y/z", "x/y/z/w", "x/v", "x/v/u"];

test("of concurrent creates no two overlap, and one of them succeeds", async () => {
  const worlds = countOf(10, 3);
  const rounds = 6;
  let winners = 0;
  let racers = 0;
  for (let seed = 1; seed <= worlds; seed++) {
    const prng = new SeededPrng(seed);
    const world = await open(jittery(prng), seed);
    for (let round = 0; round < rounds; round++) {
      const ways = Object.values(WAYS);
      const waiting: (() => Promise<unknown>)[] = [];
      for (let i = 2 + randomBelow(prng, 4); i > 0; i--) {
        const way = ways[randomBelow(prng, ways.length)] ?? WAYS["create"];
        const path = `${round}/${PATHS[randomBelow(prng, PATHS.length)]}`;
        if (way !== undefined) waiting.push(await way(world, `t${round}-${i}`, path));
      }
      const lost = new Set([...LOST, "LOCATION_PENDING"]);
      const won = await outcomes(
        waiting.map((go) => go()),
        lost,
      );
      expect(won, `seed ${seed}, round ${round}`).toContain(true);
      await mustBeApart(world);
      winners += won.filter((one) => one).length;
      racers += won.length;
    }
  }
  console.log(`${worlds * rounds} races of ${racers} in all, ${winners} won`);
});

test("a hold that its holder left behind is waited for, and then is in nobody's way", async () => {
  const clock = new SleepIsTime();
  const inner = newPointers(clock);
  let dies = false;
  const pointers = around(inner, async (batch) => {
    const outcome = await inner.commit(batch);
    // The process ends where it stands: nothing it sends from now on arrives.
    if (dies) return new Promise<CommitOutcome>(() => undefined);
    return outcome;
  });
  const stores = testStores({ clock, pointers });
  const { blobs } = stores;
  const first = await openTestIceberg(stores);
  await first.iceberg.createNamespace(ACTOR, NS, {});
  const at = (path: string) => `file://${first.directory}/${path}`;
  dies = true;
  void create({ ...first, pointers: inner, at }, "dead", "x/y");
  await expect
    .poll(async () => (await taken({ ...first, pointers: inner, at })).held.length)
    .toBe(1);
  const second = await openTestIceberg(
    testStores({ clock, seed: 2, pointers: inner, blobs }),
    first.directory,
  );
  const world = { ...second, pointers: inner, at };
  const pending = { kind: "Overloaded", code: "LOCATION_PENDING" };
  for (const path of ["x", "x/y", "x/y/z"]) {
    await expect(create(world, "t", path), path).rejects.toMatchObject(pending);
  }
  await clock.sleep(45_000);
  await create(world, "t", "x");
  expect(await mustBeApart(world)).toEqual([at("x")]);
});

test("a namespace that meets a table at its home goes elsewhere, or the table fails", async () => {
  for (const first of ["table", "namespace"] as const) {
    const gate: { table?: string } = {};
    const tableAsks = Promise.withResolvers<void>();
    const namespaceDone = Promise.withResolvers<void>();
    const world = await open((inner) =>
      around(inner, async (batch) => {
        const isClaim = gate.table !== undefined && claims(batch, gate.table);
        const isHold = batch.ops.some(({ key }) => leafText(key) === gate.table) && !isClaim;
        // Stands still behind its looks, or before the first of them.
        if (gate.table !== undefined && (first === "table" ? isClaim : isHold)) {
          tableAsks.resolve();
          await namespaceDone.promise;
        }
        return inner.commit(batch);
      }),
    );
    gate.table = world.at("late");
    const table = outcomes([create(world, "t", "late")]);
    await tableAsks.promise;
    const late = { catalog: "c", namespace: ["late"] };
    await world.iceberg.createNamespace(ACTOR, late, {});
    namespaceDone.resolve();
    expect(await table, first).toEqual([first === "table"]);
    const request = { name: "u", schema: SCHEMA, properties: {}, stageCreate: false };
    await world.iceberg.createTable(ACTOR, late, request);
    await mustBeApart(world);
  }
});

test("a hold that ends under its holder takes its batch along", async () => {
  const clock = new SleepIsTime();
  const gate: { outer?: string; meanwhile?: () => Promise<unknown> } = {};
  const inner = newPointers(clock);
  const pointers = around(inner, async (batch) => {
    if (gate.outer !== undefined && claims(batch, gate.outer)) {
      const { meanwhile } = gate;
      delete gate.meanwhile;
      // On its way all the time.
      await clock.sleep(46_000);
      await meanwhile?.();
    }
    return inner.commit(batch);
  });
  const node = await openTestIceberg(testStores({ clock, pointers }));
  await node.iceberg.createNamespace(ACTOR, NS, {});
  const world = {
    ...node,
    pointers: inner,
    at: (path: string) => `file://${node.directory}/${path}`,
  };
  gate.outer = world.at("x");
  gate.meanwhile = () => create(world, "inner", "x/in");
  await expect(create(world, "outer", "x")).rejects.toMatchObject({ kind: "Unknown" });
  expect(await mustBeApart(world)).toEqual([world.at("x/in")]);
});
