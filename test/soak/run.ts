import { keepResult } from "../../bench/report.ts";
import { SeededPrng } from "../../src/base/prng.ts";
import type { Actor } from "../../src/service/actor.ts";
import type { FsckFinding } from "../../src/service/fsck/fsck.ts";
import type { CatalogNode } from "../../src/service/node.ts";
import { ACTOR } from "../support/open-catalog.ts";
import { commitOf, SCHEMA } from "../support/open-iceberg.ts";
import { addSnapshot, metadataOf, setRef } from "../support/snapshots.ts";
import { LEVEL_DAYS, readOptions, type SoakOptions } from "./options.ts";
import { OTHER, openWorld, type Restored, type Size, type World } from "./world.ts";

/*
 * Months of a catalog in minutes: two nodes commit to 20 tables, drop, rename and bring back, while
 * time is driven and housekeeping runs as it does in a server. What is stored has to level off.
 */

const USAGE = "usage: npm run soak -- --commits N [--days N] [--keep]";
const TABLES = 20;
/** Tables of the other account, and its share of the commits. */
const OTHER_TABLES = 4;
const OTHER_SHARE = 0.1;
const KEPT_SNAPSHOTS = 5;
const DAY_MS = 86_400_000;
/** The largest of the last days may be so much more than that of the days before them. */
const SLACK = { share: 1.1, extra: 20 } as const;
const NS = { catalog: "c", namespace: ["n"] } as const;

function optionsOr(): SoakOptions {
  try {
    return readOptions(process.argv.slice(2));
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    console.error(USAGE);
    process.exit(2);
  }
}

const { commits, days, keep } = optionsOr();
const prng = new SeededPrng(commits);
const below = (count: number): number => Math.floor(prng.float() * count);

/** A node, and in whose name it is asked. */
interface Asked {
  readonly node: CatalogNode;
  readonly actor: Actor;
}

async function make({ node, actor }: Asked, name: string): Promise<void> {
  await node.iceberg.createTable(actor, NS, {
    name,
    schema: SCHEMA,
    stageCreate: false,
    properties: {
      "write.metadata.delete-after-commit.enabled": "true",
      "write.metadata.previous-versions-max": "5",
    },
  });
}

let snapshots = 1_000n;

/** An append that keeps a few snapshots, as a job with an expiry does. */
async function append({ node, actor }: Asked, table: string, atMs: number): Promise<void> {
  const loaded = await node.iceberg.loadTable(actor, { ...NS, table }, { snapshots: "all" });
  const metadata = metadataOf(loaded);
  const id = ++snapshots;
  const old = metadata.snapshots.slice(0, -KEPT_SNAPSHOTS).map((each) => each["snapshot-id"]);
  const updates = [
    addSnapshot(metadata, id, { "timestamp-ms": atMs }),
    setRef("main", id),
    ...(old.length === 0 ? [] : [{ action: "remove-snapshots", "snapshot-ids": old }]),
  ];
  await node.iceberg.commitTable(actor, { ...NS, table }, commitOf(updates));
}

/** Locations of tables that were dropped without a purge: what lies there stays, by contract. */
const leftAt = new Set<string>();

async function locationOf({ node, actor }: Asked, table: string): Promise<string> {
  const loaded = await node.iceberg.loadTable(actor, { ...NS, table }, { snapshots: "all" });
  return String(metadataOf(loaded)["location"]);
}

/** Now and then something else than a commit. */
async function stir(asked: Asked, names: string[]): Promise<void> {
  const { node, actor } = asked;
  const at = below(names.length);
  const name = names[at] ?? "";
  const from = { ...NS, table: name };
  switch (below(3)) {
    case 0: {
      const to = `${name.split("-")[0]}-${below(1_000_000)}`;
      const { catalog, namespace } = NS;
      await node.iceberg.renameTable(actor, {
        catalog,
        from: { namespace, table: name },
        to: { namespace, table: to },
      });
      names[at] = to;
      return;
    }
    case 1: {
      const purgeRequested = prng.float() < 0.5;
      const location = await locationOf(asked, name);
      await node.iceberg.dropTable(actor, from, { purgeRequested });
      if (!purgeRequested) leftAt.add(location);
      await make(asked, name);
      return;
    }
    case 2: {
      leftAt.add(await locationOf(asked, name));
      await node.iceberg.dropTable(actor, from, { purgeRequested: false });
      const { items } = await node.dropped.list(actor);
      // That may be an older one, dropped under the same name.
      const gone = items.find((one) => one.name === name);
      if (gone === undefined) throw new Error(`dropped, and not listed: ${name}`);
      await node.dropped.undrop(actor, gone.id);
      leftAt.delete(await locationOf(asked, name));
    }
  }
}

/** Makes tables. @returns their names. */
async function begun(asked: Asked, count: number): Promise<string[]> {
  await asked.node.iceberg.createNamespace(asked.actor, NS, {});
  const names = Array.from({ length: count }, (_, i) => `t${i}`);
  for (const name of names) await make(asked, name);
  return names;
}

async function work(world: World): Promise<readonly Size[]> {
  const { clock, nodes, other, expire } = world;
  const [first] = nodes;
  if (first === undefined) throw new Error("no node");
  const main = await begun({ node: first, actor: ACTOR }, TABLES);
  const elsewhere = { node: other, actor: OTHER };
  const others = await begun(elsewhere, OTHER_TABLES);
  const sizes: Size[] = [];
  const aDay = commits / days;
  console.log("day  commits  pointers  objects      bytes  files   left  heap MiB  list ms");
  for (let done = 0, day = 1; day <= days; day++) {
    for (; done < Math.round(day * aDay); done++) {
      const own = { node: nodes[done % nodes.length] ?? first, actor: ACTOR };
      const [asked, names] = prng.float() < OTHER_SHARE ? [elsewhere, others] : [own, main];
      await append(asked, names[below(names.length)] ?? "", clock.nowMs());
      if (below(50) === 0) await stir(asked, names);
      await clock.sleep(DAY_MS / aDay);
      // Servers look at what is due once a minute at most; time runs faster here.
      if (below(Math.max(1, Math.round(aDay / 8))) !== 0) continue;
      for (const { jobs } of [own.node, other]) await jobs.runDue();
    }
    for (const node of [...nodes, other]) await node.catalog.context.background.settled();
    await expire();
    const size = await world.size([...leftAt]);
    sizes.push(size);
    const { pointers, objects, bytes, files, left, heapMib, listMs } = size;
    const cells: [number, number][] = [
      [day, 3],
      [done, 9],
      [pointers, 10],
      [objects, 9],
      [bytes, 11],
      [files, 7],
      [left, 7],
      [heapMib, 10],
      [listMs, 9],
    ];
    console.log(cells.map(([value, width]) => String(value).padStart(width)).join(""));
  }
  return sizes;
}

/** The largest of the days before the last ones, and of these. */
function levels(sizes: readonly Size[]): readonly [before: Size, last: Size] {
  const most = (of: readonly Size[]): Size => {
    const largest = (name: keyof Size) => Math.max(...of.map((each) => each[name]));
    return {
      pointers: largest("pointers"),
      objects: largest("objects"),
      bytes: largest("bytes"),
      files: largest("files"),
      left: largest("left"),
      heapMib: largest("heapMib"),
      listMs: largest("listMs"),
    };
  };
  return [most(sizes.slice(-2 * LEVEL_DAYS, -LEVEL_DAYS)), most(sizes.slice(-LEVEL_DAYS))];
}

/** What still grows, and by how much. What is left is not Firn's: it grows with each drop. */
function growing([before, last]: readonly [Size, Size]): readonly string[] {
  const found: string[] = [];
  for (const name of ["pointers", "objects", "bytes", "files", "heapMib", "listMs"] as const) {
    // The time of a machine that others use too is not an exact figure.
    const { share, extra } = name === "listMs" ? { share: 2, extra: 100 } : SLACK;
    const [was, is] = [before[name], last[name]];
    if (is > was * share + extra) found.push(`${name} grows from ${was} to ${is}`);
  }
  return found;
}

/** What is damaged. Leftovers are the collection's: a check beside it may see some. */
function damages(place: string, found: readonly FsckFinding[]): readonly string[] {
  const wrong = found.filter(({ level }) => level !== "leftover");
  console.log(
    `fsck of ${place}: ${wrong.length} findings, ${found.length - wrong.length} leftovers`,
  );
  return wrong.slice(0, 20).map(({ code, subject }) => `fsck of ${place}: ${code} ${subject}`);
}

/** A backup has to restore to an equal catalog. */
function judged({ backup, restore, before, after, found }: Restored): readonly string[] {
  const { accounts, pointers, changes, payloads } = backup;
  console.log(
    `backup of ${accounts.join(", ")}: ${pointers} pointers, ${changes} changes, ` +
      `${payloads} payloads`,
  );
  console.log(`restore: ${restore.entities} entities, ${restore.pointers} pointers`);
  console.log(`hash of ${before.pointers} pointers: ${before.hash}`);
  console.log(`restored, of ${after.pointers} pointers: ${after.hash}`);
  const unequal = before.hash === after.hash ? [] : ["the restored catalog is not equal"];
  return [...unequal, ...damages("the restored store", found)];
}

const world = await openWorld();
const startedMs = performance.now();
const failures: string[] = [];
let level: readonly [before: Size, last: Size] | undefined;
try {
  level = levels(await work(world));
  failures.push(...growing(level), ...world.stops);
  failures.push(...damages("the store", await world.check()));
  failures.push(...judged(await world.backUpAndRestore()));
} catch (error) {
  failures.push(error instanceof Error ? (error.stack ?? error.message) : String(error));
} finally {
  await world.close();
}
for (const failure of failures) console.log(`FAILED: ${failure}`);
const seconds = Math.round((performance.now() - startedMs) / 1_000);
const { user, system } = process.cpuUsage();
const cpuSeconds = Math.round((user + system) / 1_000_000);
if (keep && level !== undefined) {
  const [before, last] = level;
  keepResult("soak", { commits, days, seconds, cpuSeconds, before, last, failures });
}
console.log(`${commits} commits in ${days} days, ${seconds} s, ${cpuSeconds} s of processor time`);
console.log(
  `\n${failures.length === 0 ? 1 : 0} passed, ${failures.length === 0 ? 0 : 1} failed, 0 skipped`,
);
process.exit(failures.length === 0 ? 0 : 1);
