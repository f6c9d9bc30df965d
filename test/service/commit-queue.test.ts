import { expect, test } from "vitest";
import { CommitQueue } from "../../src/service/commit-queue.ts";
import { SERVICE_LIMITS } from "../../src/service/limits.ts";

/** Fills the queue of a key: one has its turn, as many wait as may. */
function fill(turns: CommitQueue, key: string) {
  const released = Promise.withResolvers<void>();
  const order: number[] = [];
  const taken = Array.from({ length: SERVICE_LIMITS.commitsWaiting + 1 }, (_, n) =>
    turns.take(key, async () => {
      await released.promise;
      order.push(n);
    }),
  );
  return { order, taken, release: () => released.resolve() };
}

const FULL = { kind: "Overloaded", code: "TABLE_OVERLOADED" };

test("work on one thing is done in order, work on others goes on meanwhile", async () => {
  const turns = new CommitQueue();
  const { order, taken, release } = fill(turns, "a");
  expect(await turns.take("b", async () => "done")).toBe("done");
  expect(order).toEqual([]);
  release();
  await Promise.all(taken);
  expect(order).toEqual(taken.map((_, n) => n));
});

test("a full queue refuses at once, and takes again what has room again", async () => {
  const turns = new CommitQueue();
  const { taken, release } = fill(turns, "a");
  let ran = 0;
  const work = async () => void ran++;
  await expect(turns.take("a", work)).rejects.toMatchObject(FULL);
  await expect(turns.takeAll(["b", "a"], work)).rejects.toMatchObject(FULL);
  expect(ran).toBe(0);
  // What was refused holds no turn of the other.
  await turns.take("b", work);
  release();
  await Promise.all(taken);
  await turns.takeAll(["b", "a", "b"], work);
  expect(ran).toBe(2);
});

test("a failure is the caller's own, and the next has its turn", async () => {
  const turns = new CommitQueue();
  const failed = turns.take("a", () => Promise.reject(new Error("no")));
  const next = turns.take("a", async () => "next");
  await expect(failed).rejects.toThrow("no");
  expect(await next).toBe("next");
});
