import { describe, expect, it } from "vitest";
import { FirnError } from "../../../src/base/error.ts";
import { GroupCommit } from "../../../src/lsm/wal/group-commit.ts";
import type { Wal, WalBatch } from "../../../src/lsm/wal/port.ts";
import { VirtualClock } from "../../support/virtual-clock.ts";
import { batch } from "./support.ts";

/** A log whose every write waits for the test. */
class HeldWal implements Wal {
  readonly maxBatchBytes = 1_000;
  readonly begun = 0;
  readonly maxGroupBytes: number;
  readonly maxInFlight: number;
  readonly groups: (readonly WalBatch[])[] = [];
  readonly alone: boolean[] = [];
  readonly rolledAfter: number[] = [];
  closed = false;
  #held: { readonly resolve: () => void; readonly reject: (error: unknown) => void }[] = [];
  #onAppend = Promise.withResolvers<void>();

  constructor(maxGroupBytes: number, maxInFlight = 1) {
    this.maxGroupBytes = maxGroupBytes;
    this.maxInFlight = maxInFlight;
  }

  append(group: readonly WalBatch[], isAlone = false): Promise<void> {
    expect(this.#held.length, "as many writes are in flight").toBeLessThan(this.maxInFlight);
    this.groups.push(group);
    this.alone.push(isAlone);
    return new Promise((resolve, reject) => {
      this.#held.push({ resolve, reject });
      this.#onAppend.resolve();
    });
  }

  /** Answers the write in flight, once there is one. */
  async answer(error?: unknown): Promise<void> {
    while (this.#held.length === 0) {
      await this.#onAppend.promise;
      this.#onAppend = Promise.withResolvers<void>();
    }
    const held = this.#held.shift();
    if (error === undefined) held?.resolve();
    else held?.reject(error);
  }

  async roll(): Promise<void> {
    this.rolledAfter.push(this.groups.length);
  }
  lowWater(): number {
    return 1;
  }
  async release(): Promise<void> {}
  fileOf(): { readonly file: number } {
    return { file: 1 };
  }
  stats(): ReturnType<Wal["stats"]> {
    return {
      epoch: 1,
      lastSequence: 0,
      files: 1,
      retainedBytes: 0,
      groups: 0,
      batches: 0,
      payloadBytes: 0,
      writtenBytes: 0,
      appendMs: { total: 0, max: 0, last: 0 },
    };
  }
  async close(): Promise<void> {
    this.closed = true;
  }
}

function makeCommit({ minFlushIntervalMs = 0, maxGroupBytes = 10_000, maxInFlight = 1 } = {}) {
  const wal = new HeldWal(maxGroupBytes, maxInFlight);
  const clock = new VirtualClock();
  return { wal, clock, commit: new GroupCommit(wal, { clock, minFlushIntervalMs }) };
}

const sizes = (wal: HeldWal): readonly number[] => wal.groups.map((group) => group.length);

describe("group commit", () => {
  it("writes at once, and puts what arrives meanwhile into the next group", async () => {
    const { wal, commit } = makeCommit();
    const first = commit.write(batch(1, "a"));
    await new Promise((turn) => process.nextTick(turn));
    expect(sizes(wal)).toEqual([1]);
    const others = [commit.write(batch(2, "b")), commit.write(batch(3, "c"))];
    expect(commit.durableSequence).toBe(0);
    expect(commit.pendingBytes).toBe(3);
    await wal.answer();
    await first.durable();
    expect(commit.durableSequence).toBe(1);
    await wal.answer();
    await Promise.all(others.map((handle) => handle.durable()));
    expect(sizes(wal)).toEqual([1, 2]);
    expect(commit.durableSequence).toBe(3);
    expect(commit.pendingBytes).toBe(0);
  });

  it("keeps callers that were acknowledged together in one group", async () => {
    const { wal, commit } = makeCommit();
    let sequence = 0;
    let left = 300;
    const caller = async (): Promise<void> => {
      while (left-- > 0) await commit.write(batch(++sequence, "x")).durable();
    };
    const callers = Promise.all(Array.from({ length: 100 }, caller));
    for (let n = 0; n < 3; n++) await wal.answer();
    await callers;
    expect(sizes(wal)).toEqual([100, 100, 100]);
  });

  it("cuts a group where it is full, keeping the order", async () => {
    const { wal, commit } = makeCommit({ maxGroupBytes: 2_000 });
    const payload = new Uint8Array(900);
    const handles = [1, 2, 3, 4, 5].map((n) => commit.write(batch(n, payload)));
    for (let n = 0; n < 3; n++) await wal.answer();
    await Promise.all(handles.map((handle) => handle.durable()));
    expect(wal.groups.map((group) => group.map((b) => b.firstSequence))).toEqual([
      [1, 2],
      [3, 4],
      [5],
    ]);
  });

  it("refuses a batch that no file holds, and nothing happened", async () => {
    const { wal, commit } = makeCommit();
    const write = () => commit.write(batch(1, new Uint8Array(1_001)));
    expect(write).toThrow(expect.objectContaining({ code: "WAL_BATCH_TOO_LARGE" }));
    const good = commit.write(batch(1, "a"));
    await wal.answer();
    await good.durable();
  });

  it("leaves an interval between flushes, and none before the first", async () => {
    const { wal, clock, commit } = makeCommit({ minFlushIntervalMs: 100 });
    const first = commit.write(batch(1, "a"));
    await clock.advance(0);
    expect(sizes(wal)).toEqual([1]);
    await wal.answer();
    await first.durable();
    const second = commit.write(batch(2, "b"));
    await clock.advance(60);
    commit.write(batch(3, "c"));
    await clock.advance(39);
    expect(sizes(wal)).toEqual([1]);
    await clock.advance(1);
    expect(sizes(wal)).toEqual([1, 2]);
    await wal.answer();
    await second.durable();
  });

  it("rolls between two groups, also while callers never stop", async () => {
    const { wal, commit } = makeCommit();
    commit.write(batch(1, "a"));
    await new Promise((turn) => process.nextTick(turn));
    const rolled = commit.roll();
    const second = commit.write(batch(2, "b"));
    await wal.answer();
    await rolled;
    await wal.answer();
    await second.durable();
    expect(wal.rolledAfter).toEqual([1]);
    await commit.roll();
    expect(wal.rolledAfter).toEqual([1, 2]);
  });
});

describe("group commit that fails or closes", () => {
  it("ends with the first failure: those behind it were never written", async () => {
    const { wal, commit } = makeCommit();
    const first = commit.write(batch(1, "a"));
    await new Promise((turn) => process.nextTick(turn));
    const second = commit.write(batch(2, "b"));
    const rolled = commit.roll();
    const unhandled = commit.write(batch(3, "c"));
    await wal.answer(new FirnError("Unknown", "WAL_WRITE_UNKNOWN", "torn"));
    await expect(first.durable()).rejects.toMatchObject({ code: "WAL_WRITE_UNKNOWN" });
    const never = { kind: "Unavailable", code: "WAL_DEAD" };
    await expect(second.durable()).rejects.toMatchObject(never);
    await expect(rolled).rejects.toMatchObject(never);
    await expect(commit.flush()).rejects.toMatchObject(never);
    expect(() => commit.write(batch(4, "d"))).toThrow(expect.objectContaining(never));
    expect(unhandled).toBeDefined();
    expect(sizes(wal)).toEqual([1]);
  });

  it("does not deny a group that was written because a file was begun for it", async () => {
    const { wal, commit } = makeCommit();
    const rolled = commit.roll();
    const group = commit.write(batch(1, "a"));
    await rolled;
    await wal.answer(new FirnError("Unknown", "WAL_FENCED", "written, and overtaken"));
    await expect(group.durable()).rejects.toMatchObject({ kind: "Unknown", code: "WAL_FENCED" });
  });

  it("flushes what was written, and nothing that came later; closes after both", async () => {
    const { wal, commit } = makeCommit();
    commit.write(batch(1, "a"));
    const flushed = commit.flush();
    await new Promise((turn) => process.nextTick(turn));
    commit.write(batch(2, "b"));
    await wal.answer();
    await flushed;
    expect(commit.durableSequence).toBe(1);
    const closed = commit.close();
    expect(() => commit.write(batch(3, "c"))).toThrow(
      expect.objectContaining({ code: "WAL_DEAD" }),
    );
    await wal.answer();
    await closed;
    expect(wal.closed).toBe(true);
    expect(commit.durableSequence).toBe(2);
  });
});

describe("a log that takes two writes at once", () => {
  /** Two groups in flight: the first took 40 ms before, so that the second waits for 20. */
  async function twoInFlight() {
    const { wal, clock, commit } = makeCommit({ maxInFlight: 2 });
    const before = commit.write(batch(1, "a"));
    await clock.advance(40);
    await wal.answer();
    await before.durable();
    const first = commit.write(batch(2, "b"));
    await clock.advance(0);
    const second = commit.write(batch(3, "c"));
    await clock.advance(19);
    expect(sizes(wal)).toEqual([1, 1]);
    const together = commit.write(batch(4, "d"));
    await clock.advance(1);
    expect(sizes(wal)).toEqual([1, 1, 2]);
    return { wal, clock, commit, first, second, together };
  }

  it("begins the second half of one behind the first, and never a third", async () => {
    const { wal, clock, commit, first, together } = await twoInFlight();
    const third = commit.write(batch(5, "e"));
    await clock.advance(1_000);
    expect(sizes(wal)).toEqual([1, 1, 2]);
    await wal.answer();
    await first.durable();
    expect(commit.durableSequence).toBe(2);
    await clock.advance(0);
    expect(sizes(wal)).toEqual([1, 1, 2, 1]);
    await wal.answer();
    await together.durable();
    expect(commit.durableSequence).toBe(4);
    await wal.answer();
    await third.durable();
    expect(commit.pendingBytes).toBe(0);
  });

  it("begins the second at once where the first is done", async () => {
    const { wal, clock, commit, together } = await twoInFlight();
    await clock.advance(40);
    await wal.answer();
    await wal.answer();
    await together.durable();
    const alone = commit.write(batch(5, "e"));
    await clock.advance(0);
    const next = commit.write(batch(6, "f"));
    await clock.advance(1);
    expect(sizes(wal)).toEqual([1, 1, 2, 1]);
    await wal.answer();
    await alone.durable();
    await clock.advance(0);
    expect(sizes(wal)).toEqual([1, 1, 2, 1, 1]);
    await wal.answer();
    await next.durable();
  });

  it("closes behind both, and tells each its own failure", async () => {
    const { wal, commit, first, second } = await twoInFlight();
    const waiting = commit.write(batch(5, "e"));
    const closed = commit.close();
    await wal.answer(new FirnError("Unknown", "WAL_WRITE_UNKNOWN", "torn"));
    await wal.answer(new FirnError("Unavailable", "WAL_DEAD", "behind it"));
    await expect(first.durable()).rejects.toMatchObject({ code: "WAL_WRITE_UNKNOWN" });
    await expect(second.durable()).rejects.toMatchObject({ code: "WAL_DEAD" });
    await expect(waiting.durable()).rejects.toMatchObject({ kind: "Unavailable" });
    await closed;
    expect(wal.closed).toBe(true);
    expect(commit.durableSequence).toBe(1);
  });
});

describe("a lone commit", () => {
  it("is told to the log, after others that came alone, where nothing else runs", async () => {
    const wal = new HeldWal(10_000);
    let isQuiet = false;
    const clock = new VirtualClock();
    const commit = new GroupCommit(wal, { clock, isQuiet: () => isQuiet });
    let sequence = 0;
    const commitOne = async (count = 1): Promise<boolean | undefined> => {
      const handles = Array.from({ length: count }, () => commit.write(batch(++sequence, "x")));
      await wal.answer();
      await handles.at(-1)?.durable();
      return wal.alone.at(-1);
    };
    for (let n = 0; n < 20; n++) expect(await commitOne()).toBe(false);
    isQuiet = true;
    expect(await commitOne()).toBe(true);
    expect(await commitOne(2)).toBe(false);
    for (let n = 0; n < 8; n++) expect(await commitOne()).toBe(false);
    expect(await commitOne()).toBe(true);
  });
});
