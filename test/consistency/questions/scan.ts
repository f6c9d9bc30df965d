import { deepEqual, equal } from "node:assert/strict";
import { utf8, utf8Text } from "../../../src/base/bytes.ts";
import { randomBelow } from "../../../src/base/prng.ts";
import { ListMissesLive } from "../../contract/broken/blob-list-misses.ts";
import { ListMisses } from "../../contract/broken/pointer-list-misses.ts";
import { operationOf } from "../../double/dynamo/service.ts";
import { overBlobs, overPointers } from "../broken.ts";
import { ALL, OWNED, type Question } from "../claims.ts";
import { commit, del, put, Space } from "../space.ts";
import { at, createTable, listed, prepare, rename } from "../tables.ts";
import type { World } from "../world.ts";

export const SCAN: Question = {
  title: "Scan snapshot",
  asks: "A client reads a list page by page while others write. Which state does it see?",
  claims: [
    {
      level: "catalog",
      profiles: ALL,
      short: "an existing name is listed once; a rename between pages may be missed or seen twice",
      answer:
        "Each page is current when it is produced; several pages are not a snapshot. A name that " +
        "exists throughout is listed exactly once, in byte order, even if the last name of a " +
        "page is dropped. A name dropped before the list began is not listed. A table renamed " +
        "meanwhile is missed if its name moves from a later page to an earlier one, and listed " +
        "under both names in the opposite case.",
      check: pagesAreCurrent,
      broken: [overPointers("lists that lose their place", ListMisses)],
    },
    {
      level: "pointers",
      profiles: ALL,
      answer: "The same: a page continues after a leaf, even if that leaf was deleted.",
      check: pointerPagesMissNothing,
      broken: [overPointers("lists that lose their place", ListMisses)],
    },
    {
      level: "pointers",
      profiles: ["aws"],
      short: "so may a rename within one page",
      answer:
        "One page may take several queries, each of them current. A batch that commits in " +
        "between is visible in part of the page. (On other profiles a page is a snapshot: see " +
        "*Batch*.)",
      check: aPageIsSeveral,
    },
    {
      level: "blobs",
      profiles: ALL,
      answer:
        "The same by path: an object that exists throughout is listed exactly once; one deleted " +
        "before is not listed.",
      check: blobPagesMissNothing,
      broken: [overBlobs("pages that begin one name too late", ListMissesLive)],
    },
    {
      level: "engine",
      profiles: OWNED,
      answer:
        "A scan is a snapshot to its end, however slow the reader, and whatever is written, " +
        "flushed or compacted meanwhile.",
      check: scansAreSnapshots,
    },
  ],
};

async function pagesAreCurrent(world: World): Promise<void> {
  const [first] = world.pair;
  const ns = world.name();
  const names = Array.from({ length: 12 }, (_, i) => `k${String(i).padStart(2, "0")}`);
  await prepare(first, ns, "gone", ...names);
  await first.done("DELETE", at(ns, "gone"));
  const nodeOf = (page: number) => world.node(page);
  const found = await listed(nodeOf, ns, 4, async (page) => {
    if (page !== 0) return;
    // The page ended with k03. From ahead to behind, from behind to ahead, and that very name.
    equal((await rename(world.node(1), ns, "k11", "a11")).status, 204);
    equal((await rename(world.node(0), ns, "k00", "z00")).status, 204);
    await world.node(1).done("DELETE", at(ns, "k03"));
    equal((await createTable(world.node(0), ns, "k05-5")).status, 200);
  });
  const ahead = ["k04", "k05", "k05-5", "k06", "k07", "k08", "k09", "k10", "z00"];
  deepEqual(found, ["k00", "k01", "k02", "k03", ...ahead]);
  const after = await listed(nodeOf, ns, 100);
  deepEqual(after, ["a11", "k01", "k02", ...ahead]);
}

async function pointerPagesMissNothing(world: World): Promise<void> {
  const space = new Space(world.name());
  const stable = Array.from({ length: 40 }, (_, i) => `k${String(i).padStart(3, "0")}`);
  // Behind each one that stays there is one that comes and goes.
  const leaves = stable.flatMap((leaf) => [leaf, `${leaf}x`]);
  await commit(world.node(0).pointers, "w", ...leaves.map((leaf) => put(space.name(leaf))));
  const turn = async (page: number, leaf: string): Promise<void> => {
    const { pointers } = world.node(page);
    const key = space.name(leaf);
    const { version, state } = await pointers.get(key);
    await commit(pointers, "w", state === "live" ? del(key, version) : put(key, version));
  };
  for (let round = 0; round < world.rounds; round++) {
    const seen: string[] = [];
    for (let page = 0; ; page++) {
      const { pointers } = world.node(page);
      const after = seen.at(-1) ?? "";
      const items = await pointers.list(space.names, { limit: 8, after });
      if (items.length === 0) break;
      seen.push(...items.map(({ key }) => key.slice(space.names.length + 1)));
      // Also the one that the page ended with.
      const last = seen.at(-1) ?? "";
      if (last.endsWith("x")) await turn(page + 1, last);
      await turn(page, `${stable[randomBelow(world.prng, stable.length)]}x`);
    }
    deepEqual(seen, seen.toSorted());
    deepEqual(
      seen.filter((leaf) => stable.includes(leaf)),
      stable,
    );
  }
}

/** DynamoDB ends a query early, and a rename is committed before the next one. */
async function aPageIsSeveral(world: World): Promise<void> {
  const space = new Space(world.name());
  const [reader, writer] = [world.pair[0].pointers, world.pair[1].pointers];
  const { dynamo } = world.site;
  const move = (from: string, to: string) => () =>
    commit(writer, "w", del(space.name(from), 1n), put(space.name(to)));
  const read = async (between: () => Promise<void>): Promise<readonly string[]> => {
    const handler = dynamo.handler;
    let queries = 0;
    dynamo.handler = (request) => {
      if (operationOf(request) !== "Query") return handler(request);
      const body = { ...JSON.parse(Buffer.from(request.body).toString()), Limit: 2 };
      return handler({ ...request, body: Buffer.from(JSON.stringify(body)) });
    };
    dynamo.gate = (request) =>
      operationOf(request) === "Query" && ++queries === 2 ? between() : undefined;
    const items = await reader.list(space.names);
    dynamo.calm();
    return items.map(({ key }) => key.slice(space.names.length + 1));
  };
  await commit(writer, "w", ...["b", "c", "d", "e"].map((leaf) => put(space.name(leaf))));
  deepEqual(await read(move("e", "a")), ["b", "c", "d"]);
  deepEqual(await read(move("b", "f")), ["a", "b", "c", "d", "f"]);
}

async function blobPagesMissNothing(world: World): Promise<void> {
  const prefix = `check/${world.name()}/`;
  const { blobs } = world.node(0);
  const stable = Array.from({ length: 12 }, (_, i) => `${prefix}k${String(i).padStart(2, "0")}`);
  for (const path of [...stable, `${prefix}gone`]) await blobs.put(path, utf8(path));
  await blobs.delete(`${prefix}gone`);
  const seen: string[] = [];
  for (let page = 0; ; page++) {
    const store = world.node(page).blobs;
    const entries = await store.list(prefix, { limit: 4, after: seen.at(-1) ?? "" });
    if (entries.length === 0) break;
    seen.push(...entries.map(({ path }) => path));
    const last = seen.at(-1) ?? "";
    if (!last.endsWith("x")) await store.put(`${last}x`, utf8("behind the page"));
    await store.put(`${prefix}a${page}`, utf8("before it"));
  }
  deepEqual(seen, seen.toSorted());
  deepEqual(
    seen.filter((path) => /k\d\d$/.test(path)),
    stable,
  );
  equal(seen.includes(`${prefix}gone`), false);
}

async function scansAreSnapshots(world: World): Promise<void> {
  const engine = await world.engine(world.name(), { compaction: "manual", blockBytes: 512 });
  const keys = Array.from({ length: 200 }, (_, i) => utf8(`k${String(i).padStart(4, "0")}`));
  for (const key of keys) await engine.put(key, utf8("before"));
  await engine.flush();
  const scan = engine.scan({ batchRows: 20 });
  const rows: string[] = [];
  for (let batch = 0; ; batch++) {
    const found = await scan.next();
    if (found === undefined) break;
    rows.push(...found.map(({ value }) => utf8Text(value)));
    const ops = keys.map((key, i) =>
      i % 3 === batch % 3
        ? { op: "delete" as const, key }
        : { op: "put" as const, key, value: utf8("after") },
    );
    await engine.write(ops);
    if (batch === 2) await engine.compact();
  }
  deepEqual(
    rows,
    keys.map(() => "before"),
  );
}
