import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { TableId } from "../../src/base/ids.ts";
import { EventLog, LOG_SHAPE, type LogEvent } from "../../src/patterns/logs.ts";
import { codeOf, Dice, type PatternWorld, patternWorld } from "./support.ts";

let world: PatternWorld;
let id: TableId;

beforeEach(async () => {
  world = await patternWorld();
  id = await world.table(LOG_SHAPE);
});
afterEach(() => world.end());

const openLog = (): EventLog => new EventLog(world.of(id));

async function everything(log: EventLog): Promise<readonly LogEvent[]> {
  const events: LogEvent[] = [];
  for (;;) {
    const after = events.at(-1)?.position ?? 0n;
    const page = await log.readAll({ after, limit: 7 });
    if (page.length === 0) return events;
    events.push(...page);
  }
}

describe("a log", () => {
  it("numbers the events of a stream and of all, over a restart", async () => {
    const log = openLog();
    expect(await log.append("a", [1, 2])).toEqual({ version: 2n, position: 2n });
    expect(await log.append("b", [{ x: null }])).toEqual({ version: 1n, position: 3n });
    await world.at.reopen();
    const again = openLog();
    expect(await again.append("a", ["three"])).toEqual({ version: 3n, position: 4n });
    const read = await again.read("a", { after: 1n });
    expect(read.map(({ version, event }) => [version, event])).toEqual([
      [2n, 2],
      [3n, "three"],
    ]);
    expect((await again.read("b")).map(({ event }) => event)).toEqual([{ x: null }]);
    expect(await again.read("none")).toEqual([]);
  });

  it("takes an append at the version that is expected alone", async () => {
    const log = openLog();
    const racers = Array.from({ length: 20 }, (_, i) =>
      codeOf(log.append("a", [i], { expectedVersion: 0n })),
    );
    const told = await Promise.all(racers);
    expect(told.filter((one) => one === "done")).toHaveLength(1);
    expect(told.filter((one) => one === "LOG_VERSION_CONFLICT")).toHaveLength(19);
    expect(await codeOf(log.append("a", [1], { expectedVersion: 1n }))).toBe("done");
    expect(await everything(log)).toHaveLength(2);
  });

  it("refuses what is not an event", async () => {
    const log = openLog();
    const good = log.append("a", ["good"]);
    expect(await codeOf(log.append("a", []))).toBe("PATTERN_VALUE_INVALID");
    expect(await codeOf(log.append("a", [undefined]))).toBe("PATTERN_VALUE_INVALID");
    expect(await codeOf(log.append("", [1]))).toBe("PATTERN_VALUE_INVALID");
    expect(await codeOf(log.append("a", ["x".repeat(1_048_577)]))).toBe("PATTERN_VALUE_INVALID");
    await good;
    expect(await everything(log)).toHaveLength(1);
  });

  it("wakes a subscriber, and ends with its signal", async () => {
    const log = openLog();
    const stop = new AbortController();
    const seen: unknown[] = [];
    const reading = (async () => {
      for await (const { event } of log.subscribe({ signal: stop.signal })) {
        seen.push(event);
        if (seen.length === 3) stop.abort();
      }
    })();
    await log.append("a", [1]);
    await log.append("b", [2, 3]);
    await reading;
    expect(seen).toEqual([1, 2, 3]);
  });
});

describe("a log under seeds", () => {
  it.each([1, 2, 3, 4])("has no gaps, and a subscriber skips nothing: %i", async (seed) => {
    const dice = new Dice(seed);
    // Two of them over one table: as of two requests to a server.
    const logs = [openLog(), openLog()];
    const stop = new AbortController();
    const seen: LogEvent[] = [];
    const total = 5 * 12;
    /** It dies now and then, and begins again at what it kept. */
    const subscribe = async (): Promise<void> => {
      while (seen.length < total) {
        const after = seen.at(-1)?.position ?? 0n;
        let left = 1 + dice.below(9);
        for await (const event of (logs[dice.below(2)] as EventLog).subscribe({
          after,
          signal: stop.signal,
        })) {
          seen.push(event);
          if (--left === 0 || seen.length === total) break;
        }
      }
    };
    const write = async (writer: number): Promise<void> => {
      for (let i = 0; i < 12; i++) {
        world.clock.ms += dice.below(100) - 50;
        const log = logs[dice.below(2)] as EventLog;
        await log.append(`stream-${dice.below(3)}`, [{ writer, i }]);
        await dice.pause();
      }
    };
    await Promise.all([subscribe(), ...[0, 1, 2, 3, 4].map(write)]);
    stop.abort();
    await world.at.reopen();
    const events = await everything(openLog());
    expect(seen).toEqual(events);
    expect(events.map(({ position }) => position)).toEqual(events.map((_, i) => BigInt(i + 1)));
    for (const stream of new Set(events.map((event) => event.stream))) {
      const versions = events.filter((event) => event.stream === stream);
      expect(versions.map(({ version }) => version)).toEqual(versions.map((_, i) => BigInt(i + 1)));
    }
    for (const writer of [0, 1, 2, 3, 4]) {
      const own = events.map(({ event }) => event as { writer: number; i: number });
      const numbers = own.filter((event) => event.writer === writer).map(({ i }) => i);
      expect(numbers).toEqual(Array.from({ length: 12 }, (_, i) => i));
    }
  });
});
