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
  asks: "A client gave up waiting and sends the same request again: does it happen twice?",
  claims: [
    {
      level: "catalog",
      profiles: ALL,
      short: "once under an `Idempotency-Key`, else as the request says",
      answer:
        "Under an `Idempotency-Key` it happens once, on whichever nodes it arrives, at once or " +
        "in turn: the others are answered as the first, with `Idempotency-Replayed: true`. " +
        "The same key over another body is 422.",
      check: keysHoldOnce,
      broken: [FORGETFUL],
    },
    {
      level: "catalog",
      profiles: ALL,
      answer:
        "Without a key the second request is one of its own: a create hears 409, a commit under " +
        "a requirement that its own first has moved hears 409, a rename or drop 404, and one " +
        "without requirements is applied again, over what others have committed meanwhile.",
      check: withoutKeysTwice,
    },
    {
      level: "catalog",
      profiles: DURABLE,
      short: "keys outlive restarts",
      answer:
        "A key is kept with what it did, for 30 minutes: a restart in between changes nothing.",
      apart: true,
      check: keysOutliveNodes,
    },
    {
      level: "catalog",
      profiles: DURABLE,
      answer:
        "So where the process is killed amid requests: repeated under their keys on its " +
        "successor, each has happened once, and those that were answered are replayed.",
      apart: true,
      check: keysOutliveKills,
    },
    {
      level: "catalog",
      profiles: ["memory"],
      short: "a restart forgets keys",
      answer: "What a key did is forgotten with the process, and so is its key.",
      apart: true,
      check: memoryForgets,
    },
    {
      level: "pointers",
      profiles: ALL,
      answer:
        "The same batch again is refused, since what it expected has moved; the refusal names " +
        "the writer that moved it. `commitCertain` under the same receipt answers what became " +
        "of the first.",
      check: receiptsTell,
      broken: [FORGETFUL],
    },
    {
      level: "blobs",
      profiles: ALL,
      answer:
        "The same put under `absent` again fails, and names the etag that stands there: that of " +
        "the first.",
      check: putsAreNamed,
    },
  ],
};

async function keysHoldOnce(world: World): Promise<void> {
  const ns = world.name();
  await prepare(world.pair[0], ns, "t");
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
    const other = await world.node(1).ask(method, path, { key, body: { ...body, extra: 1 } });
    deepEqual([other.status, other.code], [422, "IDEMPOTENCY_KEY_REUSED"]);
  };
  for (const atSameTime of [false, true]) {
    for (let round = 0; round < world.rounds; round++) {
      await repeat("POST", table, setting({ k: `${atSameTime} ${round}` }), atSameTime);
      equal(await commitsOf(world.node(round), table), ++commits);
    }
    const body = { name: `new-${atSameTime}`, schema: { type: "struct", fields: [] } };
    await repeat("POST", `/namespaces/${ns}/tables`, body, atSameTime);
  }
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
  await prepare(first, ns, "t");
  const key = idempotencyKey(world.prng);
  const sent = { key, body: setting({ k: "v" }) };
  const before = await first.done("POST", at(ns, "t"), sent);
  for (const node of world.nodes) await node.close();
  const next = await world.succeed();
  const after = await next.done("POST", at(ns, "t"), sent);
  deepEqual([before.replayed, after.replayed], [false, true]);
  equal(after.json["metadata-location"], before.json["metadata-location"]);
  equal(await commitsOf(next, at(ns, "t")), 1);
  const { receiptLifeMs, clockSkewMs } = LIMITS;
  world.clock.advance(receiptLifeMs - clockSkewMs);
  equal((await next.done("POST", at(ns, "t"), sent)).replayed, true);
  world.clock.advance(2 * clockSkewMs);
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
