import { expect, test } from "vitest";
import type { CommitOutcome, PointerStore } from "../../../src/pointer/port.ts";
import { campaign } from "./pointers.ts";

/** The adapter, but for what it makes of an outcome that is not known. */
function guessing(guess: () => CommitOutcome): (s: PointerStore) => PointerStore {
  return (store) => ({
    get: (key) => store.get(key),
    getMany: (keys) => store.getMany(keys),
    list: (...of) => store.list(...of),
    sweep: (...of) => store.sweep(...of),
    forget: (...of) => store.forget(...of),
    commit: async (batch) => {
      const answer = await store.commit(batch);
      return answer.outcome === "unknown" ? guess() : answer;
    },
  });
}

test("a campaign over an adapter that guesses finds lies", async () => {
  const committed = guessing(() => ({ outcome: "committed", versions: new Map() }));
  const { lies } = await campaign({ ops: 400, seed: 1 }, committed);
  expect(lies.filter((lie) => lie.startsWith("applied though not"))).not.toEqual([]);
});
