import { expect } from "vitest";
import { LIMITS } from "../../src/base/limits.ts";
import type { Live, PointerStore } from "../../src/pointer/port.ts";
import { type Checks, del, put, type Space } from "./pointer-store-space.ts";

/** Leaves that sort otherwise by letters, by numbers, by case or by length than by bytes. */
const LEAVES = [
  "%7Etilde",
  "-",
  "10",
  "9",
  "A",
  "Z",
  "_",
  "a",
  "a%20b",
  "a-b",
  "a.b",
  "aa",
  "b",
  "~0",
];

async function fill(s: Space, leaves: readonly string[]): Promise<void> {
  for (let at = 0; at < leaves.length; at += LIMITS.batchOps) {
    const ops = leaves.slice(at, at + LIMITS.batchOps).map((leaf) => put(s.name(leaf)));
    await s.commit("filler", ...ops);
  }
}

function leavesOf(items: readonly Live[]): readonly string[] {
  return items.map(({ key }) => key.slice(key.lastIndexOf("/") + 1));
}

/** All leaves of a directory, by pages of `limit`. */
async function pages(
  store: PointerStore,
  directory: string,
  limit: number,
  between: () => Promise<void> = async () => {},
): Promise<readonly string[]> {
  const all: string[] = [];
  for (;;) {
    const after = all.at(-1);
    const page = await store.list(directory, { limit, ...(after !== undefined && { after }) });
    expect(page.length).toBeLessThanOrEqual(limit);
    if (page.length === 0) return all;
    all.push(...leavesOf(page));
    await between();
  }
}

export const listChecks: Checks = {
  "lists live children in byte order, with all that is known of them": async (store, s) => {
    await fill(s, LEAVES.toReversed());
    expect(leavesOf(await store.list(s.names))).toEqual(LEAVES);
    const summary = Uint8Array.of(9);
    const key = s.name("A");
    await s.commit("w", { op: "put", key, expected: 1n, blobPath: "b", summary });
    const [, , , , a] = await store.list(s.names);
    expect(a).toMatchObject({ state: "live", key, version: 2n, writerId: "w", blobPath: "b" });
    expect(Buffer.compare(a?.summary ?? Buffer.of(), summary)).toBe(0);
    expect(await store.list(`${s.root}/paths`)).toEqual([]);
  },

  "goes on after any leaf, whether it exists or not": async (store, s) => {
    await fill(s, LEAVES);
    for (const after of [...LEAVES, "", "0", "a!", "aaa", "zzz", "~~"]) {
      const rest = LEAVES.filter((leaf) => leaf > after);
      expect(leavesOf(await store.list(s.names, { after }))).toEqual(rest);
      expect(leavesOf(await store.list(s.names, { after, limit: 2 }))).toEqual(rest.slice(0, 2));
    }
  },

  "pages of every size make up the whole": async (store, s) => {
    const leaves = Array.from({ length: 1_203 }, (_, i) => `n${String(i).padStart(5, "0")}`);
    await fill(s, leaves);
    expect(await store.list(s.names)).toHaveLength(LIMITS.pageSize);
    for (const limit of [97, 1_000]) expect(await pages(store, s.names, limit)).toEqual(leaves);
  },

  "shows a write at once, hides the dead, shows the re-created": async (store, s) => {
    await fill(s, ["a", "b", "c"]);
    await s.commit("w", del(s.name("b"), 1n), del(s.name("never"), 0n));
    expect(leavesOf(await store.list(s.names))).toEqual(["a", "c"]);
    expect(leavesOf(await store.list(s.names, { limit: 2 }))).toEqual(["a", "c"]);
    await s.commit("w", put(s.name("b"), 2n));
    await s.commit("w", put(s.name("never"), 1n));
    expect(leavesOf(await store.list(s.names))).toEqual(["a", "b", "c", "never"]);
  },

  "lists direct children only": async (store, s) => {
    const path = (...levels: string[]): string => [`${s.root}/paths`, ...levels].join("/");
    await s.commit(
      "w",
      ...[path("a"), path("a", "x"), path("a", "x", "deep"), path("a-b"), path("b", "orphan")].map(
        (key) => put(key),
      ),
    );
    expect(leavesOf(await store.list(path()))).toEqual(["a", "a-b"]);
    expect(leavesOf(await store.list(path("a")))).toEqual(["x"]);
    expect(leavesOf(await store.list(path("b")))).toEqual(["orphan"]);
    expect(leavesOf(await store.list(path("a", "x", "deep")))).toEqual([]);
  },

  "a list misses nothing that lives throughout, while others write": async (store, s) => {
    const stable = Array.from({ length: 150 }, (_, i) => `k${String(i * 2).padStart(4, "0")}`);
    await fill(s, stable);
    let n = 0;
    const churn = async (): Promise<void> => {
      const [a, b] = [s.name(`k${String(n * 2 + 1).padStart(4, "0")}`), s.name(`a${n}`)];
      await s.commit("churn", put(a), put(b));
      await s.commit("churn", del(b, 1n), put(s.name(stable[n] ?? "z"), 1n));
      n++;
    };
    const seen = await pages(store, s.names, 7, churn);
    expect(n).toBeGreaterThan(10);
    expect(seen).toEqual(seen.toSorted());
    expect(seen.filter((leaf) => stable.includes(leaf))).toEqual(stable);
  },

  "only a directory of a listed family can be listed": async (store, s) => {
    for (const directory of [`${s.root}/entities/by-id`, `${s.root}/guards`, s.root, "/nowhere"]) {
      await expect(store.list(directory)).rejects.toMatchObject({ kind: "Internal" });
    }
    await expect(store.list(s.names, { limit: 0 })).rejects.toMatchObject({ kind: "Internal" });
  },
};

export const housekeepingChecks: Checks = {
  "a sweep finds every pointer below, tombstones marked": async (_store, s) => {
    const leaves = Array.from({ length: 1_050 }, (_, i) => `n${String(i).padStart(5, "0")}`);
    await fill(s, leaves);
    await s.commit("w", del(s.name("n00007"), 1n), put(s.guard(1)), put(s.entity("e")));
    const items = await s.swept();
    const keys = items.map((item) => item.key);
    const expected = [...leaves.map((leaf) => s.name(leaf)), s.guard(1), s.entity("e")].toSorted();
    expect(keys.toSorted()).toEqual(expected);
    if (s.capabilities.sweepOrder) expect(keys).toEqual(expected);
    const dead = items.filter((item) => item.state === "absent");
    expect(dead).toMatchObject([{ key: s.name("n00007"), version: 2n, writerId: "w" }]);
    expect((await s.swept(`${s.root}/guards/`)).map((item) => item.key)).toEqual([s.guard(1)]);
    expect(await s.swept(`${s.root}/parts/`)).toEqual([]);
  },

  "a sweep goes on behind any key that an earlier one gave": async (store, s) => {
    const leaves = Array.from({ length: 23 }, (_, i) => `n${i}`);
    await fill(s, leaves);
    await s.commit("w", del(s.name("n7"), 1n), put(s.guard(1)), put(s.entity("e")));
    const keys = (await s.swept()).map(({ key }) => key);
    for (const [i, after] of keys.entries()) {
      const rest: string[] = [];
      for await (const { key } of store.sweep(`${s.root}/`, { after })) rest.push(key);
      expect(rest).toEqual(keys.slice(i + 1));
    }
    if (!s.capabilities.sweepOrder) return;
    // Behind any text: a key that is gone, a part of one, what lies before the prefix.
    for (const after of [`${s.root}/entities/by-name/n1000`, `${s.root}/g`, "/"]) {
      const rest: string[] = [];
      for await (const { key } of store.sweep(`${s.root}/`, { after })) rest.push(key);
      expect(rest).toEqual(keys.filter((key) => key > after));
    }
  },

  "forgets a live pointer only at its version, without a tombstone": async (store, s) => {
    const key = s.receipt("expired");
    await s.commit("w", put(key));
    expect(await store.forget(key, 2n)).toBe(false);
    expect(await store.forget(key, 0n)).toBe(false);
    expect(await store.forget(key, 1n)).toBe(true);
    expect(await store.forget(key, 1n)).toBe(false);
    expect(await store.get(key)).toEqual({ state: "absent", key, version: 0n });
    expect(await store.forget(s.name("never"), 0n)).toBe(false);
  },

  "a compare-and-set that was held back never meets a name that began anew": async (store, s) => {
    const { advance } = s.subject;
    if (advance === undefined) return;
    const key = s.name("reused");
    await s.commit("creator", put(key));
    // A slow writer reads version 1 here; what it sends may land at the last instant of its life.
    await s.commit("dropper", del(key, 1n));
    const { attemptMs, signatureLifeMs, clockSkewMs } = LIMITS;
    const landsMs = attemptMs + signatureLifeMs + 2 * clockSkewMs;
    for (let passedMs = 0; passedMs < landsMs; passedMs += landsMs / 8) {
      await advance(landsMs / 8);
      const { version } = await store.get(key);
      if (await store.forget(key, version)) await s.commit("anew", put(key));
    }
    expect(await s.refuse("slow", put(key, 1n))).toMatchObject([{ key, version: 2n }]);
  },

  "forgets a tombstone only at its version, and only past its life": async (store, s) => {
    const key = s.name("dead");
    await s.kill(key);
    expect(await store.forget(key, 2n)).toBe(false);
    expect(await store.get(key)).toMatchObject({ version: 2n });
    if (s.subject.advance === undefined) return;
    await s.subject.advance(LIMITS.tombstoneLifeMs + 1);
    expect(await store.forget(key, 1n)).toBe(false);
    expect(await store.forget(key, 2n)).toBe(true);
    expect(await store.get(key)).toEqual({ state: "absent", key, version: 0n });
    expect(await s.swept()).toEqual([]);
    await s.commit("anew", put(key));
    expect(await store.list(s.names)).toMatchObject([{ key, version: 1n }]);
  },
};
