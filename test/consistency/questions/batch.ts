import { deepEqual, equal, ok } from "node:assert/strict";
import { utf8 } from "../../../src/base/bytes.ts";
import type { PointerOp } from "../../../src/pointer/port.ts";
import { Lane } from "../../catalog/support/gate.ts";
import { HalfABatch } from "../../contract/broken/pointer-half-a-batch.ts";
import { operationOf } from "../../double/dynamo/service.ts";
import { stingy } from "../../double/dynamo/trouble.ts";
import { overPointers, TwoSteps } from "../broken.ts";
import { ALL, OWNED, type Question } from "../claims.ts";
import { commit, del, pathOf, put, refuse, Space } from "../space.ts";
import { at, createTable, prepare, widening } from "../tables.ts";
import { atOnce, meanwhile } from "../together.ts";
import type { World } from "../world.ts";

const BROKEN = [overPointers("batches applied one operation after the other", HalfABatch)];
const SLOW = [overPointers("batches applied in two steps", TwoSteps)];

export const BATCH: Question = {
  title: "Batch",
  asks: "Several objects are written together. Can half of the write happen?",
  claims: [
    {
      level: "catalog",
      profiles: ALL,
      short: "all or nothing",
      answer:
        "`POST transactions/commit` changes all of its tables or none. Loads of two tables are " +
        "two requests: one may return the state before the commit, the other the state after it.",
      check: transactionsAreWhole,
      broken: BROKEN,
    },
    {
      level: "pointers",
      profiles: ALL,
      answer:
        "A batch of up to 100 operations applies completely, or not at all if one condition " +
        "fails.",
      check: batchesAreWhole,
      broken: BROKEN,
    },
    {
      level: "pointers",
      profiles: ["memory", "local", "bucket"],
      answer:
        "A `getMany` and a page of a `list` are snapshots: they contain a batch completely or " +
        "not at all.",
      check: readsAreOneState,
      broken: SLOW,
    },
    {
      level: "pointers",
      profiles: ["aws"],
      answer:
        "Each pointer in a `getMany` is current, but the set is not a snapshot. If DynamoDB " +
        "answers in parts, a batch may commit in between. Firn proves what depends on several " +
        "pointers by the conditions of a batch, or by a second read.",
      check: readsAreSeveral,
    },
    {
      level: "engine",
      profiles: OWNED,
      answer:
        "A batch is one log record. After a crash an acknowledged batch is complete; an " +
        "unacknowledged one is complete or absent.",
      check: engineBatchesAreWhole,
    },
  ],
};

async function transactionsAreWhole(world: World): Promise<void> {
  const [first] = world.pair;
  const ns = world.name();
  const tables = ["x", "y", "z"];
  await prepare(first, ns, ...tables);
  const columns = async (): Promise<readonly number[]> =>
    Promise.all(
      tables.map(async (table, i) => {
        const { json } = await world.node(i).done("GET", at(ns, table));
        return json.metadata["last-column-id"];
      }),
    );
  const send = (turn: number, fields: readonly number[]) => {
    const changes = tables.map((name, i) => ({
      identifier: { namespace: [ns], name },
      ...widening(fields[i] ?? 0),
    }));
    const body = { "table-changes": changes };
    return world.node(turn).ask("POST", "/transactions/commit", { body });
  };
  for (const wrong of [0, 1, 2]) {
    const { status, type } = await send(wrong, [2, 2, 2].with(wrong, 5));
    deepEqual([status, type], [409, "CommitFailedException"]);
    deepEqual(await columns(), [1, 1, 1]);
  }
  for (let round = 0; round < world.rounds; round++) {
    const next = round + 2;
    const racers = await atOnce(4, (i) => send(i, [next, next, next]));
    deepEqual(racers.map(({ status }) => status).sort(), [204, 409, 409, 409]);
    deepEqual(await columns(), [next, next, next]);
  }
  // One stands still at each of its calls, while the last of its tables is dropped.
  for (let call = 0; ; call++) {
    const [x = 0, y = 0, z = 0] = await columns();
    const lane = new Lane({ call, side: "before" });
    const { parked, done } = await lane.start(() => send(1, [x + 1, y + 1, z + 1]));
    await first.done("DELETE", at(ns, "z"));
    lane.release();
    const { status } = await done;
    equal((await createTable(first, ns, "z")).status, 200);
    const after = status === 204 ? [x + 1, y + 1, 1] : [x, y, 1];
    deepEqual([status, await columns()], [status === 204 ? 204 : 404, after], `at call ${call}`);
    if (!parked) return;
  }
}

async function batchesAreWhole(world: World): Promise<void> {
  const space = new Space(world.name());
  const [store, other] = [world.pair[0].pointers, world.pair[1].pointers];
  const keys = ["live", "doomed", "taken"].map((name) => space.name(name));
  const [live = "", doomed = "", taken = ""] = keys;
  await commit(store, "maker", ...keys.map((key) => put(key)));
  const good: readonly PointerOp[] = [
    ...[put(live, 1n), del(doomed, 1n), put(space.entity("new"))],
    { op: "check", key: taken, expected: 1n },
  ];
  const bad: readonly PointerOp[] = [
    ...[put(space.entity("other"), 3n), del(space.entity("none"), 1n)],
    { op: "bump", key: space.entity("none") },
  ];
  const all = [...good, ...bad].map(({ key }) => key);
  const before = await store.getMany(all);
  for (const failing of bad) {
    for (let place = 0; place <= good.length; place++) {
      const failed = await refuse(store, "w", ...good.toSpliced(place, 0, failing));
      deepEqual(
        failed.map(({ key }) => key),
        [failing.key],
      );
    }
  }
  deepEqual(await other.getMany(all), before);
  await commit(other, "w", ...good);
  const after = await store.getMany(good.map(({ key }) => key));
  deepEqual(
    after.map(({ state, version }) => `${state} ${version}`),
    ["live 2", "absent 2", "live 1", "live 1"],
  );
}

async function readsAreOneState(world: World): Promise<void> {
  const space = new Space(world.name());
  const { pointers } = world.pair[0];
  const keys = ["a", "b", "c", "d"].map((name) => space.name(name));
  const look = async (): Promise<void> => {
    const read = await pointers.getMany(keys);
    equal(new Set(read.map(pathOf)).size, 1, read.map(pathOf).join());
    const page = await pointers.list(space.names);
    equal(new Set(page.map(pathOf)).size <= 1, true, page.map(pathOf).join());
  };
  await meanwhile(
    async () => {
      for (let n = 0; n < 10 * world.rounds; n++) {
        await commit(pointers, "w", ...keys.map((key) => put(key, BigInt(n), `n${n}`)));
      }
    },
    look,
    look,
  );
}

/** DynamoDB answers a part of a batch of reads, and a batch of writes is applied meanwhile. */
async function readsAreSeveral(world: World): Promise<void> {
  const space = new Space(world.name());
  const [reader, writer] = [world.pair[0].pointers, world.pair[1].pointers];
  const keys = ["a", "b", "c"].map((name) => space.entity(name));
  await commit(writer, "w", ...keys.map((key) => put(key, 0n, "old")));
  const { dynamo } = world.site;
  const least = { float: () => 0, bytes: (count: number) => new Uint8Array(count) };
  dynamo.handler = stingy(dynamo.handler, least);
  let reads = 0;
  dynamo.gate = (request) => {
    if (operationOf(request) !== "BatchGetItem" || ++reads !== 2) return undefined;
    return commit(writer, "w", ...keys.map((key) => put(key, 1n, "new")));
  };
  const read = (await reader.getMany(keys)).map(pathOf);
  dynamo.calm();
  deepEqual(read.toSorted(), ["new", "new", "old"]);
  deepEqual((await reader.getMany(keys)).map(pathOf), ["new", "new", "new"]);
}

async function engineBatchesAreWhole(world: World): Promise<void> {
  const shard = world.name();
  const width = 3;
  let acknowledged = 0;
  for (let life = 0; life < 2 * world.rounds; life++) {
    const engine = await world.engine(shard);
    const found: number[] = [];
    for (let batch = 1; ; batch++) {
      const keys = Array.from({ length: width }, (_, i) => utf8(`${i}/${batch}`));
      const there = (await engine.getMany(keys)).filter((value) => value !== undefined).length;
      ok(there === 0 || there === width, `batch ${batch} has ${there} of ${width} rows`);
      if (there === 0) break;
      found.push(batch);
    }
    ok(found.length >= acknowledged, `${found.length} of ${acknowledged} batches`);
    const written = Array.from({ length: 6 }, (_, n) => {
      const batch = found.length + n + 1;
      const ops = Array.from({ length: width }, (_, i) => {
        return { op: "put" as const, key: utf8(`${i}/${batch}`), value: utf8(String(batch)) };
      });
      return engine.write(ops);
    });
    // The first three are acknowledged; what comes after them is under way when it is overtaken.
    await (await written[2])?.durable();
    acknowledged = found.length + 3;
  }
}
