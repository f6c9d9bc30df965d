import { expect, test } from "vitest";
import { Pauses } from "../../src/base/pauses.ts";
import { type CutRecord, type KeyState, rollBack, rollForward } from "../../src/catalog/cut.ts";
import { SystemClock } from "../../src/runtime/clock.ts";
import { costOf, expectShortTurns } from "../support/turns.ts";

const pausesOf = (): Pauses => new Pauses(new SystemClock(), 100_000);
const hash = (n: number): Uint8Array => Buffer.from(n.toString(16).padStart(64, "0"), "hex");

/** One batch that takes each key from its version to the next. */
function batch(id: number, keys: Readonly<Record<string, bigint>>): CutRecord {
  const changed = Object.entries(keys).map(([key, versionFrom]) => ({
    key,
    versionFrom,
    versionTo: versionFrom + 1n,
    deleted: false,
    blobTo: hash(id),
    ...(versionFrom > 0n && { blobFrom: hash(id - 1) }),
  }));
  return { id: String(id).padStart(9, "0"), timeMs: id, keys: changed };
}

function versions(states: ReadonlyMap<string, KeyState>): Record<string, bigint> {
  return Object.fromEntries([...states].map(([key, { version }]) => [key, version]));
}

test("a batch that was seen in part is taken whole, after all that it rests on", async () => {
  // The sweep saw `a` before all batches, `b` after the last.
  const swept = new Map([
    ["a", { version: 1n, sha: "00" }],
    ["b", { version: 2n, sha: "01" }],
  ]);
  const records = [batch(3, { a: 2n, b: 1n }), batch(2, { a: 1n })];
  const { states, included } = await rollForward(swept, records, pausesOf());
  expect(versions(states)).toEqual({ a: 3n, b: 2n });
  expect(included.map(({ timeMs }) => timeMs).toSorted()).toEqual([2, 3]);
});

test("a batch that was seen in part, and rests on one that is unknown, is not a cut", async () => {
  const swept = new Map([
    ["a", { version: 1n, sha: "00" }],
    ["b", { version: 2n, sha: "01" }],
  ]);
  const done = rollForward(swept, [batch(3, { a: 2n, b: 1n })], pausesOf());
  await expect(done).rejects.toMatchObject({ code: "BACKUP_UNSETTLED" });
});

test("a batch that rests on one of a later time is undone with it", async () => {
  // A clock that is behind filed the second write of `a` under an earlier time than the first.
  const late = { ...batch(1, { a: 0n }), timeMs: 100 };
  const early = { ...batch(2, { a: 1n, b: 0n }), timeMs: 10 };
  const { states, included } = await rollForward(new Map(), [late, early], pausesOf());
  expect(versions(states)).toEqual({ a: 2n, b: 1n });
  const then = await rollBack(states, included, 50, pausesOf());
  expect(then.get("a")).toMatchObject({ version: 0n, sha: undefined });
  expect(then.get("b")).toMatchObject({ version: 0n, sha: undefined });
});

test("a cut of many pointers and records takes short turns", async () => {
  const swept = new Map<string, KeyState>();
  const records: CutRecord[] = [];
  for (let n = 0; n < 60_000; n++) {
    swept.set(`k${n}`, { version: 1n, sha: "00" });
    records.push(batch(2 * n + 1, { [`k${n}`]: 1n }), batch(2 * n + 2, { [`k${n}`]: 2n }));
  }
  const forward = await costOf(() => rollForward(swept, records, pausesOf()));
  await expectShortTurns("forward", forward);
  // In one turn it would be over the limit, so the pauses are what is measured.
  expect(forward.cpuMs).toBeGreaterThan(100);
  const { states, included } = forward.result;
  expect(states.get("k0")?.version).toBe(3n);
  const back = await costOf(() => rollBack(states, included, 0, pausesOf()));
  await expectShortTurns("back", back);
  expect(back.result.get("k0")?.version).toBe(1n);
});
