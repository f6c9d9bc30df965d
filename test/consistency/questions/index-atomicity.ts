import { AssertionError, deepEqual, equal, ok } from "node:assert/strict";
import { digits19 } from "../../../src/catalog/keys.ts";
import type { Item } from "../../../src/pointer/port.ts";
import { OWN_ACTOR } from "../../../src/service/actor.ts";
import { checkStore } from "../../catalog/support/check-store.ts";
import { Lane, type Stop } from "../../catalog/support/gate.ts";
import { Violation } from "../../catalog/support/read-store.ts";
import { addSnapshot, type ClientMetadata, setRef } from "../../support/snapshots.ts";
import { losing, withoutSnapshotPuts } from "../broken.ts";
import { ALL, DURABLE, type Question } from "../claims.ts";
import type { Answer } from "../client.ts";
import type { Node } from "../node.ts";
import { commit, del } from "../space.ts";
import { at, createTable, listed, prepare, rename } from "../tables.ts";
import { type World, withoutSpaces } from "../world.ts";

const LISTINGS_LOST = losing("batches without what serves listings", ({ key }) =>
  key.includes("/tables/by-name/"),
);

export const INDEX_ATOMICITY: Question = {
  title: "Index atomicity",
  asks: "An entity is found by id, by name and in lists. Can these disagree?",
  claims: [
    {
      level: "catalog",
      profiles: ALL,
      short: "never",
      answer:
        "Loads, existence checks and lists agree on every node before, during and after a " +
        "create, rename or drop. If the operation pauses at any store call, a listed name exists " +
        "and an unlisted one does not.",
      check: namesAgree,
      broken: [LISTINGS_LOST],
    },
    {
      level: "pointers",
      profiles: ALL,
      answer:
        "One batch writes the pointers by id and by name, the list entry, the location claim, " +
        "guards, receipt and change record. A check at every such moment finds no name without " +
        "entity, no entity without names, and no gap in the records.",
      apart: true,
      check: indexesAgree,
      broken: [LISTINGS_LOST],
    },
    {
      level: "catalog",
      profiles: DURABLE,
      short: "not after a crash either",
      answer:
        "The same if the process ends there and another takes over. Each operation has happened " +
        "completely or not at all, and needs no repair.",
      apart: true,
      check: indexesOutliveNodes,
    },
    {
      level: "catalog",
      profiles: ALL,
      answer:
        "The embedding API finds snapshots through the table's current metadata only. The " +
        "catalog's pointers to snapshots by id are derived: if one is missing, no answer " +
        "changes, and Firn writes it again.",
      check: derivedPointersAreNoSource,
      broken: [withoutSnapshotPuts()],
    },
  ],
};

interface Operation {
  readonly name: string;
  run(node: Node, ns: string): Promise<Answer>;
  /** What is listed before it and after it. */
  readonly before: readonly string[];
  readonly after: readonly string[];
}

const OPERATIONS: readonly Operation[] = [
  {
    name: "rename",
    run: (node, ns) => rename(node, ns, "t", "u"),
    before: ["t"],
    after: ["u"],
  },
  {
    name: "create",
    run: (node, ns) => createTable(node, ns, "s"),
    before: ["t"],
    after: ["s", "t"],
  },
  {
    name: "drop",
    run: (node, ns) => node.ask("DELETE", at(ns, "t")),
    before: ["t"],
    after: [],
  },
];

/** What is listed, which is what is there. */
async function agreed(nodes: readonly Node[], ns: string): Promise<readonly string[]> {
  const found: string[] = [];
  for (const node of nodes) {
    const names = await listed(() => node, ns, 100);
    for (const name of ["s", "t", "u"]) {
      const status = names.includes(name) ? [200, 204] : [404, 404];
      const loaded = await node.ask("GET", at(ns, name));
      const head = await node.ask("HEAD", at(ns, name));
      deepEqual([loaded.status, head.status], status, `${name} where ${names} are listed`);
    }
    found.push(names.join());
  }
  equal(new Set(found).size, 1, found.join(" and "));
  return found[0] === "" ? [] : (found[0] ?? "").split(",");
}

/** Runs an operation that stands still at its call of that index. @returns whether it has one. */
async function standing(
  world: World,
  { run, before, after }: Operation,
  stop: Stop,
  look: (ns: string) => Promise<readonly string[]>,
): Promise<boolean> {
  const [slow, sure] = world.pair;
  const ns = world.name();
  await prepare(sure, ns, "t");
  const lane = new Lane(stop);
  const { parked, done } = await lane.start(() => run(slow, ns));
  const now = await look(ns);
  deepEqual(now, now.join() === before.join() ? before : after);
  lane.release();
  equal((await done).status < 300, true);
  deepEqual(await look(ns), after);
  return parked;
}

async function everyCall(
  world: World,
  look: (ns: string) => Promise<readonly string[]>,
): Promise<void> {
  // Where there is time for little, other calls are tried from each seed.
  const step = world.rounds === 1 ? 3 : 1;
  for (const operation of OPERATIONS) {
    for (let call = world.seed % step; ; call += step) {
      const side = (call + world.seed) % 2 === 0 ? "before" : "after";
      if (!(await standing(world, operation, { call, side }, look))) break;
    }
  }
}

async function namesAgree(world: World): Promise<void> {
  await everyCall(world, (ns) => agreed(world.nodes, ns));
}

async function indexesAgree(world: World): Promise<void> {
  await everyCall(world, async (ns) => {
    await sweptWhole(world.pair[1]);
    return listed(() => world.pair[1], ns, 100);
  });
}

async function sweptWhole({ pointers, blobs }: Node): Promise<void> {
  try {
    await checkStore(withoutSpaces(pointers), blobs);
  } catch (error) {
    if (error instanceof Violation) equal(error.message, "");
    throw error;
  }
}

async function indexesOutliveNodes(world: World): Promise<void> {
  let at = 0;
  for (const { run, before, after } of OPERATIONS) {
    for (const side of ["before", "after"] as const) {
      const [slow] = world.pair;
      const ns = world.name();
      await prepare(slow, ns, "t");
      // The commit is the last call of the pointers; what comes before it is tried in turn.
      const lane = new Lane({ call: 3 + (at++ % 4), side });
      await lane.start(() => run(slow, ns));
      const next = await world.succeed();
      await sweptWhole(next);
      const now = await agreed([next], ns);
      deepEqual(now, now.join() === before.join() ? before : after);
    }
  }
}

async function derivedPointersAreNoSource(world: World): Promise<void> {
  const ns = world.name();
  const [one, two] = world.pair;
  await prepare(one, ns, "t");
  const ref = { catalog: "default", namespace: [ns], table: "t" };
  // Found among all pointers by an id that no other table has.
  const id = 1_000_000n + BigInt(world.prng.uint32());
  const { metadata } = (await two.done("GET", at(ns, "t"))).json;
  await two.done("POST", at(ns, "t"), { body: appending(metadata, id) });
  const ask = () => one.composition.snapshots.get(OWN_ACTOR, ref, id);
  const told = await ask();
  equal(told.manifestList, `${metadata.location}/metadata/snap-${id}.avro`);
  for (let round = 0; round < 2; round++) {
    const pointer = await derivedPointer(two, id);
    const { key, version } = pointer;
    await commit(two.pointers, "a stranger", del(key, version));
    deepEqual(await ask(), told);
    // Made again behind the answer.
    for (let looks = 0; (await two.pointers.get(key)).state === "absent"; looks++) {
      ok(looks < 1_000, "it was not made again");
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
  }
}

async function derivedPointer({ pointers }: Node, id: bigint): Promise<Item> {
  const leaf = `/snapshots/by-id/${digits19(id)}`;
  for await (const item of pointers.sweep("/")) {
    if (item.key.endsWith(leaf) && item.state === "live") return item;
  }
  throw new AssertionError({ message: `no pointer to snapshot ${id}` });
}

type AppendedTo = ClientMetadata & { readonly "last-updated-ms": number };

/** A commit that appends a snapshot. */
function appending(base: AppendedTo, id: bigint): object {
  const time = { "timestamp-ms": base["last-updated-ms"] + 1 };
  const updates = [addSnapshot(base, id, time), setRef("main", id)];
  const plain = JSON.parse(
    JSON.stringify(updates, (_, value) => (typeof value === "bigint" ? Number(value) : value)),
  );
  return { requirements: [], updates: plain };
}
