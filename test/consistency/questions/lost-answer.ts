import { deepEqual, equal, ok } from "node:assert/strict";
import { request } from "node:http";
import { utf8, utf8Text } from "../../../src/base/bytes.ts";
import { Stopwatch } from "../../../src/base/clock.ts";
import { FirnError } from "../../../src/base/error.ts";
import { IdSource } from "../../../src/base/ids.ts";
import type { Maybe } from "../../../src/lsm/maybe.ts";
import { commitCertain } from "../../../src/pointer/certain.ts";
import type { Fault } from "../../double/faults.ts";
import { TROUBLE } from "../../double/s3/trouble.ts";
import { deniedDoubt, withBlobs } from "../broken.ts";
import { ALL, type Question, REMOTE } from "../claims.ts";
import type { Answer } from "../client.ts";
import { FailingDisk } from "../failing-disk.ts";
import { idempotencyKey } from "../keys.ts";
import type { Network } from "../network.ts";
import type { Node } from "../node.ts";
import { put, Space } from "../space.ts";
import { at, commitsOf, createTable, prepare, rename, setting, widening } from "../tables.ts";
import type { World } from "../world.ts";

/** Applied or not, and nobody hears of it. */
const FAULTS: readonly Fault[] = [
  { fault: "lost" },
  { fault: "late", lag: 3 },
  { fault: "unsent" },
  { fault: "refused", refusal: TROUBLE[0] as (typeof TROUBLE)[number], applied: true },
];

export const LOST_ANSWER: Question = {
  title: "Lost answer",
  asks: "A write happens, and its response is lost. What does the caller learn?",
  claims: [
    {
      level: "catalog",
      profiles: REMOTE,
      short: "the outcome, or 5xx `CommitStateUnknown`; never 409",
      answer:
        "Between node and store, any response of a create, commit, rename or drop may be lost, " +
        "delayed or replaced by a 500. The client gets 2xx if the operation happened once; 5xx " +
        "(`CommitStateUnknownException`) if it may have happened; 429 if it did not. It never " +
        "gets 409 or 404 for the effect of its first request.",
      check: lostAnswersAreSettled,
      broken: [deniedDoubt("aws")],
    },
    {
      level: "catalog",
      profiles: ALL,
      short: "a repeat with its `Idempotency-Key` gets the outcome",
      answer:
        "Between client and node, a request continues after its client disconnects. A repeat " +
        "with the same `Idempotency-Key` gets the same answer, and the operation happens once.",
      check: goneClientsAreServed,
    },
    {
      level: "pointers",
      profiles: REMOTE,
      answer:
        "The DynamoDB adapter reports `unknown`. The log in a bucket reads its object back and " +
        "knows the outcome. Above both, `commitCertain` reports `committed`, once.",
      check: doubtIsSettled,
      broken: [deniedDoubt("aws")],
    },
    {
      level: "blobs",
      profiles: REMOTE,
      answer:
        "Each put has an id. After a lost response Firn looks for that id and reports `stored`, " +
        "never `failed` for its own object.",
      check: putsAreSettled,
      broken: [
        withBlobs(
          "puts sent again blindly",
          (inner) => ({
            put: async (path, bytes, condition) => {
              const first = await inner.put(path, bytes, condition);
              return path.startsWith("check/") ? inner.put(path, bytes, condition) : first;
            },
          }),
          "aws",
        ),
      ],
    },
    {
      level: "engine",
      profiles: REMOTE.filter((profile) => profile === "bucket"),
      answer:
        "If the put of a log group is not answered, the engine puts it again under the same " +
        "number and recognizes it. The group is stored once and acknowledged once.",
      check: groupsAreRecognised,
    },
    {
      level: "engine",
      profiles: ["local"],
      answer:
        "If the disk fails a log write, the caller gets `Unknown`; writes waiting behind it get " +
        "`Unavailable`. After reopening, the shard has every acknowledged write, all or none of " +
        "the unknown group, and no write that got `Unavailable`.",
      check: failedWritesAreDoubtful,
    },
  ],
};

interface Operation {
  readonly name: string;
  run(node: Node, ns: string): Promise<Answer>;
  /** How often it has happened. */
  count(node: Node, ns: string): Promise<number>;
}

const there = async (node: Node, ns: string, name: string): Promise<number> =>
  (await node.ask("HEAD", at(ns, name))).status === 204 ? 1 : 0;

const OPERATIONS: readonly Operation[] = [
  {
    name: "commit",
    run: (node, ns) => node.ask("POST", at(ns, "t"), { body: widening(2) }),
    count: (node, ns) => commitsOf(node, at(ns, "t")),
  },
  {
    name: "commit without requirements",
    run: (node, ns) => node.ask("POST", at(ns, "t"), { body: setting({ k: "v" }) }),
    count: (node, ns) => commitsOf(node, at(ns, "t")),
  },
  {
    name: "create",
    run: (node, ns) => createTable(node, ns, "new"),
    count: (node, ns) => there(node, ns, "new"),
  },
  {
    name: "rename",
    run: (node, ns) => rename(node, ns, "t", "u"),
    count: async (node, ns) => {
      const [from, to] = [await there(node, ns, "t"), await there(node, ns, "u")];
      equal(from + to, 1);
      return to;
    },
  },
  {
    name: "drop",
    run: (node, ns) => node.ask("DELETE", at(ns, "t")),
    count: async (node, ns) => 1 - (await there(node, ns, "t")),
  },
];

async function lostAnswersAreSettled(world: World): Promise<void> {
  const { s3, dynamo } = world.site;
  const networks = world.profile === "aws" ? [dynamo, s3] : [s3];
  const faults = FAULTS.slice(0, world.rounds === 1 ? 1 : FAULTS.length);
  const operations = OPERATIONS.slice(0, world.rounds === 1 ? 2 : OPERATIONS.length);
  for (const operation of operations) {
    for (const network of networks) {
      for (const fault of faults) await strikeEach(world, operation, network, fault);
    }
  }
}

/** One run for each request that the operation sends. */
async function strikeEach(
  world: World,
  { name, run, count }: Operation,
  network: Network,
  fault: Fault,
): Promise<void> {
  const [sure, struck] = world.pair;
  for (let index = 0; ; index++) {
    const ns = world.name();
    await prepare(sure, ns, "t");
    const before = network.requests;
    network.strike(index, fault);
    const answer = await run(struck, ns);
    const met = network.requests - before > index;
    network.calm();
    const what = `${name}, request ${index} ${fault.fault}: ${answer.status} ${answer.type}`;
    const happened = await count(sure, ns);
    if (answer.status < 300) equal(happened, 1, what);
    else if (answer.type === "CommitStateUnknownException") ok(happened <= 1, what);
    else {
      ok(answer.status === 429 || answer.status >= 500, what);
      equal(happened, 0, what);
    }
    if (!met) return;
  }
}

async function goneClientsAreServed(world: World): Promise<void> {
  const ns = world.name();
  const [asked, sure] = world.pair;
  await prepare(sure, ns, "t");
  const url = `${await asked.listen()}/iceberg/v1${at(ns, "t")}`;
  for (let round = 1; round <= 2 * world.rounds; round++) {
    const key = idempotencyKey(world.prng);
    const body = setting({ round: String(round) });
    const headers = { "content-type": "application/json", "idempotency-key": key };
    const client = request(url, { method: "POST", headers });
    const gone = new Promise<void>((resolve) => client.on("close", resolve));
    client.on("error", () => undefined);
    const carriedOut = new Promise<void>((resolve) => {
      asked.onCommit = async () => {
        asked.onCommit = undefined;
        client.destroy();
        await gone;
        resolve();
      };
    });
    client.end(JSON.stringify(body));
    await carriedOut;
    const again = await sure.done("POST", at(ns, "t"), { key, body });
    equal(again.replayed, true);
    equal(again.json.metadata.properties.round, String(round));
    equal(await commitsOf(sure, at(ns, "t")), round);
  }
}

/** The network between the pointers of the profile and where they are kept. */
function networkOfPointers(world: World): Network {
  return world.profile === "aws" ? world.site.dynamo : world.site.s3;
}

async function doubtIsSettled(world: World): Promise<void> {
  const name = world.name();
  const space = new Space(name);
  const { clock, prng } = world;
  const ids = new IdSource(clock, prng);
  const network = networkOfPointers(world);
  const { pointers } = world.pair[1];
  network.strike(0, { fault: "lost" });
  const raw = await pointers.commit({ writerId: "w", ops: [put(space.entity("raw"))] });
  equal(raw.outcome, world.profile === "aws" ? "unknown" : "committed");
  for (const [i, fault] of FAULTS.entries()) {
    network.strike(0, fault);
    const receipt = { key: `/accounts/space-${name}/idempotency/op/${i}`, expected: 0n };
    const attempt = { writerId: ids.mint(), stopwatch: new Stopwatch(clock) } as const;
    const ops = [put(space.entity(i))];
    const verdict = await commitCertain(pointers, { clock, prng, ids }, attempt as never, {
      ops,
      receipt,
    });
    network.calm();
    equal(verdict.verdict, "committed", fault.fault);
    const item = await world.pair[0].pointers.get(space.entity(i));
    deepEqual([item.version, item.writerId], [1n, attempt.writerId]);
  }
}

async function putsAreSettled(world: World): Promise<void> {
  const prefix = `check/${world.name()}/`;
  const { blobs } = world.pair[1];
  for (const [i, fault] of FAULTS.entries()) {
    const path = `${prefix}${i}`;
    let condition: Parameters<typeof blobs.put>[2] = "absent";
    for (const text of ["one", "two", "three"]) {
      world.site.s3.strike(0, fault, ({ method }) => method === "PUT");
      const done = await blobs.put(path, utf8(text), condition);
      world.site.s3.calm();
      equal(done.outcome, "stored", `${fault.fault}, ${text}`);
      equal(utf8Text((await world.pair[0].blobs.get(path))?.bytes ?? utf8("")), text);
      condition = { etag: done.etag ?? "" };
    }
  }
}

async function groupsAreRecognised(world: World): Promise<void> {
  const shard = world.name();
  const engine = await world.engine(shard);
  const isLog = ({ method, path }: { readonly method: string; readonly path: string }): boolean =>
    method === "PUT" && path.includes(`/${shard}/wal/`);
  for (const [i, fault] of FAULTS.entries()) {
    world.site.s3.strike(0, fault, isLog);
    const transaction = engine.transaction();
    const before = Number(utf8Text((await transaction.get(utf8("n"))) ?? utf8("0")));
    transaction.put(utf8("n"), utf8(String(before + 1)));
    try {
      await (await transaction.commit()).durable();
    } catch (error) {
      if (error instanceof FirnError) throw new Error(`${fault.fault}: ${error.code}`);
      throw error;
    } finally {
      world.site.s3.calm();
    }
    equal(utf8Text((await engine.get(utf8("n"))) ?? utf8("")), String(i + 1));
  }
  const next = await world.engine(shard);
  equal(utf8Text((await next.get(utf8("n"))) ?? utf8("")), String(FAULTS.length));
}

async function failedWritesAreDoubtful(world: World): Promise<void> {
  for (const share of [0, 0.3, 0.7, 1]) {
    const shard = world.name();
    const disk = new FailingDisk(world.logOf(shard));
    const engine = await world.engine(shard, {}, disk);
    await engine.put(utf8("before"), utf8("x"), { durable: true });
    disk.failing = share;
    const doubtful = ["a", "b"].map((half) => {
      return { op: "put" as const, key: utf8(half), value: new Uint8Array(3_000) };
    });
    const first = fateOf(engine.write(doubtful, { durable: true }));
    // It is on its way to the disk by then.
    await new Promise((resolve) => setImmediate(resolve));
    const behind = fateOf(engine.put(utf8("behind"), utf8("x"), { durable: true }));
    deepEqual([await first, await behind], ["Unknown", "Unavailable"], `share ${share}`);
    const next = await world.engine(shard);
    const found = await next.getMany(["before", "a", "b", "behind"].map(utf8));
    const [before, a, b, late] = found.map((value) => value !== undefined);
    deepEqual([before, late], [true, false], `share ${share}`);
    equal(a, b, `share ${share}`);
    if (share === 0) equal(a, false);
  }
}

async function fateOf(writing: Maybe<unknown>): Promise<string> {
  try {
    await writing;
    return "acknowledged";
  } catch (error) {
    if (error instanceof FirnError) return error.kind;
    throw error;
  }
}
