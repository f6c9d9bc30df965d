import { describe, expect, test } from "vitest";
import { Stopwatch } from "../../src/base/clock.ts";
import { VirtualClock } from "../support/virtual-clock.ts";

describe("VirtualClock", () => {
  test("wakes sleepers in due order, each with its consequences before the next", async () => {
    const clock = new VirtualClock();
    const log: string[] = [];
    const note = (name: string, ms: number): Promise<void> =>
      clock.sleep(ms).then(async () => {
        log.push(`${name}@${clock.monotonicMs()}`);
        if (name === "a") await note("nested", 5);
      });
    void note("b", 20);
    void note("a", 10);
    void note("c", 20);
    await clock.advance(15);
    expect(log).toEqual(["a@10", "nested@15"]);
    await clock.advance(4);
    expect(log).toHaveLength(2);
    await clock.runUntilIdle();
    expect(log).toEqual(["a@10", "nested@15", "b@20", "c@20"]);
    expect(clock.sleeping).toBe(0);
  });

  test("runs a promise to its end, whatever sleeps or real work it needs", async () => {
    const clock = new VirtualClock();
    const work = async (): Promise<number> => {
      await clock.sleep(1_000);
      await new Promise((resolve) => setTimeout(resolve, 1));
      await clock.sleep(60_000);
      return clock.monotonicMs();
    };
    expect(await clock.run(work())).toBe(61_000);
    await expect(
      clock.run(clock.sleep(1).then(() => Promise.reject(new Error("x")))),
    ).rejects.toThrow();
  });

  test("who works until all is idle lets no time pass too: the first would end early", async () => {
    const clock = new VirtualClock();
    const inside = clock.sleep(1).then(async () => {
      const said = [];
      for (const pass of [
        () => clock.run(clock.sleep(1)),
        () => clock.advance(1),
        () => clock.runUntilIdle(),
      ]) {
        said.push(await pass().catch(String));
      }
      return said;
    });
    await clock.runUntilIdle();
    expect(await inside).toEqual(Array(3).fill(expect.stringContaining("already passes")));
    expect(await clock.run(clock.sleep(1).then(() => "later"))).toBe("later");
  });

  test("moves wall time alone, or both without waking", () => {
    const clock = new VirtualClock(1_000);
    const stopwatch = new Stopwatch(clock);
    clock.jumpWall(-500);
    expect([clock.nowMs(), clock.monotonicMs(), stopwatch.elapsedMs()]).toEqual([500, 0, 0]);
    clock.skip(700);
    expect([clock.nowMs(), clock.monotonicMs(), stopwatch.elapsedMs()]).toEqual([1_200, 700, 700]);
  });
});
