import { deepEqual, equal } from "node:assert/strict";
import { utf8, utf8Text } from "../../../src/base/bytes.ts";
import { FirnError } from "../../../src/base/error.ts";
import type { PutResult } from "../../../src/blob/port.ts";
import type { Engine } from "../../../src/lsm/engine/engine.ts";
import { TwoWinners as TwoBlobs } from "../../contract/broken/blob-two-winners.ts";
import { TwoWinners as TwoPointers } from "../../contract/broken/pointer-two-winners.ts";
import { LateWriter, overBlobs, overPointers } from "../broken.ts";
import { ALL, OWNED, type Question } from "../claims.ts";
import { answersAre } from "../node.ts";
import { commit, put, refuse, Space, send, standsOn } from "../space.ts";
import { at, createTable, prepare, widening } from "../tables.ts";
import { atOnce } from "../together.ts";
import type { World } from "../world.ts";

const RACERS = 6;

export const CONDITIONAL_WRITE: Question = {
  title: "Conditional write",
  asks: "Several writers start from the same state. How many succeed?",
  claims: [
    {
      level: "catalog",
      profiles: ALL,
      short: "exactly one succeeds",
      answer:
        "Of concurrent creates of one name, and of commits under one requirement, exactly one " +
        "succeeds, across all nodes. The others get 409 (`AlreadyExistsException`, " +
        "`CommitFailedException`) and change nothing.",
      check: oneRequestWins,
      broken: [overPointers("conditions looked at long before the write", LateWriter)],
    },
    {
      level: "pointers",
      profiles: ALL,
      answer:
        "A condition names the current version, tombstones included. One racer commits; the " +
        "others get the version that is current. A past or future version never satisfies a " +
        "condition.",
      check: onePutWins,
      broken: [overPointers("conditions looked at before the write", TwoPointers)],
    },
    {
      level: "blobs",
      profiles: ALL,
      answer:
        "Of concurrent puts with `absent`, or with one etag, exactly one succeeds. The others " +
        "get the current etag.",
      check: oneBlobWins,
      broken: [overBlobs("conditions looked at before the write", TwoBlobs)],
    },
    {
      level: "engine",
      profiles: OWNED,
      answer:
        "Transactions are serializable. Of transactions that read and write one key, one " +
        "commits. The others get `Conflict` and write nothing.",
      check: countsAreExact,
    },
  ],
};

async function oneRequestWins(world: World): Promise<void> {
  const ns = world.name();
  await prepare(world.pair[0], ns, "t");
  for (let round = 0; round < world.rounds; round++) {
    const creates = await atOnce(RACERS, (i) => createTable(world.node(i), ns, `new-${round}`));
    const taken = Array.from({ length: RACERS - 1 }, () => "409 AlreadyExistsException");
    answersAre(creates, ["200", ...taken]);
    const commits = await atOnce(RACERS, (i) =>
      world.node(i).ask("POST", at(ns, "t"), { body: widening(round + 2) }),
    );
    answersAre(commits, ["200", ...taken.map(() => "409 CommitFailedException")]);
    for (const node of world.nodes) {
      const { json } = await node.done("GET", at(ns, "t"));
      equal(json.metadata["last-column-id"], round + 2);
      equal(json.metadata["metadata-log"].length, round + 1);
    }
  }
}

async function onePutWins(world: World): Promise<void> {
  const key = new Space(world.name()).name("k");
  const stores = world.nodes.map(({ pointers }) => pointers);
  let version = 0n;
  for (let round = 0; round < 3 * world.rounds; round++) {
    const kills = round % 3 === 2;
    const outcomes = await atOnce(RACERS, async (i) => {
      const op = { op: kills ? "delete" : "put", key, expected: version } as const;
      const outcome = await send(world.node(i).pointers, `w${i}`, op);
      return { i, outcome };
    });
    version++;
    const winners = outcomes.filter(({ outcome }) => outcome.outcome === "committed");
    equal(winners.length, 1);
    const found = { version, writerId: `w${winners[0]?.i}`, state: kills ? "absent" : "live" };
    await standsOn(stores, key, found as { readonly version: bigint });
    for (const { outcome } of outcomes) {
      if (outcome.outcome === "committed") continue;
      equal(outcome.outcome === "conflict" && outcome.failed[0]?.version, version);
    }
    for (const wrong of [0n, version - 1n, version + 1n].filter((each) => each !== version)) {
      await refuse(world.node(round).pointers, "late", put(key, wrong));
    }
  }
  await commit(world.node(0).pointers, "last", put(key, version));
}

async function oneBlobWins(world: World): Promise<void> {
  const path = `check/${world.name()}/k`;
  let standing: string | undefined;
  for (let round = 0; round < 2 * world.rounds; round++) {
    const condition = standing === undefined ? "absent" : { etag: standing };
    const results: readonly PutResult[] = await atOnce(RACERS, (i) =>
      world.node(i).blobs.put(path, utf8(`${round} ${i}`), condition),
    );
    const stored = results.filter(({ outcome }) => outcome === "stored");
    equal(stored.length, 1);
    standing = stored[0]?.etag;
    for (const { etag } of results) equal(etag, standing);
    for (const { blobs } of world.nodes) equal((await blobs.head(path))?.etag, standing);
  }
}

async function countsAreExact(world: World): Promise<void> {
  const engine = await world.engine(world.name());
  const key = utf8("count");
  const tries = await atOnce(RACERS, () => increment(engine, key));
  const won = tries.filter((done) => done);
  const value = await engine.get(key);
  deepEqual(value && utf8Text(value), String(won.length));
  equal(won.length, 1);
}

/** Reads, lets others read, and writes one more. @returns whether it was committed. */
async function increment(engine: Engine, key: Uint8Array): Promise<boolean> {
  const transaction = engine.transaction();
  const before = await transaction.get(key);
  await new Promise((resolve) => setImmediate(resolve));
  transaction.put(key, utf8(String(Number(before === undefined ? 0 : utf8Text(before)) + 1)));
  try {
    await (await transaction.commit()).durable();
    return true;
  } catch (error) {
    if (error instanceof FirnError && error.kind === "Conflict") return false;
    throw error;
  } finally {
    transaction.rollback();
  }
}
