import { afterAll, beforeAll, expect, test } from "vitest";
import type { Batch, CommitOutcome, PointerStore } from "../../src/pointer/port.ts";
import { Judge } from "./judge.ts";
import { kindOf } from "./kinds.ts";
import { Lab } from "./lab.ts";
import { newTally, PARTS, type Part, PartRuns, type Tally } from "./matrix.ts";
import { awsSite } from "./sites.ts";

let lab: Lab;

beforeAll(async () => {
  lab = await Lab.open();
});

afterAll(() => lab.close());

function partOf(name: string): Part {
  const part = PARTS.find((one) => one.name === name);
  if (part === undefined) throw new Error(`no part ${name}`);
  return part;
}

async function runsOf(name: string, tally: Tally = newTally()): Promise<PartRuns> {
  const runs = await PartRuns.open(lab, partOf(name), tally);
  if (runs === undefined) throw new Error(`${name}: ${tally.findings[0]?.why}`);
  return runs;
}

test.each([
  ["aws create, parent drops", "TransactWriteItems #1", ["lost", "late1", "429", "stalled"]],
  ["aws update, keyed", "TransactWriteItems #1", ["mute", "doing", "500+", "end+"]],
  ["bucket drop", "PUT wal #1", ["lost", "again", "409", "503+", "end"]],
] as const)("what is told is so, and stays so: %s, %s", async (name, step, kinds) => {
  const tally = newTally();
  const runs = await runsOf(name, tally);
  const wanted: ReadonlySet<string> = new Set(kinds.map((kind) => `${name}: ${step}, ${kind}`));
  for (const one of runs.singles()) if (wanted.has(one.name)) await runs.run(one, tally);
  expect(tally.findings.map(({ case: { name }, why }) => `${name}: ${why}`)).toEqual([]);
  expect(tally.runs).toBe(wanted.size);
});

type Guess = (batch: Batch) => CommitOutcome;

/** A subject that takes an unknown outcome for another one. */
function guessing(guess: Guess): (store: PointerStore) => PointerStore {
  return (store) => ({
    get: (key) => store.get(key),
    getMany: (keys) => store.getMany(keys),
    list: (...of) => store.list(...of),
    sweep: (...of) => store.sweep(...of),
    forget: (...of) => store.forget(...of),
    commit: async (batch) => {
      const answer = await store.commit(batch);
      return answer.outcome === "unknown" ? guess(batch) : answer;
    },
  });
}

const committed: Guess = ({ ops }) => ({
  outcome: "committed",
  versions: new Map(ops.map(({ key }) => [key, 1n << 40n])),
});
const refused: Guess = ({ ops }) => ({
  outcome: "conflict",
  failed: ops.map(({ key }) => ({ state: "absent", key, version: 1n << 40n })),
});

test.each([
  ["applied", "unsent", committed],
  ["refused", "lost", refused],
] as const)("caught: what is in doubt is called %s", async (_, kind, guess) => {
  const { subject } = partOf("aws create");
  const spoilt = awsSite(guessing(guess));
  const judge = await Judge.of(lab, spoilt, subject);
  const blow = { step: "TransactWriteItems #1", kind: kindOf(kind), rival: false };
  const run = await lab.run(spoilt, subject, [blow]);
  expect(judge.verdict(run)).toBeDefined();
});

test("a cell that nothing was struck in is found", async () => {
  const runs = await runsOf("bucket drop");
  const [first] = runs.singles();
  if (first === undefined) throw new Error("no case");
  const all = runs.empty.length;
  expect(all).toBe(runs.singles().length);
  await runs.run(first, newTally());
  expect(runs.empty).toHaveLength(all - 1);
});
