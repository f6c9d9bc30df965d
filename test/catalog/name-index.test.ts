import { describe, expect, it } from "vitest";
import type { AccountId } from "../../src/base/ids.ts";
import { FAMILIES, keyOf } from "../../src/catalog/keys.ts";
import { NameIndex } from "../../src/catalog/name-index.ts";
import type { Batch, CommitOutcome, PointerStore, Version } from "../../src/pointer/port.ts";
import { newPointers } from "../support/pointer-kind.ts";
import { VirtualClock } from "../support/virtual-clock.ts";

const ACCOUNT = "a" as AccountId;
const key = (name: string) => keyOf(FAMILIES.tableByName, ACCOUNT, "c", "n", name);
const DIRECTORY = key("x").slice(0, -2);
const put = (name: string, expected: Version = 0n) =>
  ({ op: "put", key: key(name), expected }) as const;
const gone = (name: string, expected: Version) =>
  ({ op: "delete", key: key(name), expected }) as const;

/** Holds commits and lists back until a test lets them through. */
function world() {
  const clock = new VirtualClock();
  const store = newPointers(clock);
  const held: { readonly answers: (() => void)[]; pause: boolean } = { answers: [], pause: false };
  let lists = 0;
  let answer: CommitOutcome | undefined;
  const inner: PointerStore = {
    get: (each) => store.get(each),
    getMany: (keys) => store.getMany(keys),
    sweep: (prefix, options) => store.sweep(prefix, options),
    forget: (each, version) => store.forget(each, version),
    list: async (directory, options) => {
      lists++;
      const found = await store.list(directory, options);
      if (held.pause) await new Promise<void>((resolve) => held.answers.push(resolve));
      return found;
    },
    commit: async (batch) => {
      const outcome = await store.commit(batch);
      if (held.pause) await new Promise<void>((resolve) => held.answers.push(resolve));
      return answer ?? outcome;
    },
  };
  const index = new NameIndex(inner, clock);
  const commit = (...ops: Batch["ops"]) => index.pointers.commit({ writerId: "w", ops });
  const names = async () => (await index.names(DIRECTORY)).map(({ name }) => name);
  return {
    clock,
    index,
    commit,
    names,
    held,
    lists: () => lists,
    answerWith: (outcome: CommitOutcome | undefined) => {
      answer = outcome;
    },
  };
}

describe("names of a directory in memory", () => {
  it("follow what is committed, in byte order, with one read of the store", async () => {
    const { commit, names, lists } = world();
    await commit(put("b"), put("d"));
    expect(await names()).toEqual(["b", "d"]);
    await commit(put("c"));
    await commit(gone("b", 1n), put("a"), put("Z"));
    expect(await names()).toEqual(["Z", "a", "c", "d"]);
    expect((await commit(put("e", 7n))).outcome).toBe("conflict");
    expect(await names()).toEqual(["Z", "a", "c", "d"]);
    expect(lists()).toBe(1);
  });

  it("have what is committed while they are read, whichever of the two came first", async () => {
    const { commit, names, held, lists } = world();
    await commit(put("b"));
    held.pause = true;
    const reading = names();
    await Promise.resolve();
    const committing = commit(gone("b", 1n), put("c"));
    await new Promise((resolve) => setImmediate(resolve));
    expect(held.answers).toHaveLength(2);
    held.pause = false;
    // The list was read before the batch; its answer comes after it.
    held.answers[1]?.();
    await committing;
    held.answers[0]?.();
    expect(await reading).toEqual(["c"]);
    expect([await names(), lists()]).toEqual([["c"], 1]);
  });

  it("are read anew where two batches on one key were answered out of their order", async () => {
    const { commit, names, held, lists } = world();
    await names();
    held.pause = true;
    const first = commit(put("t"));
    await new Promise((resolve) => setImmediate(resolve));
    const second = commit(gone("t", 1n));
    await new Promise((resolve) => setImmediate(resolve));
    held.pause = false;
    held.answers[1]?.();
    expect((await second).outcome).toBe("committed");
    held.answers[0]?.();
    expect((await first).outcome).toBe("committed");
    expect(await names()).toEqual([]);
    expect(lists()).toBe(2);
    await names();
    expect(lists()).toBe(2);
  });

  it("are not kept while a batch of unknown outcome may still land", async () => {
    const { commit, names, clock, lists, answerWith } = world();
    await commit(put("a"));
    await names();
    answerWith({ outcome: "unknown" });
    await commit(put("b"));
    answerWith(undefined);
    expect([await names(), await names()]).toEqual([
      ["a", "b"],
      ["a", "b"],
    ]);
    expect(lists()).toBe(3);
    clock.skip(17 * 60_000);
    await names();
    await names();
    expect(lists()).toBe(4);
  });

  it("keep no more than their bound", async () => {
    const clock = new VirtualClock();
    const index = new NameIndex(newPointers(clock), clock, 1_000);
    for (const namespace of ["n", "o", "p", "q", "r", "s"]) {
      await index.names(keyOf(FAMILIES.tableByName, ACCOUNT, "c", namespace, "x").slice(0, -2));
    }
    expect(index.size).toBe(5);
  });
});
