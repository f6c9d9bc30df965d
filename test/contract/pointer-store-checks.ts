import { expect } from "vitest";
import { LIMITS } from "../../src/base/limits.ts";
import { CATALOG_LIMITS } from "../../src/catalog/limits.ts";
import type { PointerOp } from "../../src/pointer/port.ts";
import { type Checks, del, put, type Space } from "./pointer-store-space.ts";

export const versionChecks: Checks = {
  "a put where nothing is stored makes version 1, and each write one more": async (store, s) => {
    const key = s.entity(1);
    expect(await store.get(key)).toEqual({ state: "absent", key, version: 0n });
    const first = await s.send("a", put(key, 0n, "blob/1"));
    expect(first).toEqual({ outcome: "committed", versions: new Map([[key, 1n]]) });
    await s.commit("b", put(key, 1n, "blob/2"));
    expect(await store.get(key)).toEqual({
      state: "live",
      key,
      version: 2n,
      writerId: "b",
      blobPath: "blob/2",
    });
  },

  "expected 0 holds only where nothing at all is stored": async (_store, s) => {
    const live = s.entity("live");
    const dead = s.entity("dead");
    await s.commit("a", put(live));
    await s.kill(dead);
    expect(await s.refuse("b", put(live))).toMatchObject([{ state: "live", version: 1n }]);
    expect(await s.refuse("b", put(dead))).toMatchObject([{ state: "absent", version: 2n }]);
    expect(await s.refuse("b", del(dead, 0n))).toMatchObject([{ state: "absent", version: 2n }]);
  },

  "a re-created key goes on from its tombstone's version": async (store, s) => {
    const key = s.name("phoenix");
    await s.kill(key);
    await s.commit("again", put(key, 2n));
    expect(await store.get(key)).toMatchObject({ state: "live", version: 3n, writerId: "again" });
    await s.refuse("late", put(key, 1n));
  },

  "a dead key answers absent, with version, writer and how long it stays": async (store, s) => {
    const key = s.name("dead");
    const beforeMs = s.nowMs();
    await s.kill(key);
    const item = await store.get(key);
    expect(item).toMatchObject({ state: "absent", key, version: 2n, writerId: "killer" });
    const deadUntilMs = item.state === "absent" ? item.deadUntilMs : undefined;
    expect(deadUntilMs).toBeGreaterThanOrEqual(beforeMs + LIMITS.tombstoneLifeMs);
  },

  "a delete at 0 leaves a tombstone where nothing was stored": async (store, s) => {
    const key = s.receipt("fenced");
    await s.commit("fence", del(key, 0n));
    expect(await store.get(key)).toMatchObject({
      state: "absent",
      version: 1n,
      writerId: "fence",
    });
    await s.refuse("fenced", put(key));
    await s.commit("next", put(key, 1n));
    expect(await store.get(key)).toMatchObject({ state: "live", version: 2n });
  },

  "a delete moves a tombstone on": async (store, s) => {
    const key = s.entity("twice-dead");
    await s.kill(key);
    await s.refuse("other", del(key, 1n));
    await s.commit("other", del(key, 2n));
    expect(await store.get(key)).toMatchObject({
      state: "absent",
      version: 3n,
      writerId: "other",
    });
  },

  "keeps a blob path and a summary byte for byte, and only the last put's": async (store, s) => {
    const key = s.entity(1);
    // A buffer's own `slice` shares its memory, other than that of any other array.
    const summary = Buffer.from(Array.from({ length: LIMITS.summaryBytes }, (_, i) => i & 0xff));
    const kept = new Uint8Array(summary);
    await s.commit("a", { op: "put", key, expected: 0n, blobPath: "a/%20b", summary });
    summary.fill(0);
    const item = await store.get(key);
    expect(item).toMatchObject({ blobPath: "a/%20b" });
    expect(item.state === "live" && Buffer.compare(item.summary ?? summary, kept)).toBe(0);
    await s.commit("b", put(key, 1n));
    expect(await store.get(key)).toEqual({ state: "live", key, version: 2n, writerId: "b" });
  },

  "keeps a longer summary where its family has longer ones": async (store, s) => {
    const key = s.record(1);
    const summary = Uint8Array.from(
      { length: CATALOG_LIMITS.changeRecordBytes },
      (_, i) => (i * 7) & 0xff,
    );
    await s.commit("a", { op: "put", key, expected: 0n, summary }, put(s.entity(1)));
    const item = await store.get(key);
    expect(item.state === "live" && Buffer.compare(item.summary ?? new Uint8Array(), summary)).toBe(
      0,
    );
  },

  "reads many keys in the order asked, whatever stands there": async (store, s) => {
    const keys = Array.from({ length: 230 }, (_, i) => s.entity(i));
    await s.commit("a", ...keys.filter((_, i) => i % 3 === 0).map((key) => put(key)));
    const items = await store.getMany(keys.toReversed());
    expect(items.map((item) => item.key)).toEqual(keys.toReversed());
    const live = items.filter((item) => item.state === "live").map((item) => item.key);
    expect(live).toEqual(keys.filter((_, i) => i % 3 === 0).toReversed());
    expect(await store.getMany([])).toEqual([]);
  },
};

export const conditionChecks: Checks = {
  "a check holds only of a live pointer at that version": async (_store, s) => {
    const live = s.entity("live");
    const dead = s.entity("dead");
    await s.commit("a", put(live));
    await s.kill(dead);
    await s.commit("b", { op: "check", key: live, expected: 1n }, put(s.entity(1)));
    for (const [key, expected] of [
      [live, 0n],
      [live, 2n],
      [dead, 2n],
      [s.entity("never"), 0n],
    ] as const) {
      const failed = await s.refuse("b", { op: "check", key, expected }, put(s.entity(2)));
      expect(failed.map((item) => item.key)).toEqual([key]);
    }
  },

  "an absence holds of nothing and of a tombstone": async (store, s) => {
    const dead = s.name("dead");
    const live = s.name("live");
    await s.kill(dead);
    await s.commit("a", put(live));
    const absent = (key: string): PointerOp => ({ op: "checkAbsent", key });
    await s.commit("b", absent(dead), absent(s.name("never")), put(s.entity(1)));
    await s.refuse("b", absent(live), put(s.entity(2)));
    expect(await store.get(dead)).toMatchObject({ version: 2n, writerId: "killer" });
  },

  "a bump moves a live pointer by one and leaves all else": async (store, s) => {
    const key = s.guard(1);
    const summary = Uint8Array.of(1, 2, 3);
    await s.commit("maker", { op: "put", key, expected: 0n, blobPath: "b", summary });
    const answer = await s.send("bumper", { op: "bump", key });
    expect(answer.outcome).toBe("committed");
    if (s.capabilities.bumpVersions && answer.outcome === "committed") {
      expect(answer.versions.get(key)).toBe(2n);
    }
    const item = await store.get(key);
    expect(item).toMatchObject({ version: 2n, writerId: "maker", blobPath: "b" });
    expect(item.state === "live" && Buffer.compare(item.summary ?? Buffer.of(), summary)).toBe(0);
  },

  "a bump fails where nothing is alive": async (store, s) => {
    const dead = s.guard("dead");
    await s.kill(dead);
    for (const [key, version] of [
      [dead, 2n],
      [s.guard("never"), 0n],
    ] as const) {
      const failed = await s.refuse("b", { op: "bump", key }, put(s.entity(1)));
      expect(failed).toMatchObject([{ key, state: "absent", version }]);
      expect(await store.get(key)).toMatchObject({ state: "absent", version });
    }
  },
};

/** One operation of each kind that holds, and one of each kind that does not. */
async function mixture(s: Space, n: number): Promise<{ good: PointerOp[]; bad: PointerOp[] }> {
  const key = (kind: string): string => s.entity(`${n}-${kind}`);
  await s.commit("a", put(key("live")), put(key("doomed")), put(key("seen")), put(key("guard")));
  const good: PointerOp[] = [
    put(key("live"), 1n),
    del(key("doomed"), 1n),
    { op: "check", key: key("seen"), expected: 1n },
    { op: "checkAbsent", key: key("never") },
    { op: "bump", key: key("guard") },
  ];
  await s.commit("a", put(key("moved")), put(key("taken")));
  const bad: PointerOp[] = [
    put(key("moved")),
    del(key("moved"), 7n),
    { op: "check", key: key("moved"), expected: 2n },
    { op: "checkAbsent", key: key("taken") },
    { op: "bump", key: key("gone") },
  ];
  return { good, bad };
}

export const batchChecks: Checks = {
  "a batch is all or nothing, whichever operation fails, wherever it stands": async (store, s) => {
    const { good, bad } = await mixture(s, 0);
    const keys = [...good, ...bad].map((op) => op.key);
    const before = await store.getMany(keys);
    for (const failing of bad) {
      for (let at = 0; at <= good.length; at++) {
        const failed = await s.refuse("b", ...good.toSpliced(at, 0, failing));
        expect(failed.map((item) => item.key)).toEqual([failing.key]);
      }
    }
    expect(await store.getMany(keys)).toEqual(before);
    await s.commit("b", ...good);
    const [live, doomed, seen, never, guard] = await store.getMany(good.map((op) => op.key));
    expect(live).toMatchObject({ state: "live", version: 2n, writerId: "b" });
    expect(doomed).toMatchObject({ state: "absent", version: 2n, writerId: "b" });
    expect(seen).toMatchObject({ state: "live", version: 1n, writerId: "a" });
    expect(never).toMatchObject({ state: "absent", version: 0n });
    expect(guard).toMatchObject({ state: "live", version: 2n, writerId: "a" });
  },

  "a conflict names every item that failed, and what was found there": async (_store, s) => {
    const [a, b, c, d] = [s.entity("a"), s.entity("b"), s.entity("c"), s.entity("d")];
    await s.commit("w1", put(a, 0n, "blob/a"), put(b));
    await s.commit("w2", del(b, 1n));
    const ops = [put(c), put(a), del(b, 1n), { op: "bump", key: d } as const];
    const failed = await s.refuse("w3", ...ops);
    expect(failed.toSorted((x, y) => (x.key < y.key ? -1 : 1))).toMatchObject([
      { state: "live", key: a, version: 1n, writerId: "w1", blobPath: "blob/a" },
      { state: "absent", key: b, version: 2n, writerId: "w2" },
      { state: "absent", key: d, version: 0n },
    ]);
  },

  "takes a batch of the largest size, and no larger": async (store, s) => {
    const keys = Array.from({ length: LIMITS.batchOps }, (_, i) => s.name(`n${i}`));
    const answer = await s.send("a", ...keys.map((key) => put(key)));
    expect(answer).toEqual({
      outcome: "committed",
      versions: new Map(keys.map((key) => [key, 1n])),
    });
    const more = { writerId: "b", ops: [...keys, s.entity(1)].map((key) => put(key, 1n)) };
    await expect(store.commit(more)).rejects.toMatchObject({
      kind: "Invalid",
      code: "BATCH_TOO_LARGE",
    });
    expect(await store.get(keys[0] ?? "")).toMatchObject({ version: 1n, writerId: "a" });
  },

  "refuses what no store could take, before anything": async (store, s) => {
    const key = s.entity(1);
    const good = put(s.entity(2));
    const summary = new Uint8Array(LIMITS.summaryBytes + 1);
    const long = new Uint8Array(CATALOG_LIMITS.changeRecordBytes + 1);
    const refused: readonly [string, PointerOp[]][] = [
      ["Invalid", [good, { op: "put", key, expected: 0n, summary }]],
      ["Invalid", [good, { op: "put", key: s.record(1), expected: 0n, summary: long }]],
      ["Invalid", [good, put(s.entity("x".repeat(LIMITS.leafBytes + 1)))]],
      ["Internal", []],
      ["Internal", [good, put(key), { op: "bump", key }]],
      ["Internal", [good, put(`${s.root}/no/such/family`)]],
      ["Internal", [good, put(key, -1n)]],
    ];
    for (const [kind, ops] of refused) {
      await expect(store.commit({ writerId: "a", ops })).rejects.toMatchObject({ kind });
    }
    expect(await store.get(good.key)).toMatchObject({ version: 0n });
  },
};
