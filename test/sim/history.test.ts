import { describe, expect, test } from "vitest";
import { History } from "./catalog/history.ts";
import type { Mutation, Name, Relation } from "./catalog/spec.ts";
import { nameKey } from "./catalog/spec.ts";
import { SITES } from "./harness/faults.ts";
import { runSeed, type Sim, type Suite } from "./harness/sim.ts";

const AT: Name = { path: ["n"], name: "t" };
const FILE = {
  location: "file:///w/other/metadata.json",
  content: { born: "other", marks: [], head: undefined, snapshots: [], balance: undefined },
};
const OVER: Mutation = { kind: "registerOver", at: AT, file: FILE };

/** A history in which a table `born` there was overwritten by a register. */
async function judged(then: (history: History) => void): Promise<unknown> {
  const run = async (sim: Sim) => {
    const history = new History(sim);
    const apply = (id: string, mutation: Mutation): void => {
      history.begin(id, mutation);
      history.applied(id, undefined);
    };
    apply("a", { kind: "createNamespace", path: AT.path, mark: "home" });
    apply("b", { kind: "createTable", at: AT, born: "born" });
    apply("over", OVER);
    then(history);
    return async () => undefined;
  };
  const suite: Suite = { name: "small", sites: SITES, operations: {}, fullSeeds: 1, run };
  return (await runSeed(suite, 1)).violation;
}

const held = (history: History): Relation | undefined => history.now.relations.get(nameKey(AT));

describe("a register over a table, applied again", () => {
  test("takes itself back: what it overwrote stands again", async () => {
    let born: unknown;
    const violation = await judged((history) => {
      expect(held(history)?.content.born).toBe("other");
      history.applied("over", undefined);
      born = held(history)?.content.born;
    });
    expect(violation).toBeUndefined();
    expect(born).toBe("born");
  });

  test("is accepted once", async () => {
    const violation = await judged((history) => {
      history.applied("over", undefined);
      history.applied("over", undefined);
    });
    expect(violation).toMatchObject({ message: "over was applied twice" });
  });

  test("may not write over what was made of it since", async () => {
    const violation = await judged((history) => {
      history.begin("c", { kind: "commitTable", at: AT, mark: "c" });
      history.applied("c", undefined);
      history.applied("over", undefined);
    });
    expect(violation).toMatchObject({ message: "over was applied twice" });
  });
});

test("nothing else is applied twice", async () => {
  const violation = await judged((history) => history.applied("b", undefined));
  expect(violation).toMatchObject({ message: "b was applied twice" });
});
