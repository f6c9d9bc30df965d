import { expect, onTestFinished, test } from "vitest";
import { type WorkLimits, WorkThreads } from "../../src/base/work-threads.ts";
import { SystemClock } from "../../src/runtime/clock.ts";
import { ROLE, type TestTasks } from "./support/work-tasks.ts";

const MODULE = new URL("./support/work-tasks.ts", import.meta.url);

function open(limits: Partial<WorkLimits> = {}): WorkThreads<TestTasks> {
  const clock = new SystemClock();
  const work = new WorkThreads<TestTasks>({ module: MODULE, role: ROLE, clock, ...limits });
  onTestFinished(() => work.close());
  return work;
}

async function all<T>(pieces: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const piece of pieces) found.push(piece);
  return found;
}

test("a thread starts when there is work, and is used again", async () => {
  const work = open();
  expect(work.threads).toBe(0);
  expect(await all(work.run("count", 3))).toEqual([1, 2, 3]);
  const [doubled] = await all(work.run("double", Uint8Array.of(1, 2)));
  expect(doubled?.bytes).toEqual(Uint8Array.of(1, 2, 1, 2));
  expect(work.threads).toBe(1);
});

test("memory that is given up is not copied", async () => {
  const input = new Uint8Array(1_024);
  await all(open().run("double", input, [input.buffer]));
  expect(input.byteLength).toBe(0);
});

test("a refusal keeps its kind, code and facts", async () => {
  const work = open();
  await expect(all(work.run("refuse", "so"))).rejects.toMatchObject({
    kind: "Invalid",
    code: "TEST_REFUSED",
    message: "so",
    context: { id: 2n ** 60n },
  });
  expect(await all(work.run("count", 1))).toEqual([1]);
  expect(work.threads).toBe(1);
});

test("an input that overflows the stack is too large, and the thread goes on", async () => {
  const work = open();
  const failure = { kind: "Invalid", code: "WORK_TOO_LARGE" };
  await expect(all(work.run("deep", null))).rejects.toMatchObject(failure);
  expect(await all(work.run("count", 1))).toEqual([1]);
});

test("a task that needs too much memory fails alone", async () => {
  const work = open({ heapMib: 24, threads: 2 });
  const other = work.run("count", 2);
  expect((await other.next()).value).toBe(1);
  const failure = { kind: "Invalid", code: "WORK_TOO_LARGE", context: { heapMib: 24 } };
  await expect(all(work.run("hoard", null))).rejects.toMatchObject(failure);
  expect((await other.next()).value).toBe(2);
  expect((await other.next()).done).toBe(true);
  expect(await all(work.run("count", 1))).toEqual([1]);
});

test("a thread whose heap has grown is not used again", async () => {
  const clock = new SystemClock();
  let slept = () => {};
  const sleep: SystemClock["sleep"] = async (ms, signal) => {
    await clock.sleep(ms, signal);
    slept();
  };
  const watched = { nowMs: () => clock.nowMs(), monotonicMs: () => clock.monotonicMs(), sleep };
  const work = new WorkThreads<TestTasks>({
    module: MODULE,
    role: ROLE,
    clock: watched,
    heapMib: 128,
  });
  onTestFinished(() => work.close());
  for await (const kept of work.run("hoard", null)) {
    if (kept < 1_000_000) continue;
    // Twice: the first sleep may have begun before there was so much.
    for (let looks = 0; looks < 2; looks++) await new Promise<void>((done) => (slept = done));
    break;
  }
  expect(work.threads).toBe(0);
  expect(await all(work.run("count", 1))).toEqual([1]);
  expect(work.threads).toBe(1);
});

test("a task that takes too long is ended with its thread, and another one comes", async () => {
  const work = open({ taskMs: 300, threads: 1 });
  const slow = work.run("spin", null);
  expect((await slow.next()).value).toBe(0);
  const waiting = all(work.run("count", 2));
  const failure = { kind: "Invalid", code: "WORK_TOO_LONG", context: { limitMs: 300 } };
  await expect(slow.next()).rejects.toMatchObject(failure);
  expect(await waiting).toEqual([1, 2]);
});

test("the time between pieces is not the task's", async () => {
  const work = open({ taskMs: 1_000 });
  const pieces = work.run("count", 2);
  await pieces.next();
  await new SystemClock().sleep(1_100);
  expect((await pieces.next()).value).toBe(2);
});

test("one that is left early gives its thread back", async () => {
  const work = open({ threads: 1 });
  for await (const piece of work.run("count", 1_000)) if (piece === 2) break;
  expect(await all(work.run("count", 1))).toEqual([1]);
  expect(work.threads).toBe(1);
});

test("closing ends what is under way and what waits in line", async () => {
  const work = open({ threads: 1 });
  const slow = work.run("spin", null);
  await slow.next();
  const stopped = { kind: "Unavailable", code: "WORK_STOPPED" };
  const ended = [slow.next(), all(work.run("count", 1))].map((one) =>
    expect(one).rejects.toMatchObject(stopped),
  );
  await work.close();
  await Promise.all(ended);
  await expect(all(work.run("count", 1))).rejects.toMatchObject(stopped);
  expect(work.threads).toBe(0);
});

test("a thread that has nothing to do ends", async () => {
  const work = open({ idleMs: 50 });
  await all(work.run("count", 1));
  await expect.poll(() => work.threads).toBe(0);
  expect(await all(work.run("count", 1))).toEqual([1]);
});
