import { deepEqual, equal, ok } from "node:assert/strict";
import { TornPut } from "../../contract/broken/blob-torn-put.ts";
import { overBlobs, tornItems } from "../broken.ts";
import { ALL, type Question } from "../claims.ts";
import type { Answer } from "../client.ts";
import { commit, put, Space } from "../space.ts";
import { at, prepare, setting, versionOf } from "../tables.ts";
import { meanwhile } from "../together.ts";
import type { World } from "../world.ts";

export const SINGLE_KEY: Question = {
  title: "Single key",
  asks: "One object is written while clients read it. What do they see?",
  claims: [
    {
      level: "catalog",
      profiles: ALL,
      short: "the state before or after, never a mix",
      answer:
        "A commit is atomic. A concurrent load, on any node, returns the state before or after " +
        "it. One entity tag always names the same state.",
      check: tablesAreWhole,
      broken: [tornItems()],
    },
    {
      level: "pointers",
      profiles: ALL,
      answer:
        "Version, writer, blob path and summary of a pointer always come from the same write.",
      check: pointersAreWhole,
      broken: [tornItems()],
    },
    {
      level: "blobs",
      profiles: ALL,
      answer:
        "A read returns the content and etag of one put, even during an overwrite. (Firn " +
        "overwrites only a few pointer objects in a bucket.)",
      check: blobsAreWhole,
      broken: [overBlobs("puts in place, byte by byte", TornPut)],
    },
  ],
};

async function tablesAreWhole(world: World): Promise<void> {
  const [first] = world.pair;
  const ns = world.name();
  await prepare(first, ns, "t");
  const seen = new Map<number, string>();
  const note = (answer: Answer): void => {
    const { metadata, ...loaded } = answer.json;
    equal(metadata.properties.a, metadata.properties.b);
    const state = `${loaded["metadata-location"]} ${metadata.properties.a}`;
    equal(seen.get(versionOf(answer)) ?? state, state);
    seen.set(versionOf(answer), state);
  };
  const load = async (turn: number): Promise<void> =>
    note(await world.node(turn).done("GET", at(ns, "t")));
  await meanwhile(
    async () => {
      for (let n = 0; n < 6 * world.rounds; n++) {
        const body = setting({ a: String(n), b: String(n) });
        note(await world.node(n).done("POST", at(ns, "t"), { body }));
        await load(n + 1);
      }
    },
    load,
    (turn) => load(turn + 1),
  );
  ok(seen.size > world.rounds, `${seen.size} states were seen`);
}

async function pointersAreWhole(world: World): Promise<void> {
  const key = new Space(world.name()).name("k");
  const look = async (turn: number): Promise<void> => {
    const item = await world.node(turn).pointers.get(key);
    if (item.state === "absent") return;
    deepEqual([item.writerId, item.blobPath], [`w${item.version}`, `b/${item.version}`]);
  };
  await meanwhile(
    async () => {
      for (let n = 0; n < 20 * world.rounds; n++) {
        const op = put(key, BigInt(n), `b/${n + 1}`);
        await commit(world.node(n).pointers, `w${n + 1}`, op);
        await look(n);
      }
    },
    look,
    (turn) => look(turn + 1),
  );
}

async function blobsAreWhole(world: World): Promise<void> {
  const path = `check/${world.name()}/k`;
  const etags = new Map<string, number>();
  const look = async (turn: number): Promise<void> => {
    const blob = await world.node(turn).blobs.get(path);
    if (blob === undefined) return;
    const n = blob.bytes[0] ?? -1;
    equal(blob.bytes.length, 10_000);
    ok(
      blob.bytes.every((byte) => byte === n),
      "a blob of two puts",
    );
    equal(etags.get(blob.etag) ?? n, n);
    etags.set(blob.etag, n);
  };
  await meanwhile(
    async () => {
      for (let n = 0; n < 5 * world.rounds; n++) {
        const bytes = new Uint8Array(10_000).fill(n % 250);
        const done = await world.node(n).blobs.put(path, bytes);
        equal(done.outcome, "stored");
        equal(etags.get(done.etag ?? "") ?? n % 250, n % 250);
      }
    },
    look,
    (turn) => look(turn + 1),
  );
}
