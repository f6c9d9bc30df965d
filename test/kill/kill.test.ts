import { describe, expect, it, test } from "vitest";
import { runKills } from "./kills.ts";
import { Marks, Names, Register, Violation } from "./ledger.ts";

test("two ends by SIGKILL under load lose nothing (npm run test:kill does more)", async () => {
  const seed = Date.now() % 1_000_000;
  const kills = await runKills(seed, 2);
  console.log(`seed ${seed}: ${JSON.stringify(kills)}`);
  expect(kills.rounds).toBe(2);
  expect(kills.acknowledged + kills.doubtful).toBeGreaterThan(0);
});

describe("what is held against a life sees", () => {
  const marks = (): Marks => {
    const made = new Marks();
    made.acknowledged("a");
    made.doubtful("b");
    return made;
  };
  const names = (): Names => {
    const made = new Names();
    made.acknowledged({ removes: [], adds: ["a", "c"] });
    made.doubtful({ removes: ["a"], adds: ["b"] });
    return made;
  };
  const register = (): Register => {
    const made = new Register();
    made.acknowledged("1");
    made.doubtful("2");
    return made;
  };

  it.each<readonly [string, () => unknown]>([
    ["a lost mark", () => marks().settle("x", ["b"])],
    ["a mark of nobody", () => marks().settle("x", ["a", "z"])],
    ["a mark twice", () => marks().settle("x", ["a", "a"])],
    ["a lost name", () => names().settle("x", ["b"])],
    ["half a rename", () => names().settle("x", ["a", "b", "c"])],
    ["a name of nobody", () => names().settle("x", ["a", "c", "z"])],
    ["an older value", () => register().settle("x", "0")],
    [
      "what lands after it was seen not to be there",
      () => {
        const made = marks();
        made.settle("x", ["a"]);
        made.settle("x", ["a", "b"]);
      },
    ],
  ])("%s", (_, look) => {
    expect(look).toThrow(Violation);
  });

  it("nothing where either is right", () => {
    expect([marks().settle("x", ["a"]), marks().settle("x", ["b", "a"])]).toEqual([0, 1]);
    expect([names().settle("x", ["c", "a"]), names().settle("x", ["b", "c"])]).toEqual([0, 1]);
    expect([register().settle("x", "1"), register().settle("x", "2")]).toEqual([0, 1]);
  });
});
