import { expect, test } from "vitest";
import { casesOf, countOf } from "../support/pointer-kind.ts";
import { checkStore } from "./support/check-store.ts";
import {
  BLOB_FAULTS,
  type FaultRun,
  type Faults,
  FaultyNode,
  POINTER_FAULTS,
  randomFaults,
  runWithFaults,
  saysNothingHappened,
} from "./support/fault-runs.ts";
import * as op from "./support/operations.ts";
import { Violation } from "./support/read-store.ts";
import { type Image, imageOf, openWorld, warm } from "./support/world.ts";

const TREE: readonly op.Operation[] = [
  op.createCatalog("c"),
  op.createCatalog("empty"),
  op.createNamespace("s"),
  op.createNamespace("n"),
  op.createTable("s.t"),
  op.createView("s.v"),
  op.createNamespace("gone"),
  op.createTable("s.gone"),
  op.dropNamespace("gone"),
  op.dropTableWithFiles("s.gone"),
];
const READS: readonly op.Operation[] = [op.findTable("s.t"), op.listTables("n")];

/** One of each kind, and one of each kind of refusal. */
const ALL: readonly op.Operation[] = [
  op.createTable("n.x"),
  op.commitStaged("n.x"),
  op.registerTable("n.x"),
  op.renameTable("s.t", "n.x"),
  op.commitTable("s.t", "A"),
  op.commitSnapshots("s.t", [7n]),
  op.commitSnapshots("s.t", [8n, 9n], [7n]),
  op.moveTable("s.t", "file:///w/elsewhere"),
  op.dropTable("s.t"),
  op.createView("n.x"),
  op.renameView("s.v", "n.x"),
  op.commitView("s.v", "A"),
  op.dropView("s.v"),
  op.createView("s.t"),
  op.createNamespace("n.x"),
  op.renameNamespace("n", "v"),
  op.updateNamespace("n", "A"),
  op.dropNamespace("n"),
  op.createCatalog("d"),
  op.renameCatalog("c", "d"),
  op.dropCatalog("empty"),
  op.createTable("s.t"),
  op.createTable("n.x", "file:///w/s.t"),
  op.dropNamespace("s"),
  op.dropTable("s.gone"),
  op.undrop("table", "gone"),
  op.undrop("table", "gone", "n.back"),
  op.undrop("namespace", "gone"),
  op.undrop("table", "gone", "s.t"),
  op.createApart("n.x", "file:///w/s.t/in"),
];
const OPERATIONS = casesOf(ALL, 6, 8);

/** An operation without faults: the answer to expect, and the tree before and after. */
interface Reference {
  readonly operation: op.Operation;
  readonly answer: string;
  readonly before: string;
  readonly after: string;
}

async function referenceOf(image: Image, operation: op.Operation): Promise<Reference> {
  const world = await openWorld(image, 1);
  await warm(world, READS);
  const before = await checkStore(world.pointers, world.blobs);
  const answer = await op.answerOf(world.nodes[0]!, operation);
  const after = await checkStore(world.pointers, world.blobs);
  return { operation, answer, before: before.join("\n"), after: after.join("\n") };
}

/** Whether an answer is true when given, and stays true whatever lands later. */
function isTrue({ answer, before, after }: Reference, run: FaultRun): boolean {
  const trees = [run.tree.join("\n"), run.treeInTheEnd.join("\n")];
  if (run.answer === answer) return trees.every((tree) => tree === after);
  if (saysNothingHappened(run.answer)) return trees.every((tree) => tree === before);
  const settled = trees[0] !== after || trees[1] === after;
  const either = trees.every((tree) => tree === before || tree === after);
  return run.answer === "Unknown OUTCOME_UNKNOWN" && settled && either;
}

function expectTruth(reference: Reference, run: FaultRun, label: string): void {
  expect(isTrue(reference, run), `${label}: ${JSON.stringify(run, null, 1)}`).toBe(true);
}

test("one fault at each store call: the answer is certain and true", async () => {
  const image = await imageOf(TREE);
  let runs = 0;
  for (const operation of OPERATIONS) {
    const reference = await referenceOf(image, operation);
    for (const [kind, fault] of POINTER_FAULTS.entries()) {
      for (let call = 0, calls = 1; call < calls; call++) {
        const faults: Faults = { pointers: (at) => (at === call ? fault : undefined) };
        const run = await runWithFaults(image, READS, operation, faults);
        expectTruth(reference, run, `${operation.name}, fault ${kind} at call ${call}`);
        expect(run.answer).not.toMatch(/^Unknown/);
        calls = run.calls;
        runs++;
      }
    }
    for (const [kind, fault] of BLOB_FAULTS.entries()) {
      for (let put = 0; put < 4; put++) {
        const faults: Faults = { blobs: (at) => (at === put ? fault : undefined) };
        const run = await runWithFaults(image, READS, operation, faults);
        expectTruth(reference, run, `${operation.name}, fault ${kind} at put ${put}`);
        runs++;
      }
    }
  }
  console.log(`${OPERATIONS.length} operations, ${runs} runs with one fault`);
});

test("a blob store that never answers leaves everything as it was", async () => {
  const image = await imageOf(TREE);
  for (const operation of OPERATIONS) {
    const reference = await referenceOf(image, operation);
    const run = await runWithFaults(image, READS, operation, {
      blobs: () => () => ({ fault: "answerLost" }),
    });
    expectTruth(reference, run, operation.name);
  }
});

test("a pointer store that never answers: unknown, and then either", async () => {
  const image = await imageOf(TREE);
  const drop = op.dropTable("s.t");
  const reference = await referenceOf(image, drop);
  const silent: Faults = {
    pointers: (call) => (call > 1 ? () => ({ fault: "late", lands: "release" }) : undefined),
  };
  const run = await runWithFaults(image, READS, drop, silent);
  expectTruth(reference, run, drop.name);
  expect(run.answer).toBe("Unknown OUTCOME_UNKNOWN");
  expect(run.tree.join("\n")).toBe(reference.before);
  expect(run.treeInTheEnd.join("\n")).toBe(reference.after);
});

const MISREADINGS: readonly (readonly [string, NonNullable<Faults["misreadAs"]>])[] = [
  [
    "committed",
    ({ ops }) => ({ outcome: "committed", versions: new Map(ops.map(({ key }) => [key, 1n])) }),
  ],
  [
    "refused",
    ({ ops }) => ({
      outcome: "conflict",
      failed: ops.map(({ key }) => ({ state: "absent" as const, key, version: 1n << 40n })),
    }),
  ],
];

test.each(MISREADINGS)(
  "an unknown outcome that is taken for %s is caught",
  async (_, misreadAs) => {
    const image = await imageOf(TREE);
    let lies = 0;
    for (const operation of OPERATIONS) {
      const reference = await referenceOf(image, operation);
      for (const fault of POINTER_FAULTS) {
        for (let call = 0, calls = 1; call < calls; call++) {
          const pointers: Faults["pointers"] = (at) => (at === call ? fault : undefined);
          try {
            const run = await runWithFaults(image, READS, operation, { pointers, misreadAs });
            if (!isTrue(reference, run)) lies++;
            calls = run.calls;
          } catch (error) {
            if (!(error instanceof Violation)) throw error;
            lies++;
          }
        }
      }
      if (lies > 0) break;
    }
    expect(lies).toBeGreaterThan(0);
  },
);

test("faults at random, many of them: no answer is a lie", async () => {
  const image = await imageOf(TREE);
  const answers = new Map<string, number>();
  let runs = 0;
  for (const operation of OPERATIONS) {
    const reference = await referenceOf(image, operation);
    for (let seed = 1; seed <= countOf(40, 20, 20); seed++) {
      const run = await runWithFaults(image, READS, operation, randomFaults(seed));
      expectTruth(reference, run, `${operation.name}, seed ${seed}`);
      const kind = run.answer === reference.answer ? "as without faults" : run.answer;
      answers.set(kind, (answers.get(kind) ?? 0) + 1);
      runs++;
    }
  }
  console.log(`${runs} runs with random faults: ${JSON.stringify(Object.fromEntries(answers))}`);
  expect(answers.get("as without faults")).toBeGreaterThan(runs / 4);
});

/** What two operations come to one after the other, for each choice of those that happen. */
async function referencesOfPair(image: Image, pair: readonly [op.Operation, op.Operation]) {
  const references: { answers: (string | undefined)[]; tree: string }[] = [];
  for (const order of [[], [0], [1], [0, 1], [1, 0]] as const) {
    const world = await openWorld(image, 2);
    const answers: (string | undefined)[] = [undefined, undefined];
    for (const i of order) answers[i] = await op.answerOf(world.nodes[i]!, pair[i]!);
    const tree = (await checkStore(world.pointers, world.blobs)).join("\n");
    references.push({ answers, tree });
  }
  return references;
}

const PAIRS: readonly (readonly [op.Operation, op.Operation])[] = [
  [op.createTable("n.x"), op.dropNamespace("n")],
  [op.renameTable("s.t", "n.x"), op.renameNamespace("n", "v")],
  [op.createTable("n.x"), op.registerTable("n.x")],
  [op.commitTable("s.t", "A"), op.commitTable("s.t", "B")],
  [op.commitTable("s.t", "A"), op.dropTable("s.t")],
  [op.renameTable("s.t", "n.x"), op.dropTable("s.t")],
  [op.createNamespace("x"), op.renameCatalog("c", "d")],
  [op.undrop("table", "gone"), op.createTable("s.gone", "file:///w/new")],
  [op.undrop("table", "gone", "n.back"), op.dropNamespace("n")],
];

test("two at once on two nodes, each with its own faults: no answer is a lie", async () => {
  const image = await imageOf(TREE);
  let runs = 0;
  for (const pair of PAIRS) {
    const references = await referencesOfPair(image, pair);
    for (let seed = 1; seed <= countOf(60, 10, 15); seed++) {
      const world = await openWorld(image, 0);
      const a = await FaultyNode.open(world, seed, randomFaults(seed), READS);
      const b = await FaultyNode.open(world, 1_000 + seed, randomFaults(1_000 + seed), READS);
      const answers = await Promise.all([a.run(pair[0]), b.run(pair[1])]);
      await checkStore(world.pointers, world.blobs);
      await a.settle();
      await b.settle();
      const tree = (await checkStore(world.pointers, world.blobs)).join("\n");
      const label = `${pair.map(({ name }) => name).join(" | ")}, seed ${seed}: ${answers}`;
      const explained = references.some(
        (reference) =>
          reference.tree === tree &&
          answers.every((answer, i) => {
            if (answer.startsWith("Unknown")) return true;
            if (saysNothingHappened(answer)) return reference.answers[i] === undefined;
            return reference.answers[i] === answer;
          }),
      );
      expect(explained, `${label}\n${tree}`).toBe(true);
      runs++;
    }
  }
  console.log(`${runs} runs of two with random faults`);
});
