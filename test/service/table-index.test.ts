import { expect, test } from "vitest";
import { FirnError } from "../../src/base/error.ts";
import type { JobId } from "../../src/base/ids.ts";
import { MemoryBlobStore } from "../../src/blob/memory.ts";
import type { AccountStores } from "../../src/catalog/accounts.ts";
import { CATALOG_LIMITS } from "../../src/catalog/limits.ts";
import { tableIndexKey } from "../../src/catalog/table-index.ts";
import type { PointerStore } from "../../src/pointer/port.ts";
import { ACTOR, testStores } from "../support/open-catalog.ts";
import { commitOf, openInMemory, SCHEMA, type TestIceberg } from "../support/open-iceberg.ts";
import { stagedTable } from "../support/staged-table.ts";
import { SleepIsTime } from "../support/virtual-clock.ts";

/*
 * Who shares the files of a table: the indexes by uuid and by metadata directory, as every way to
 * make, move and end a table leaves them, and what rests on them.
 */

const NS = { catalog: "c", namespace: ["a"] } as const;
const UUID = "0190c6ad-1111-7111-8111-aaaaaaaaaaaa";
const TAKEN = { kind: "Invalid", code: "TABLE_UUID_TAKEN" };

type Node = Omit<TestIceberg, "directory">;

interface World extends Node {
  readonly stores: AccountStores;
  readonly files: MemoryBlobStore;
}

async function open(pointers?: (inner: PointerStore) => PointerStore): Promise<World> {
  const stores = testStores({ clock: new SleepIsTime() });
  const files = new MemoryBlobStore(stores.clock);
  const wrapped = { ...stores, pointers: pointers?.(stores.pointers) ?? stores.pointers };
  const node = await openInMemory(wrapped, files);
  await node.iceberg.createNamespace(ACTOR, NS, {});
  return { ...node, stores, files };
}

/** The entries of both indexes, behind the account's own part of the key. */
async function entries({ stores: { pointers } }: World): Promise<readonly string[]> {
  const found: string[] = [];
  for await (const { key, state } of pointers.sweep("/")) {
    const [, , , , index = "", ...rest] = key.split("/");
    if (state === "live" && /^by-(?:uuid|metadata)$/.test(index)) {
      found.push([index, ...rest.map(decodeURIComponent)].join(" "));
    }
  }
  return found.sort();
}

async function idOf({ catalog }: Node, name: string): Promise<string> {
  return (await catalog.tables.get({ catalog: "c", path: ["a"], name })).entity.id;
}

function create({ iceberg }: Node, name: string) {
  return iceberg.createTable(ACTOR, NS, {
    name,
    schema: SCHEMA,
    properties: {},
    stageCreate: false,
  });
}

function stage({ iceberg }: Node, table: string, uuid: string) {
  const commit = stagedTable(`mem://w/${table}`, uuid);
  return iceberg.commitTable(ACTOR, { ...NS, table }, commit);
}

function drop({ iceberg }: Node, table: string, purgeRequested = false) {
  return iceberg.dropTable(ACTOR, { ...NS, table }, { purgeRequested });
}

function register({ iceberg }: Node, name: string, metadataLocation: string, overwrite = false) {
  return iceberg.registerTable(ACTOR, NS, { name, metadataLocation, overwrite });
}

async function purged({ stores, runner }: World): Promise<void> {
  await stores.clock.sleep(CATALOG_LIMITS.dropRetentionMs);
  await runner.runDue();
}

async function uuidOf({ catalog }: Node, name: string): Promise<string> {
  const { entity } = await catalog.tables.get({ catalog: "c", path: ["a"], name });
  return entity.iceberg?.tableUuid ?? "";
}

/** A copy of a metadata file in another directory, for the same table or with changes. */
async function copied(
  { files }: World,
  from: string,
  to: string,
  change: (text: string) => string = (text) => text,
): Promise<string> {
  const blob = await files.get(from.replace("mem://w/", ""));
  const text = Buffer.from(blob?.bytes ?? []).toString();
  await files.put(to.replace("mem://w/", ""), Buffer.from(change(text)));
  return to;
}

/** The same table, in a metadata file that lies where it has moved to. */
async function movedTo(world: World, name: string, metadataLocation: string): Promise<string> {
  const ref = { catalog: "c", path: ["a"], name };
  const { location } = (await world.catalog.tables.get(ref)).entity;
  const to = "mem://w/moved/metadata/00001-m.metadata.json";
  return copied(world, metadataLocation, to, (text) => text.replaceAll(location, "mem://w/moved"));
}

test("a table has an entry under its uuid from its create to the end of its purge", async () => {
  const world = await open();
  await create(world, "t");
  const id = await idOf(world, "t");
  const own = [`by-uuid ${await uuidOf(world, "t")} ${id}`];
  expect(await entries(world)).toEqual(own);
  await world.iceberg.commitTable(
    ACTOR,
    { ...NS, table: "t" },
    commitOf([{ action: "set-properties", updates: { a: "b" } }]),
  );
  await world.iceberg.renameTable(ACTOR, {
    catalog: "c",
    from: { namespace: ["a"], table: "t" },
    to: { namespace: ["a"], table: "u" },
  });
  expect(await entries(world)).toEqual(own);
  await drop(world, "u");
  expect(await entries(world)).toEqual(own);
  await world.dropped.undrop(ACTOR, id);
  expect(await entries(world)).toEqual(own);
  await drop(world, "u", true);
  await purged(world);
  expect(await entries(world)).toEqual([]);
  expect(await world.files.list("")).toEqual([]);
});

test("metadata outside the location has an entry, until a commit brings it home", async () => {
  const world = await open();
  const { metadataLocation = "" } = await create(world, "t");
  const uuid = await uuidOf(world, "t");
  await drop(world, "t");
  await purged(world);
  const away = await copied(world, metadataLocation, "mem://w/far/off/00000-x.metadata.json");
  await register(world, "t", away);
  const id = await idOf(world, "t");
  const byUuid = `by-uuid ${uuid} ${id}`;
  expect(await entries(world)).toEqual([`by-metadata mem://w/far/off/${id}`, byUuid]);
  const T = { ...NS, table: "t" };
  const home = commitOf([{ action: "set-properties", updates: { a: "b" } }]);
  await world.iceberg.commitTable(ACTOR, T, home);
  expect(await entries(world)).toEqual([byUuid]);
  // Another table takes the name over.
  const other = await create(world, "other");
  const taken = `by-uuid ${await uuidOf(world, "other")} ${id}`;
  await drop(world, "other");
  await register(world, "t", other.metadataLocation ?? "", true);
  expect(await entries(world)).toContain(taken);
  expect(await entries(world)).not.toContain(byUuid);
});

test("a purge asks the indexes, not all tables, and one that shares files keeps them", async () => {
  const calls: string[] = [];
  const world = await open((inner) => ({
    get: (key) => inner.get(key),
    getMany: (keys) => inner.getMany(keys),
    list: (directory, options) => {
      calls.push("list");
      return inner.list(directory, options);
    },
    commit: (batch) => inner.commit(batch),
    forget: (key, version) => inner.forget(key, version),
    sweep: (...of) => {
      calls.push("sweep");
      return inner.sweep(...of);
    },
  }));
  const { metadataLocation = "" } = await create(world, "t");
  const guest = await create(world, "guest");
  await create(world, "alone");
  // It grew out of something else, and its metadata lies among the files of `t`.
  await drop(world, "guest");
  const among = metadataLocation.replace(/[^/]*$/, "in/g.metadata.json");
  await register(world, "guest", await copied(world, guest.metadataLocation ?? "", among));
  await drop(world, "t", true);
  await drop(world, "alone", true);
  calls.length = 0;
  const before = (await world.files.list("")).length;
  await purged(world);
  expect(calls).not.toContain("sweep");
  // Of three tables the files of one went; those of the twin and of its host stay.
  expect((await world.files.list("")).length).toBe(before - 1);
});

test("a table that comes to share the files while they go stops the rest", async () => {
  let work: (() => Promise<unknown>) | undefined;
  let asked = false;
  let steps = 0;
  const world = await open((inner) => ({
    get: (key) => inner.get(key),
    getMany: (keys) => inner.getMany(keys),
    list: (directory, options) => {
      asked ||= work !== undefined && directory.includes("/by-uuid/");
      return inner.list(directory, options);
    },
    commit: async (batch) => {
      const isStep = asked && batch.ops[0]?.key.includes("/jobs/by-id/") === true;
      // Some levels have gone, and the last one has not.
      if (isStep && ++steps === 4) await work?.();
      return inner.commit(batch);
    },
    forget: (key, version) => inner.forget(key, version),
    sweep: (...of) => inner.sweep(...of),
  }));
  const { metadataLocation = "" } = await create(world, "t");
  const id = (await idOf(world, "t")) as JobId;
  const moved = await movedTo(world, "t", metadataLocation);
  await drop(world, "t", true);
  work = () => register(world, "twin", moved);
  await purged(world);
  expect(steps).toBeGreaterThan(4);
  expect((await world.files.list("")).length).toBe(2);
  const told = { step: "done", failures: 1, lastFailure: "FILES_SHARED" };
  expect(await world.catalog.jobs.get(id)).toMatchObject(told);
});

test("a store without the marker is asked as before: all tables", async () => {
  const world = await open();
  const { metadataLocation = "" } = await create(world, "t");
  const moved = await movedTo(world, "t", metadataLocation);
  await drop(world, "t", true);
  await register(world, "twin", moved);
  const { pointers } = world.stores;
  for await (const { key, state, version: expected } of pointers.sweep("/")) {
    const isIndex = /\/tables\/by-(?:uuid|metadata)\/|\/indexes\//.test(key);
    if (state !== "live" || !isIndex) continue;
    await pointers.commit({ writerId: "w", ops: [{ op: "delete", key, expected }] });
  }
  await purged(world);
  expect((await world.files.list("")).length).toBe(2);
});

test("the uuid of another table is refused to a staged create", async () => {
  const world = await open();
  await create(world, "t");
  const uuid = await uuidOf(world, "t");
  await expect(stage(world, "s", uuid)).rejects.toMatchObject(TAKEN);
  const transaction = world.iceberg.commitTransaction(ACTOR, "c", [
    { ...NS, table: "s", ...stagedTable("mem://w/s", uuid) },
  ]);
  await expect(transaction).rejects.toMatchObject(TAKEN);
  // A dropped table can come back.
  await drop(world, "t");
  await expect(stage(world, "s", uuid)).rejects.toMatchObject(TAKEN);
  await purged(world);
  await stage(world, "s", uuid);
  // The same commit again is told of the name, as ever.
  await expect(stage(world, "s", uuid)).rejects.toMatchObject({ code: "REQUIREMENT_FAILED" });
});

test("a table that is registered again and again loses no race to its own fence", async () => {
  let refused = 0;
  const world = await open((inner) => ({
    get: (key) => inner.get(key),
    getMany: (keys) => inner.getMany(keys),
    list: (directory, options) => inner.list(directory, options),
    commit: async (batch) => {
      const answer = await inner.commit(batch);
      if (answer.outcome === "conflict") refused++;
      return answer;
    },
    forget: (key, version) => inner.forget(key, version),
    sweep: (...of) => inner.sweep(...of),
  }));
  const { metadataLocation = "" } = await create(world, "t");
  for (let again = 0; again < 3; again++) {
    await world.iceberg.unregisterTable(ACTOR, { ...NS, table: "t" });
    refused = 0;
    await register(world, "t", metadataLocation);
    // The hold finds the tombstone of the claim before it, as ever.
    expect(refused).toBeLessThanOrEqual(1);
  }
});

/** A store in which, at the n-th call, somebody else goes first. */
function stalled(inner: PointerStore) {
  const gate: { at: number; calls: number; done: boolean; work?: () => Promise<void> } = {
    at: 0,
    calls: 0,
    done: false,
  };
  const turn = async <T>(call: () => Promise<T>, isBatch = false): Promise<T> => {
    const { work } = gate;
    if (work !== undefined && ++gate.calls === gate.at) {
      delete gate.work;
      await work();
    }
    const answer = await call();
    const isMade = (answer as { outcome?: string }).outcome === "committed";
    if (isBatch && isMade && gate.work !== undefined) gate.done = true;
    return answer;
  };
  const pointers: PointerStore = {
    get: (key) => turn(() => inner.get(key)),
    getMany: (keys) => turn(() => inner.getMany(keys)),
    list: (directory, options) => turn(() => inner.list(directory, options)),
    commit: (batch) => turn(() => inner.commit(batch), batch.ops.length > 1),
    forget: (key, version) => inner.forget(key, version),
    sweep: (...of) => inner.sweep(...of),
  };
  return { gate, pointers };
}

/** Ways to bring a uuid that is another's as well, or about to be. */
const WAYS = {
  staged: (world: World, name: string) => stage(world, name, UUID),
  transaction: (world: World, name: string) =>
    world.iceberg.commitTransaction(ACTOR, "c", [
      { ...NS, table: name, ...stagedTable(`mem://w/${name}`, UUID) },
    ]),
  register: async (world: World, name: string) => {
    const path = `${name}/metadata/00000-r.metadata.json`;
    const away = await copied(world, "mem://w/seed/m.json", `mem://w/${path}`, (text) =>
      text.replaceAll("mem://w/seed", `mem://w/${name}`),
    );
    return register(world, name, away);
  },
  overwrite: async (world: World, name: string) => {
    const path = `${name}/metadata/00000-r.metadata.json`;
    const away = await copied(world, "mem://w/seed/m.json", `mem://w/${path}`, (text) =>
      text.replaceAll("mem://w/seed", `mem://w/${name}`),
    );
    return register(world, "there", away, true);
  },
} as const;
const ALONE: ReadonlySet<string> = new Set(["staged", "transaction"]);

const PAIRS = Object.keys(WAYS).flatMap((first) =>
  ["staged", "register"].map((second) => [first, second] as const),
);

test.each(PAIRS)(
  "%s beside %s, at every store call: one uuid is one staged table's",
  async (...pair) => {
    const [first, second] = pair as [keyof typeof WAYS, keyof typeof WAYS];
    let last = 0;
    for (let at = 1; at === last + 1; at++) {
      let gated: ReturnType<typeof stalled> | undefined;
      const world = await open((inner) => {
        gated = stalled(inner);
        return gated.pointers;
      });
      const other = await openInMemory(
        {
          ...testStores({ clock: world.stores.clock, seed: 9 }),
          pointers: world.stores.pointers,
          blobs: world.stores.blobs,
        },
        world.files,
      );
      await create(world, "there");
      // Metadata of that uuid, which no table has any more.
      const seed = await stage(world, "seed", UUID);
      await copied(world, seed.metadataLocation ?? "", "mem://w/seed/m.json");
      await drop(world, "seed");
      await purged(world);
      const { gate } = gated as ReturnType<typeof stalled>;
      const codes: string[] = [];
      const heard = async (work: Promise<unknown>): Promise<string> =>
        work.then(
          () => "made",
          (error: unknown) => {
            if (!(error instanceof FirnError)) throw error;
            return error.code;
          },
        );
      let before = false;
      Object.assign(gate, {
        at,
        calls: 0,
        done: false,
        work: async () => {
          before = !gate.done;
          codes.push(await heard(WAYS[second]({ ...world, ...other }, "q")));
        },
      });
      const outcome = await heard(WAYS[first](world, "p"));
      if (codes.length === 0) break;
      last = at;
      const [inner = ""] = codes;
      const taken = "TABLE_UUID_TAKEN";
      // Who is to be alone comes first, or hears of the other; who may share is always made.
      expect([at, inner]).toEqual([at, !before && ALONE.has(second) ? taken : "made"]);
      expect([at, outcome]).toEqual([at, before && ALONE.has(first) ? taken : "made"]);
      const both = [inner, outcome].filter((one) => one === "made").length;
      const found = (await entries(world)).filter((entry) => entry.startsWith(`by-uuid ${UUID}`));
      expect(found).toHaveLength(both);
    }
    expect(last).toBeGreaterThanOrEqual(2);
  },
);

test("a new account is born with complete indexes", async () => {
  const { account, pointers } = (await open()).catalog.context;
  expect(await pointers.get(tableIndexKey(account))).toMatchObject({ state: "live" });
});
