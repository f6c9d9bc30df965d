import { deepEqual, equal, match, ok } from "node:assert/strict";
import { utf8 } from "../../../src/base/bytes.ts";
import { Stopwatch } from "../../../src/base/clock.ts";
import { IdSource } from "../../../src/base/ids.ts";
import { LIMITS } from "../../../src/base/limits.ts";
import { commitCertain } from "../../../src/pointer/certain.ts";
import { losing } from "../broken.ts";
import { ALL, DURABLE, type Question } from "../claims.ts";
import { idempotencyKey } from "../keys.ts";
import { answersAre } from "../node.ts";
import { ProcessNode } from "../processes.ts";
import { commit, put, refuse, Space } from "../space.ts";
import {
  at,
  commitsOf,
  createTable,
  prepare,
  property,
  rename,
  setting,
  widening,
} from "../tables.ts";
import { atOnce } from "../together.ts";
import type { World } from "../world.ts";

const FORGETFUL = losing("batches without their receipts", ({ key }) =>
  key.includes("/idempotency/"),
);

export const RETRY: Question = {
  title: "Retry after timeout",
  asks: "A client times out and sends the same request again. Does it happen twice?",
  claims: [
    {
      level: "catalog",
      profiles: ALL,
      short: "once with an `Idempotency-Key`",
      answer:
        "With an `Idempotency-Key` it happens once, on any nodes, concurrently or in sequence. " +
        "Repeats get the first answer with `Idempotency-Replayed: true`. The same key with " +
        "another body, table or operation gets 422.",
      check: keysHoldOnce,
      broken: [FORGETFUL],
    },
    {
      level: "catalog",
      profiles: ALL,
      answer:
        "Without a key the second request is independent. A create gets 409. A commit whose " +
        "requirement the first request invalidated gets 409. A rename or drop gets 404. A commit " +
        "without requirements applies again, over later commits.",
      check: withoutKeysTwice,
    },
    {
      level: "catalog",
      profiles: DURABLE,
      short: "keys survive restarts",
      answer: "Firn keeps a key and its outcome for 30 minutes, across restarts.",
      apart: true,
      check: keysOutliveNodes,
    },
    {
      level: "catalog",
      profiles: DURABLE,
      answer:
        "The same if the process is killed during requests. Repeated with their keys on its " +
        "successor, each request has happened once, and acknowledged ones are replayed.",
      apart: true,
      check: keysOutliveKills,
    },
    {
      level: "catalog",
      profiles: ["memory"],
      short: "a restart loses keys",
      answer: "A restart loses keys, together with everything they did.",
      apart: true,
      check: memoryForgets,
    },
    {
      level: "pointers",
      profiles: ALL,
      answer:
        "The same batch is refused, because its conditions no longer hold. The refusal names the " +
        "writer. `commitCertain` with the same receipt returns the outcome of the first.",
      check: receiptsTell,
      broken: [FORGETFUL],
    },
    {
      level: "blobs",
      profiles: ALL,
      answer:
        "The same put with `absent` fails and returns the current etag, which is that of the " +
        "first put.",
      check: putsAreNamed,
    },
  ],
};

async function keysHoldOnce(world: World): Promise<void> {
  const ns = world.name();
  await prepare(world.pair[0], ns, "t", "u");
  const table = at(ns, "t");
  let commits = 0;
  const repeat = async (method: string, path: string, body: object, atSameTime: boolean) => {
    const key = idempotencyKey(world.prng);
    const ask = (i: number) => world.node(i).ask(method, path, { key, body });
    const answers = atSameTime ? await atOnce(3, ask) : [await ask(0), await ask(1), await ask(2)];
    for (const { status, type } of answers) match(`${status} ${type}`, /^20/);
    equal(answers.filter(({ replayed }) => !replayed).length, 1);
    const told = answers.map(({ json }) => json?.["metadata-location"]);
    equal(new Set(told).size, 1);
    const others = [
      world.node(1).ask(method, path, { key, body: { ...body, extra: 1 } }),
      world.node(0).ask("DELETE", at(ns, "u"), { key }),
      world.node(1).ask("POST", at(ns, "u"), { key, body: setting({ k: "reused" }) }),
      world
        .node(0)
        .ask("POST", `/namespaces/${ns}/properties`, { key, body: { updates: { k: "v" } } }),
    ];
    for (const { status, code } of await Promise.all(others)) {
      deepEqual([status, code], [422, "IDEMPOTENCY_KEY_REUSED"]);
    }
  };
  for (const atSameTime of [false, true]) {
    for (let round = 0; round < world.rounds; round++) {
      await repeat("POST", table, setting({ k: `${atSameTime} ${round}` }), atSameTime);
      equal(await commitsOf(world.node(round), table), ++commits);
    }
    const body = { name: `new-${atSameTime}`, schema: { type: "struct", fields: [] } };
    await repeat("POST", `/namespaces/${ns}/tables`, body, atSameTime);
  }
  equal(await commitsOf(world.node(0), at(ns, "u")), 0);
}

async function withoutKeysTwice(world: World): Promise<void> {
  const ns = world.name();
  const [one, two] = world.pair;
  await prepare(one, ns, "t", "r", "d");
  const table = at(ns, "t");
  answersAre([await createTable(two, ns, "t")], ["409 AlreadyExistsException"]);
  await one.done("POST", table, { body: widening(2) });
  const again = await two.ask("POST", table, { body: widening(2) });
  answersAre([again], ["409 CommitFailedException"]);
  equal(await commitsOf(one, table), 1);
  for (const k of ["mine", "another's", "mine"]) {
    await two.done("POST", table, { body: setting({ k }) });
  }
  equal(await commitsOf(one, table), 4);
  equal(await property(one, table, "k"), "mine");
  equal((await rename(one, ns, "r", "s")).status, 204);
  answersAre([await rename(two, ns, "r", "s")], ["404 NoSuchTableException"]);
  await one.done("DELETE", at(ns, "d"));
  answersAre([await two.ask("DELETE", at(ns, "d"))], ["404 NoSuchTableException"]);
}

async function keysOutliveNodes(world: World): Promise<void> {
  const ns = world.name();
  const [first] = world.pair;
  await prepare(first, ns, "t", "u");
  const key = idempotencyKey(world.prng);
  const sent = { key, body: setting({ k: "v" }) };
  const before = await first.done("POST", at(ns, "t"), sent);
  for (const node of world.nodes) await node.close();
  const next = await world.succeed();
  const after = await next.done("POST", at(ns, "t"), sent);
  deepEqual([before.replayed, after.replayed], [false, true]);
  equal(after.json["metadata-location"], before.json["metadata-location"]);
  const reused = await next.ask("POST", at(ns, "u"), sent);
  deepEqual([reused.status, reused.code], [422, "IDEMPOTENCY_KEY_REUSED"]);
  equal(await commitsOf(next, at(ns, "u")), 0);
  equal(await commitsOf(next, at(ns, "t")), 1);
  const { receiptLifeMs, clockSkewMs } = LIMITS;
  world.clock.advance(receiptLifeMs - clockSkewMs);
  equal((await next.done("POST", at(ns, "t"), sent)).replayed, true);
  world.clock.advance(3 * clockSkewMs);
  equal((await next.done("POST", at(ns, "t"), sent)).replayed, false);
}

async function keysOutliveKills(world: World): Promise<void> {
  const ns = world.name();
  for (const node of world.nodes) await node.close();
  const first = await ProcessNode.start(world);
  const running = [first];
  try {
    await prepare(first, ns, "t");
    const sent = Array.from({ length: 8 }, (_, i) => {
      return { key: idempotencyKey(world.prng), body: setting({ [`k${i}`]: String(i) }) };
    });
    const asked = sent.map((each) => first.ask("POST", at(ns, "t"), each).catch(() => undefined));
    await Promise.race(asked);
    await first.server.kill();
    const answers = await Promise.all(asked);
    const next = await ProcessNode.start(world);
    running.push(next);
    for (const [i, each] of sent.entries()) {
      const again = await next.done("POST", at(ns, "t"), each);
      if (answers[i]?.status === 200) equal(again.replayed, true);
    }
    equal(await commitsOf(next, at(ns, "t")), sent.length);
  } finally {
    for (const { server } of running) await server.kill();
  }
}

async function memoryForgets(world: World): Promise<void> {
  const ns = world.name();
  const [first] = world.pair;
  const key = idempotencyKey(world.prng);
  const sent = { key, body: { namespace: [ns] } };
  await first.done("POST", "/namespaces", sent);
  await first.close();
  const next = await world.succeed();
  equal((await next.ask("GET", `/namespaces/${ns}`)).status, 404);
  equal((await next.done("POST", "/namespaces", sent)).replayed, false);
}

async function receiptsTell(world: World): Promise<void> {
  const name = world.name();
  const space = new Space(name);
  const { clock, prng } = world;
  const ids = new IdSource(clock, prng);
  const deps = { clock, prng, ids };
  const [one, two] = [world.pair[0].pointers, world.pair[1].pointers];
  await commit(two, "w", put(space.entity("raw")));
  const [found] = await refuse(one, "w", put(space.entity("raw")));
  deepEqual([found?.version, found?.writerId], [1n, "w"]);
  const receipt = { key: `/accounts/space-${name}/idempotency/op/k`, expected: 0n };
  const attempt = (id: number) =>
    commitCertain(
      id === 0 ? one : two,
      deps,
      { writerId: ids.mint(), stopwatch: new Stopwatch(clock) },
      { ops: [put(space.entity(id))], receipt },
    );
  equal((await attempt(1)).verdict, "committed");
  const again = await attempt(0);
  equal(again.verdict, "replayed");
  equal((await two.get(space.entity(0))).state, "absent");
}

async function putsAreNamed(world: World): Promise<void> {
  const path = `check/${world.name()}/k`;
  const put = (i: number) => world.node(i).blobs.put(path, utf8("same"), "absent");
  const [first, second] = [await put(0), await put(1)];
  deepEqual([first.outcome, second.outcome], ["stored", "failed"]);
  ok(first.etag !== undefined);
  equal(second.etag, first.etag);
}
