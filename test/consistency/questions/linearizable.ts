import { deepEqual, equal, ok, rejects } from "node:assert/strict";
import { utf8, utf8Text } from "../../../src/base/bytes.ts";
import { DeletedStillListed } from "../../contract/broken/blob-deleted-listed.ts";
import { overBlobs, staleReads, trustedMemory } from "../broken.ts";
import { ALL, OWNED, type Question } from "../claims.ts";
import { VersionHistory } from "../history.ts";
import { ProcessNode, refusalOf } from "../processes.ts";
import { commit, put, Space } from "../space.ts";
import {
  at,
  createTable,
  listed,
  prepare,
  property,
  rename,
  setting,
  versionOf,
} from "../tables.ts";
import { meanwhile } from "../together.ts";
import type { World } from "../world.ts";

export const LINEARIZABLE: Question = {
  title: "Linearizable reads",
  asks: "A write was acknowledged. Does every later read see it?",
  claims: [
    {
      level: "catalog",
      profiles: ALL,
      short: "yes, on every node",
      answer:
        "After a create, commit, rename or drop was acknowledged, every load, list and existence " +
        "check sees it, on every node, even with cached names and metadata.",
      check: answersAreSeen,
      broken: [staleReads(3)],
    },
    {
      level: "catalog",
      profiles: ALL,
      answer: "Loads of a table during commits are linearizable across all nodes.",
      check: loadsAreLinearizable,
      broken: [staleReads(3)],
    },
    {
      level: "catalog",
      profiles: OWNED,
      short: "a fenced owner answers nothing",
      answer:
        "An owner that was paused during a takeover never answers from its memory. Reads get 503 " +
        "`LSM_FENCED`; writes get 429 or 5xx and change nothing.",
      apart: true,
      check: overtakenOwnersAreSilent,
      broken: [trustedMemory("local")],
    },
    {
      level: "catalog",
      profiles: ["bucket"],
      answer:
        "The same between processes: a second process is refused. A standby serves within " +
        "seconds after the owner pauses. When the old owner resumes, it answers 503 or 429 and " +
        "changes nothing.",
      apart: true,
      check: stoppedOwnersAreSilent,
    },
    {
      level: "pointers",
      profiles: ALL,
      answer: "Each `get`, and each item of a `getMany` or `list`, is linearizable.",
      check: pointersAreLinearizable,
      broken: [staleReads(3)],
    },
    {
      level: "blobs",
      profiles: ALL,
      answer: "Every reader sees a completed put or delete at once, in reads, lists and counts.",
      check: blobsAreCurrent,
      broken: [overBlobs("lists of before the last delete", DeletedStillListed)],
    },
    {
      level: "engine",
      profiles: OWNED,
      answer:
        "A read is valid once `confirm` resolves: no other process had taken the shard over when " +
        "the read happened. On a fenced engine `confirm` rejects, at the latest when its lease " +
        "expires. The successor waits for that.",
      check: fencedEnginesSaySo,
    },
  ],
};

async function answersAreSeen(world: World): Promise<void> {
  const [writer, reader] = world.pair;
  const ns = world.name();
  await prepare(writer, ns);
  for (let round = 0; round < 2 * world.rounds; round++) {
    const [one, two] = round % 2 === 0 ? [writer, reader] : [reader, writer];
    const [name, renamed] = [`t${round}`, `u${round}`];
    const names = () => listed(() => two, ns, 100);
    equal((await createTable(one, ns, name)).status, 200);
    equal((await two.ask("HEAD", at(ns, name))).status, 204);
    equal(await property(two, at(ns, name), "k"), "");
    await one.done("POST", at(ns, name), { body: setting({ k: "1" }) });
    equal(await property(two, at(ns, name), "k"), "1");
    equal((await rename(one, ns, name, renamed)).status, 204);
    equal((await two.ask("GET", at(ns, name))).status, 404);
    equal(await property(two, at(ns, renamed), "k"), "1");
    deepEqual(await names(), [renamed]);
    await one.done("DELETE", at(ns, renamed));
    equal((await two.ask("HEAD", at(ns, renamed))).status, 404);
    deepEqual(await names(), []);
  }
}

async function loadsAreLinearizable(world: World): Promise<void> {
  const ns = world.name();
  await prepare(world.pair[0], ns, "t");
  const history = new VersionHistory();
  const load = (turn: number) => async (): Promise<number> =>
    versionOf(await world.node(turn).done("GET", at(ns, "t")));
  const write = (turn: number) => async (): Promise<number> => {
    const body = setting({ [`k${turn % 4}`]: String(turn) });
    return versionOf(await world.node(turn).done("POST", at(ns, "t"), { body }));
  };
  const read = async (turn: number): Promise<void> => void (await history.span(load(turn)));
  await meanwhile(
    async () => {
      for (let n = 0; n < 5 * world.rounds; n++) await history.span(write(n));
    },
    read,
    (turn) => read(turn + 1),
  );
  ok(history.length > 5 * world.rounds, "reads came in between");
  history.check();
}

async function overtakenOwnersAreSilent(world: World): Promise<void> {
  const [old] = world.pair;
  const ns = world.name();
  await prepare(old, ns, "t");
  await old.done("POST", at(ns, "t"), { body: setting({ by: "the owner" }) });
  equal(await property(old, at(ns, "t"), "by"), "the owner");
  await rejects(world.openNode(), { kind: "Unavailable", code: "LSM_OWNED" });
  const next = await world.succeed();
  await next.done("POST", at(ns, "t"), { body: setting({ by: "the next" }) });
  const paths = [at(ns, "t"), `/namespaces/${ns}/tables`, `/namespaces/${ns}`];
  for (const path of paths) {
    const { status, code } = await old.ask("GET", path);
    deepEqual([status, code], [503, "LSM_FENCED"]);
  }
  const late = await old.ask("POST", at(ns, "t"), { body: setting({ by: "the owner again" }) });
  ok(late.status === 429 || late.status >= 500, String(late.status));
  equal(await property(next, at(ns, "t"), "by"), "the next");
}

async function stoppedOwnersAreSilent(world: World): Promise<void> {
  const ns = world.name();
  for (const node of world.nodes) await node.close();
  const owner = await ProcessNode.start(world);
  const running = [owner];
  try {
    const { exitCode, written } = await refusalOf(world);
    deepEqual([exitCode, written.includes("LSM_OWNED")], [1, true]);
    await prepare(owner, ns, "t");
    await owner.done("POST", at(ns, "t"), { body: setting({ by: "the owner" }) });
    const waiting = ProcessNode.start(world, "--standby");
    process.kill(owner.server.pid, "SIGSTOP");
    const next = await waiting;
    running.push(next);
    await next.done("POST", at(ns, "t"), { body: setting({ by: "the next" }) });
    // Asked while it stands still, answered when it goes on.
    const late = [owner.ask("GET", at(ns, "t")), owner.ask("GET", `/namespaces/${ns}/tables`)];
    process.kill(owner.server.pid, "SIGCONT");
    for (const { status } of await Promise.all(late)) ok(status === 503 || status === 429);
    const body = setting({ by: "the owner again" });
    const { status } = await owner.ask("POST", at(ns, "t"), { body });
    ok(status === 429 || status >= 500, String(status));
    equal(await property(next, at(ns, "t"), "by"), "the next");
  } finally {
    for (const { server } of running) await server.kill();
  }
}

async function pointersAreLinearizable(world: World): Promise<void> {
  const space = new Space(world.name());
  const key = space.name("k");
  const history = new VersionHistory();
  const reads = [
    async (turn: number) => (await world.node(turn).pointers.get(key)).version,
    async (turn: number) => (await world.node(turn).pointers.getMany([key]))[0]?.version ?? 0n,
    async (turn: number) => (await world.node(turn).pointers.list(space.names))[0]?.version ?? 0n,
  ] as const;
  await meanwhile(
    async () => {
      for (let n = 0; n < 15 * world.rounds; n++) {
        await history.span(async () => {
          await commit(world.node(n).pointers, "w", put(key, BigInt(n)));
          return n + 1;
        });
        const read = reads[n % reads.length] ?? reads[0];
        await history.span(async () => Number(await read(n + 1)));
      }
    },
    ...reads.map((read) => async (turn: number) => {
      await history.span(async () => Number(await read(turn)));
    }),
  );
  history.check();
}

async function blobsAreCurrent(world: World): Promise<void> {
  const [one, two] = [world.pair[0].blobs, world.pair[1].blobs];
  const prefix = `check/${world.name()}/`;
  const path = `${prefix}k`;
  for (let round = 0; round < 2 * world.rounds; round++) {
    const bytes = utf8("x".repeat(round + 1));
    const { etag } = await one.put(path, bytes);
    const found = [await two.get(path), await two.head(path), (await two.list(prefix))[0]];
    deepEqual(
      found.map((each) => each?.etag),
      [etag, etag, etag],
    );
    equal((await two.head(path))?.size, round + 1);
    await one.delete(path);
    deepEqual([await two.get(path), await two.head(path)], [undefined, undefined]);
    deepEqual(await two.list(prefix), []);
  }
}

async function fencedEnginesSaySo(world: World): Promise<void> {
  const shard = world.name();
  const key = utf8("k");
  const old = await world.engine(shard);
  await old.put(key, utf8("old"), { durable: true });
  await old.confirm();
  const next = await world.engine(shard);
  await next.put(key, utf8("new"), { durable: true });
  const read = async (): Promise<string> => {
    const value = await old.get(key);
    await old.confirm();
    return utf8Text(value ?? utf8(""));
  };
  await rejects(read, { code: "LSM_FENCED" });
  const value = await next.get(key);
  await next.confirm();
  equal(utf8Text(value ?? utf8("")), "new");
}
