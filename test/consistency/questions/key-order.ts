import { equal, ok } from "node:assert/strict";
import { utf8, utf8Text } from "../../../src/base/bytes.ts";
import { restartingVersions, staleReads } from "../broken.ts";
import { ALL, OWNED, type Question } from "../claims.ts";
import { commit, del, put, Space } from "../space.ts";
import { at, createTable, prepare, setting, versionOf } from "../tables.ts";
import { meanwhile } from "../together.ts";
import type { World } from "../world.ts";

export const KEY_ORDER: Question = {
  title: "Order of one key",
  asks: "A client reads one object repeatedly. Can it go back in time?",
  claims: [
    {
      level: "catalog",
      profiles: ALL,
      short: "no, on no node",
      answer:
        "A client that reads a table from alternating nodes sees commits in order. It may miss " +
        "some; none is undone.",
      check: tablesGoForward,
      broken: [staleReads(3)],
    },
    {
      level: "catalog",
      profiles: ALL,
      answer:
        "An entity tag is never reused, even if a table is dropped and created again. A request " +
        "with an old tag never gets 304 for another state.",
      check: tagsAreUsedOnce,
    },
    {
      level: "pointers",
      profiles: ALL,
      answer:
        "Each write or delete of a key increments its version while the key or its tombstone is " +
        "stored. Every reader sees versions grow.",
      check: versionsGrow,
      broken: [restartingVersions()],
    },
    {
      level: "engine",
      profiles: OWNED,
      answer:
        "Sequence numbers continue across takeovers. Acknowledged writes keep their position; " +
        "later writes follow.",
      check: sequencesGoOn,
    },
  ],
};

async function tablesGoForward(world: World): Promise<void> {
  const ns = world.name();
  await prepare(world.pair[0], ns, "t");
  const reader = () => {
    let [last, count] = [0, -1];
    return async (turn: number): Promise<void> => {
      const answer = await world.node(turn).done("GET", at(ns, "t"));
      const n = Number(answer.json.metadata.properties.n ?? -1);
      ok(versionOf(answer) >= last, `version ${versionOf(answer)} after ${last}`);
      ok(n >= count, `commit ${n} after ${count}`);
      [last, count] = [versionOf(answer), n];
    };
  };
  const own = reader();
  await meanwhile(
    async () => {
      for (let n = 0; n < 5 * world.rounds; n++) {
        await world.node(n).done("POST", at(ns, "t"), { body: setting({ n: String(n) }) });
        await own(n + 1);
      }
    },
    reader(),
    reader(),
  );
}

async function tagsAreUsedOnce(world: World): Promise<void> {
  const ns = world.name();
  await prepare(world.pair[0], ns);
  const tags = new Set<string>();
  let answers = 0;
  for (let life = 0; life < 2 * world.rounds; life++) {
    const made = await createTable(world.node(life), ns, "t");
    const body = setting({ k: "v" });
    const changed = await world.node(life + 1).done("POST", at(ns, "t"), { body });
    for (const { etag } of [made, changed]) tags.add(etag);
    answers += 2;
    for (const etag of tags) {
      const { status } = await world.node(life).ask("GET", at(ns, "t"), { ifNoneMatch: etag });
      equal(status, etag === changed.etag ? 304 : 200);
    }
    await world.node(life).done("DELETE", at(ns, "t"));
  }
  equal(tags.size, answers);
}

async function versionsGrow(world: World): Promise<void> {
  const space = new Space(world.name());
  const key = space.name("k");
  const reader = () => {
    let last = 0n;
    return async (turn: number): Promise<void> => {
      const { version } = await world.node(turn).pointers.get(key);
      ok(version >= last, `version ${version} after ${last}`);
      last = version;
    };
  };
  const own = reader();
  await meanwhile(
    async () => {
      for (let n = 0; n < 12 * world.rounds; n++) {
        const expected = BigInt(n);
        const op = n % 3 === 2 ? del(key, expected) : put(key, expected);
        await commit(world.node(n).pointers, "w", op);
        await own(n + 1);
      }
    },
    reader(),
    reader(),
  );
}

async function sequencesGoOn(world: World): Promise<void> {
  const shard = world.name();
  let [last, count] = [0, 0];
  for (let life = 0; life < 2 * world.rounds; life++) {
    const engine = await world.engine(shard);
    ok(engine.lastSequence >= last, `sequence ${engine.lastSequence} after ${last}`);
    equal(Number(utf8Text((await engine.get(utf8("n"))) ?? utf8("0"))), count);
    for (let i = 0; i < 3; i++) {
      const value = utf8(String(++count));
      const { sequence } = await engine.put(utf8("n"), value, { durable: true });
      ok(sequence > last, `sequence ${sequence} after ${last}`);
      last = sequence;
    }
    if (life % 2 === 0) await engine.flush();
  }
}
