import { SeededPrng } from "../../src/base/prng.ts";
import type { CatalogNode } from "../../src/service/node.ts";
import { ACTOR } from "../support/open-catalog.ts";
import { commitOf, SCHEMA } from "../support/open-iceberg.ts";
import { addSnapshot, metadataOf, setRef } from "../support/snapshots.ts";
import { LEVEL_DAYS, readOptions, type SoakOptions } from "./options.ts";
import { openWorld, type Size, type World } from "./world.ts";

/*
 * Months of a catalog in minutes: two nodes commit to 20 tables, drop, rename and bring back, while
 * time is driven and housekeeping runs as it does in a server. What is stored has to level off.
 */

const USAGE = "usage: npm run soak -- --commits N [--days N]";
const TABLES = 20;
const KEPT_SNAPSHOTS = 5;
const DAY_MS = 86_400_000;
/** The largest of the last days may be so much more than that of the days before them. */
const SLACK = 1.15;
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

const { commits, days } = optionsOr();
const prng = new SeededPrng(commits);
const below = (count: number): number => Math.floor(prng.float() * count);

async function make(node: CatalogNode, name: string): Promise<void> {
  await node.iceberg.createTable(ACTOR, NS, {
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
async function append(node: CatalogNode, table: string, atMs: number): Promise<void> {
  const loaded = await node.iceberg.loadTable(ACTOR, { ...NS, table }, { snapshots: "all" });
  const metadata = metadataOf(loaded);
  const id = ++snapshots;
  const old = metadata.snapshots.slice(0, -KEPT_SNAPSHOTS).map((each) => each["snapshot-id"]);
  const updates = [
    addSnapshot(metadata, id, { "timestamp-ms": atMs }),
    setRef("main", id),
    ...(old.length === 0 ? [] : [{ action: "remove-snapshots", "snapshot-ids": old }]),
  ];
  await node.iceberg.commitTable(ACTOR, { ...NS, table }, commitOf(updates));
}

/** Now and then something else than a commit. */
async function stir(node: CatalogNode, names: string[]): Promise<void> {
  const at = below(names.length);
  const name = names[at] ?? "";
  const from = { ...NS, table: name };
  switch (below(3)) {
    case 0: {
      const to = `${name.split("-")[0]}-${below(1_000_000)}`;
      const { catalog, namespace } = NS;
      await node.iceberg.renameTable(ACTOR, {
        catalog,
        from: { namespace, table: name },
        to: { namespace, table: to },
      });
      names[at] = to;
      return;
    }
    case 1: {
      await node.iceberg.dropTable(ACTOR, from, { purgeRequested: prng.float() < 0.5 });
      await make(node, name);
      return;
    }
    case 2: {
      await node.iceberg.dropTable(ACTOR, from, { purgeRequested: false });
      const { items } = await node.dropped.list(ACTOR);
      const gone = items.find((one) => one.name === name);
      if (gone !== undefined) await node.dropped.undrop(ACTOR, gone.id);
    }
  }
}

async function work(world: World): Promise<readonly Size[]> {
  const { clock, nodes, expire } = world;
  const [first] = nodes;
  if (first === undefined) throw new Error("no node");
  await first.iceberg.createNamespace(ACTOR, NS, {});
  const names = Array.from({ length: TABLES }, (_, i) => `t${i}`);
  for (const name of names) await make(first, name);
  const sizes: Size[] = [];
  const aDay = commits / days;
  console.log("day  commits  pointers  objects      bytes  files  heap MiB  list ms");
  for (let done = 0, day = 1; day <= days; day++) {
    for (; done < Math.round(day * aDay); done++) {
      const node = nodes[done % nodes.length] ?? first;
      await append(node, names[below(names.length)] ?? "", clock.nowMs());
      if (below(50) === 0) await stir(node, names);
      await clock.sleep(DAY_MS / aDay);
      // Servers look at what is due once a minute at most; time runs faster here.
      if (below(Math.max(1, Math.round(aDay / 8))) === 0) await node.jobs.runDue();
    }
    for (const node of nodes) await node.catalog.context.background.settled();
    expire();
    const size = await world.size();
    sizes.push(size);
    const { pointers, objects, bytes, files, heapMib, listMs } = size;
    const cells: [number, number][] = [
      [day, 3],
      [done, 9],
      [pointers, 10],
      [objects, 9],
      [bytes, 11],
      [files, 7],
      [heapMib, 10],
      [listMs, 9],
    ];
    console.log(cells.map(([value, width]) => String(value).padStart(width)).join(""));
  }
  return sizes;
}

/** What still grows, and by how much. */
function growing(sizes: readonly Size[]): readonly string[] {
  const [before, last] = [sizes.slice(-2 * LEVEL_DAYS, -LEVEL_DAYS), sizes.slice(-LEVEL_DAYS)];
  const most = (of: readonly Size[], name: keyof Size) => Math.max(...of.map((each) => each[name]));
  const found: string[] = [];
  for (const name of ["pointers", "objects", "bytes", "files", "heapMib", "listMs"] as const) {
    // Memory and time of a machine that others use too are no exact figures.
    const isExact = name !== "heapMib" && name !== "listMs";
    const slack = isExact ? SLACK : 2;
    const extra = isExact ? 20 : 100;
    const [was, is] = [most(before, name), most(last, name)];
    if (is > was * slack + extra) found.push(`${name} grows from ${was} to ${is}`);
  }
  return found;
}

const world = await openWorld();
const startedMs = performance.now();
const failures: string[] = [];
try {
  const sizes = await work(world);
  failures.push(...growing(sizes), ...world.stops);
  const found = await world.check();
  const wrong = found.filter(({ level }) => level !== "leftover");
  failures.push(...wrong.slice(0, 20).map(({ code, subject }) => `fsck: ${code} ${subject}`));
  console.log(`fsck: ${wrong.length} findings, ${found.length - wrong.length} leftovers`);
} catch (error) {
  failures.push(error instanceof Error ? (error.stack ?? error.message) : String(error));
} finally {
  await world.close();
}
for (const failure of failures) console.log(`FAILED: ${failure}`);
const seconds = ((performance.now() - startedMs) / 1_000).toFixed(0);
console.log(`${commits} commits in ${days} days, ${seconds} s`);
console.log(
  `\n${failures.length === 0 ? 1 : 0} passed, ${failures.length === 0 ? 0 : 1} failed, 0 skipped`,
);
process.exit(failures.length === 0 ? 0 : 1);
