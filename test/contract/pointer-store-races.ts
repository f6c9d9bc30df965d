import { expect } from "vitest";
import type { CommitOutcome, PointerOp, PointerStore } from "../../src/pointer/port.ts";
import { type Checks, del, put, type Space } from "./pointer-store-space.ts";

interface Answer {
  readonly writer: number;
  readonly outcome: CommitOutcome;
}

/** All writers at once, each with one batch; every one of them is answered for certain. */
async function race(
  s: Space,
  opsOf: (writer: number) => readonly PointerOp[],
): Promise<readonly Answer[]> {
  const writers = Array.from({ length: s.capabilities.races?.writers ?? 24 }, (_, i) => i);
  const answers = await Promise.all(
    writers.map(async (writer) => ({
      writer,
      outcome: await s.send(`writer-${writer}`, ...opsOf(writer)),
    })),
  );
  for (const { outcome } of answers) {
    expect(["committed", "conflict"]).toContain(outcome.outcome);
  }
  return answers.filter(({ outcome }) => outcome.outcome === "committed");
}

async function rounds(s: Space, round: (n: number) => Promise<void>): Promise<void> {
  for (let n = 0; n < (s.capabilities.races?.rounds ?? 100); n++) await round(n);
}

async function expectLastWriter(
  store: PointerStore,
  key: string,
  winners: readonly Answer[],
  version: bigint,
): Promise<void> {
  expect(winners).toHaveLength(1);
  const item = await store.get(key);
  expect(item).toMatchObject({ version, writerId: `writer-${winners[0]?.writer}` });
}

export const raceChecks: Checks = {
  "of many creators exactly one wins": async (store, s) => {
    await rounds(s, async (n) => {
      const winners = await race(s, () => [put(s.name(`n${n}`))]);
      await expectLastWriter(store, s.name(`n${n}`), winners, 1n);
    });
  },

  "of many updates of one version exactly one wins": async (store, s) => {
    const key = s.entity("e");
    await s.commit("maker", put(key));
    await rounds(s, async (n) => {
      const expected = BigInt(n + 1);
      const winners = await race(s, (writer) => [
        put(key, expected),
        put(s.entity(`${n}-${writer}`)),
      ]);
      await expectLastWriter(store, key, winners, expected + 1n);
      const sides = await store.getMany([0, 1, 2, 3].map((writer) => s.entity(`${n}-${writer}`)));
      const live = sides.flatMap((item, writer) => (item.state === "live" ? [writer] : []));
      expect(live).toEqual([0, 1, 2, 3].filter((writer) => writer === winners[0]?.writer));
    });
  },

  "of a delete and puts at one version exactly one wins": async (store, s) => {
    await rounds(s, async (n) => {
      const key = s.name(`n${n}`);
      await s.commit("maker", put(key));
      const winners = await race(s, (writer) => [writer % 2 === 0 ? del(key, 1n) : put(key, 1n)]);
      await expectLastWriter(store, key, winners, 2n);
      const isDelete = (winners[0]?.writer ?? 0) % 2 === 0;
      expect((await store.get(key)).state).toBe(isDelete ? "absent" : "live");
    });
  },

  "of a fence and a receipt's put exactly one wins": async (store, s) => {
    await rounds(s, async (n) => {
      const key = s.receipt(n);
      const winners = await race(s, (writer) => [writer % 2 === 0 ? del(key, 0n) : put(key, 0n)]);
      await expectLastWriter(store, key, winners, 1n);
    });
  },

  "no bump survives the delete of its guard": async (store, s) => {
    await rounds(s, async (n) => {
      const key = s.guard(n);
      const created = (writer: number): string => s.entity(`${n}-${writer}`);
      await s.commit("maker", put(key));
      // Each creator bumps the guard; one deletes it at the version that it read.
      const winners = await race(s, (writer) =>
        writer === 12 ? [del(key, 1n)] : [{ op: "bump", key }, put(created(writer))],
      );
      const item = await store.get(key);
      expect(item.version).toBe(1n + BigInt(winners.length));
      const isDeleted = winners.some(({ writer }) => writer === 12);
      expect(item.state).toBe(isDeleted ? "absent" : "live");
      if (isDeleted) expect(winners).toHaveLength(1);
    });
  },

  "batches that overlap in any order of keys commit one by one": async (store, s) => {
    const keys = [s.entity("a"), s.entity("b"), s.entity("c")];
    await s.commit("maker", ...keys.map((key) => put(key)));
    await rounds(s, async (n) => {
      const expected = BigInt(n + 1);
      const winners = await race(s, (writer) => {
        const ops = keys.map((key) => put(key, expected));
        return writer % 2 === 0 ? ops : ops.toReversed();
      });
      for (const key of keys) await expectLastWriter(store, key, winners, expected + 1n);
    });
  },
};
