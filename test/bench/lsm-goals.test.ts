import { describe, expect, it } from "vitest";
import { coldGoals } from "../../bench/lsm/cold.ts";
import { type Figures, Rounds } from "../../bench/lsm/figures.ts";
import { goalsOf, type Own, ownGoals } from "../../bench/lsm/goals.ts";
import { type LargeCell, largeGoals } from "../../bench/lsm/large.ts";

const SIZE = { keyBytes: 16, valueBytes: 100, rows: 1 };

function figures(workload: string, ours: number, theirs: Record<string, number>): Figures {
  const peers = Object.entries(theirs).map(([name, rate]) => [name, { [workload]: rate }]);
  return {
    title: "",
    size: SIZE,
    rates: { firn: { [workload]: ours }, ...Object.fromEntries(peers) },
  };
}

function metOf(all: readonly Figures[]): Record<string, boolean> {
  return Object.fromEntries(goalsOf(all, [], []).map(({ goal, met }) => [goal, met]));
}

describe("the engine's goals", () => {
  it("are judged by the worst cell, also where others are met", () => {
    const met = (ours: number): boolean[] =>
      Object.values(
        metOf([
          figures("fillseq, batch 1000", 100, { "classic-level": 10, lmdb: 10 }),
          figures("fillrandom, batch 100", ours, { "classic-level": 10, lmdb: 5 }),
        ]),
      );
    expect(met(10)).toEqual([true, true]);
    expect(met(9)).toEqual([false, false]);
  });

  it("are stricter for single operations than for batches, and milder for hits", () => {
    const slate = (workload: string): boolean[] =>
      Object.values(metOf([figures(workload, 20, { "@slatedb/uniffi": 2 })]));
    expect(slate("fillrandom, batch 1000")).toEqual([true, true]);
    expect(slate("fillrandom, batch 1")).toEqual([true, false]);
    expect(Object.values(metOf([figures("get hit, 1 caller", 8, { lmdb: 10 })]))).toEqual([true]);
    expect(Object.values(metOf([figures("get miss, 1 caller", 8, { lmdb: 10 })]))).toEqual([false]);
  });

  it("do not compare the engine with itself in memory", () => {
    expect(metOf([figures("fillseq, batch 1000", 1, { "firn, memory": 10 })])).toEqual({});
  });

  it("of durable puts are judged for one caller and for many", () => {
    const wal = [
      { callers: 1, perSecond: 1, ratio: 0.89 },
      { callers: 16, perSecond: 1, ratio: 0 },
      { callers: 128, perSecond: 1, ratio: 80 },
    ];
    expect(goalsOf([], wal, []).map(({ met }) => met)).toEqual([false, true]);
  });

  it("of compaction hold for its rate and for the thread that serves meanwhile", () => {
    const cell = {
      store: "memory",
      megabytesPerSecond: 1,
      idleP99Ms: 0,
      delayP50Ms: 0,
      delayMaxMs: 99,
      threads: 1,
      writeAmplification: 1,
      megabytesPerCpuSecond: 250,
      delayP99Ms: 10,
    };
    expect(goalsOf([], [], [cell]).map(({ met }) => met)).toEqual([true, false]);
    const other = { ...cell, megabytesPerCpuSecond: 249, delayP99Ms: 9 };
    expect(goalsOf([], [], [other]).map(({ met }) => met)).toEqual([false, true]);
  });
});

describe("the engine's goals of memory, requests and growth", () => {
  it("of updates, memory, ranges and requests are met at their bounds and not beyond", () => {
    const own = (more: number): Own => ({
      updates: [
        {
          title: "",
          updatesPerSecond: 1,
          writeAmplification: 5 + more,
          steadySpace: 1.5 + more,
          mostSpace: 2.2 + more,
          restPlaces: 5,
        },
      ],
      memory: [
        { shards: 1, loadedBytes: 1, budgetBytes: 10, mostBytes: 12 + more, mostCountedBytes: 1 },
      ],
      drop: {
        rows: 1,
        deleteMs: 4,
        scanMs: 6 + more,
        compactMs: 99,
        bytesBefore: 9,
        bytesAfter: 0,
      },
      requests: [
        { operation: "a", requests: 1 + more, goal: 1 },
        { operation: "b", requests: 99 },
      ],
      ingest: {
        rows: 1,
        ingestedPerSecond: 300_000 - more,
        writtenPerSecond: 1,
        ingestCpuMicros: (20 + more) / 3,
        writeCpuMicros: 1,
        loopP999Ms: 20 + more,
      },
      transactions: {
        rows: 1,
        plainRows: 100,
        putRows: 90 - more,
        insertRows: 90 - more,
        plainScans: 100,
        transactionScans: 80 - more,
        bytesAPut: 200 + more,
        besideBytes: 1,
        commitMs: 1,
      },
    });
    expect(ownGoals(own(0)).map(({ met }) => met)).toEqual(Array(13).fill(true));
    expect(ownGoals(own(1)).map(({ met }) => met)).toEqual(Array(13).fill(false));
    const { drop } = own(0);
    const kept = { ...own(0), drop: drop && { ...drop, bytesAfter: 1 } };
    expect(ownGoals(kept).filter(({ met }) => !met)).toHaveLength(1);
  });

  it("of growth compare the smallest shard with the largest", () => {
    const cell = (rows: number, gets: number, openMs: number): LargeCell => ({
      rows,
      rowsPerSecond: 1,
      restMs: 1,
      writeAmplification: 1,
      tables: 1,
      space: 1,
      openMs,
      replayMs: openMs,
      replayedBytes: 1,
      warmGets: gets,
      nearGets: gets,
    });
    const met = (gets: number, openMs: number): boolean[] =>
      largeGoals([cell(1, 15, 1), cell(2, 1, 1), cell(10, gets, openMs)]).map((one) => one.met);
    expect(met(10, 300)).toEqual([true, true, true, true]);
    expect(met(9, 301)).toEqual([false, false, false, false]);
  });

  it("of cold gets bound requests and bytes", () => {
    const met = (requests: number, kib: number): boolean[] => {
      const shard = { rows: 1, budgetBytes: 1, tables: 1, gets: 1 };
      return coldGoals([{ ...shard, requests, bytes: kib * 1_024 }]).map((one) => one.met);
    };
    expect(met(1.5, 40)).toEqual([true, true]);
    expect(met(1.6, 41)).toEqual([false, false]);
  });

  it("are judged by medians of rounds", () => {
    const rounds = new Rounds();
    for (const rate of [9, 1, 4]) rounds.add("firn", new Map([["w", rate]]));
    expect(rounds.medians()).toEqual({ firn: { w: 4 } });
  });
});
