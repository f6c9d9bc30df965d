import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { TableId } from "../../src/base/ids.ts";
import { QUEUE_SHAPE, Queue } from "../../src/patterns/queues.ts";
import { brokenIndexes } from "../rows/support/open-rows.ts";
import { codeOf, Dice, type PatternWorld, patternWorld } from "./support.ts";

const VISIBLE = 1_000;
let world: PatternWorld;
let id: TableId;

beforeEach(async () => {
  world = await patternWorld();
  id = await world.table(QUEUE_SHAPE);
});
afterEach(() => world.end());

const queue = (maxAttempts = 3): Queue => new Queue(world.of(id), { maxAttempts });
const one = async (of = queue()) => (await of.claim({ visibilityMs: VISIBLE }))[0];

describe("a queue", () => {
  it("delivers in order, hides what is claimed, and shows it again after its time", async () => {
    await queue().enqueue([{ n: 1 }]);
    await queue().enqueue([{ n: 2 }], { delayMs: 1 });
    const first = await one();
    expect(first).toMatchObject({ payload: { n: 1 }, fence: 1n, attempts: 1 });
    expect(await one()).toBeUndefined();
    world.clock.ms += 1;
    const second = await one();
    expect(second?.payload).toEqual({ n: 2 });
    world.clock.ms += VISIBLE - 1;
    await world.at.reopen();
    const again = await one();
    expect(again).toMatchObject({ payload: { n: 1 }, fence: 2n, attempts: 2 });
    expect(await codeOf(queue().ack(first as never))).toBe("QUEUE_CLAIM_LOST");
    expect(await queue().ack(again as never)).toBe(true);
    expect(await queue().ack(again as never)).toBe(false);
    expect(await codeOf(queue().nack(again as never))).toBe("QUEUE_TASK_NOT_FOUND");
    await queue().extend(second as never, { visibilityMs: 5 * VISIBLE });
    world.clock.ms += 4 * VISIBLE;
    expect(await one()).toBeUndefined();
    const forged = { id: second?.id as string, fence: 9n };
    expect(await codeOf(queue().ack(forged))).toBe("PATTERN_FENCE_INVALID");
  });

  it("keeps dead letters, which can be driven again", async () => {
    const [task = ""] = await queue().enqueue(["poison"]);
    for (let i = 0; i < 3; i++) {
      const claim = await one();
      expect(claim?.attempts).toBe(i + 1);
      await queue().nack(claim as never, { reason: `failed ${i}` });
      expect(await codeOf(queue().ack(claim as never))).toBe("QUEUE_CLAIM_LOST");
    }
    expect(await one()).toBeUndefined();
    const dead = await queue().deadLetters();
    expect(dead).toMatchObject([{ id: task, payload: "poison", attempts: 3, reason: "failed 2" }]);
    expect(await queue().redrive(task)).toBe(true);
    expect(await queue().redrive(task)).toBe(false);
    const claim = await one();
    expect(claim?.attempts).toBe(1);
    expect((claim?.fence ?? 0n) > 6n).toBe(true);
    await queue(1).nack(claim as never);
    expect(await queue().discard(task)).toBe(true);
    expect(await queue().deadLetters()).toEqual([]);
  });

  it("makes a dead letter of a task whose workers die", async () => {
    await queue().enqueue(["poison", "good"]);
    for (let i = 0; i < 3; i++) {
      expect(await queue().claim({ max: 2, visibilityMs: VISIBLE })).toHaveLength(2);
      world.clock.ms += VISIBLE;
    }
    expect(await queue().claim({ max: 2 })).toEqual([]);
    expect(await queue().deadLetters()).toHaveLength(2);
  });

  it("claims behind a stored mark, also when the clock goes back", async () => {
    const of = queue();
    await of.enqueue(Array.from({ length: 50 }, (_, i) => i));
    for (const claim of await of.claim({ max: 50 })) await of.ack(claim);
    expect(await of.moveMark()).toBe(world.clock.ms);
    world.clock.ms -= 3_600_000;
    await world.at.reopen();
    await queue().enqueue(["late"]);
    const late = await one();
    expect(late?.payload).toBe("late");
    expect(await queue().moveMark()).toBe(world.clock.ms + 3_600_000);
    await queue().nack(late as never);
    expect((await one())?.payload).toBe("late");
  });

  it("refuses what is not a task", async () => {
    expect(await codeOf(queue().enqueue([]))).toBe("PATTERN_VALUE_INVALID");
    expect(await codeOf(queue().enqueue([undefined]))).toBe("PATTERN_VALUE_INVALID");
    expect(await codeOf(queue().enqueue([1n]))).toBe("PATTERN_VALUE_INVALID");
    expect(await codeOf(queue().claim({ max: 0 }))).toBe("PATTERN_VALUE_INVALID");
    const mark = { id: "00000000-0000-0000-0000-000000000000", fence: 0n };
    await queue().moveMark();
    expect(await queue().ack(mark)).toBe(false);
  });
});

describe("a queue under seeds", () => {
  it.each([1, 2, 3, 4])("acknowledges each task once: %i", async (seed) => {
    const dice = new Dice(seed);
    const sent = new Set<string>();
    const done: string[] = [];
    let producing = 4;
    const produce = async (): Promise<void> => {
      for (let i = 0; i < 10; i++) {
        for (const task of await queue(1_000).enqueue([i, -i], { delayMs: dice.below(3) })) {
          sent.add(task);
        }
        await dice.pause();
      }
      producing--;
    };
    const work = async (): Promise<void> => {
      const of = queue(1_000);
      while (producing > 0 || done.length < sent.size) {
        world.clock.ms += dice.below(400) - dice.below(100);
        for (const claim of await of.claim({ max: 1 + dice.below(4), visibilityMs: VISIBLE })) {
          await dice.pause();
          const what = dice.below(10);
          // Some workers die, some give the task back, some are late.
          if (what === 0) continue;
          if (what === 1) await codeOf(of.nack(claim));
          else if ((await of.ack(claim).catch(() => false)) === true) done.push(claim.id);
        }
        if (dice.below(8) === 0) await of.moveMark();
      }
    };
    await Promise.all([...Array.from({ length: 4 }, produce), ...Array.from({ length: 8 }, work)]);
    expect(new Set(done)).toEqual(sent);
    expect(done).toHaveLength(80);
    await world.at.reopen();
    world.clock.ms += 100 * VISIBLE;
    expect(await queue().claim()).toEqual([]);
    expect(await queue().deadLetters()).toEqual([]);
    const broken = await world.at.rows.run(async (tx) =>
      brokenIndexes(tx, await tx.tables.get(id)),
    );
    expect(broken).toEqual([]);
    expect(world.at.rows.locked).toBe(0);
  });
});
