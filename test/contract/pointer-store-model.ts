import * as fc from "fast-check";
import { expect } from "vitest";
import type { Item, PointerOp, Version } from "../../src/pointer/port.ts";
import { type Checks, Space } from "./pointer-store-space.ts";

/** What stands at a key, as plainly as it can be said. */
interface Cell {
  version: bigint;
  live: boolean;
  writerId: string;
  blobPath: string | undefined;
}

/** Where an operation's expectation stands to the version that is there. */
interface Move {
  readonly op: PointerOp["op"];
  readonly leaf: string;
  readonly offset: -1 | 0 | 1;
}

const move: fc.Arbitrary<Move> = fc.record({
  op: fc.constantFrom("put", "put", "delete", "check", "checkAbsent", "bump"),
  leaf: fc.constantFrom("a", "b", "c", "a-", "a%2F"),
  offset: fc.oneof(
    { weight: 8, arbitrary: fc.constant(0 as const) },
    { weight: 1, arbitrary: fc.constantFrom(-1 as const, 1 as const) },
  ),
});

const batches: fc.Arbitrary<readonly (readonly Move[])[]> = fc.array(
  fc.uniqueArray(move, { minLength: 1, maxLength: 4, selector: ({ leaf }) => leaf }),
  { maxLength: 25 },
);

/** The naive model: a map of cells, looked through from end to end. */
class Model {
  readonly cells = new Map<string, Cell>();

  version(key: string): bigint {
    return this.cells.get(key)?.version ?? 0n;
  }

  holds(op: PointerOp): boolean {
    const live = this.cells.get(op.key)?.live === true;
    if (op.op === "bump") return live;
    if (op.op === "checkAbsent") return !live;
    const same = this.version(op.key) === op.expected;
    return op.op === "check" ? live && same : same;
  }

  apply(op: PointerOp, writerId: string): void {
    const version = this.version(op.key) + 1n;
    const cell = this.cells.get(op.key);
    if (op.op === "bump" && cell !== undefined) cell.version = version;
    if (op.op !== "put" && op.op !== "delete") return;
    const blobPath = op.op === "put" ? op.blobPath : undefined;
    this.cells.set(op.key, { version, live: op.op === "put", writerId, blobPath });
  }

  matches(item: Item): void {
    const cell = this.cells.get(item.key);
    expect(item.version).toBe(cell?.version ?? 0n);
    expect(item.state).toBe(cell?.live === true ? "live" : "absent");
    expect(item.writerId).toBe(cell?.writerId);
    if (item.state === "live") expect(item.blobPath).toBe(cell?.blobPath);
  }
}

function toOp(s: Space, model: Model, { op, leaf, offset }: Move, blobPath: string): PointerOp {
  const key = s.name(leaf);
  if (op === "bump" || op === "checkAbsent") return { op, key };
  const near: Version = model.version(key) + BigInt(offset);
  const expected = near < 0n ? 0n : near;
  return op === "put" ? { op, key, expected, blobPath } : { op, key, expected };
}

async function step(s: Space, model: Model, moves: readonly Move[], n: number): Promise<void> {
  const writerId = `writer-${n}`;
  const ops = moves.map((each) => toOp(s, model, each, `blob/${n}`));
  const wrong = ops.filter((op) => !model.holds(op)).map((op) => op.key);
  const answer = await s.send(writerId, ...ops);
  if (wrong.length > 0) {
    const failed = answer.outcome === "conflict" ? answer.failed : [];
    expect(failed.map((item) => item.key).toSorted()).toEqual(wrong.toSorted());
    for (const item of failed) model.matches(item);
    return;
  }
  expect(answer.outcome).toBe("committed");
  for (const op of ops) model.apply(op, writerId);
}

async function expectSame(s: Space, model: Model): Promise<void> {
  for (const item of await s.store.getMany(["a", "b", "c", "a-", "a%2F"].map((l) => s.name(l)))) {
    model.matches(item);
  }
  const live = [...model.cells].flatMap(([key, cell]) => (cell.live ? [key] : [])).toSorted();
  expect((await s.store.list(s.names)).map((item) => item.key)).toEqual(live);
  const swept = await s.swept();
  expect(swept.map((item) => item.key).toSorted()).toEqual([...model.cells.keys()].toSorted());
  for (const item of swept) model.matches(item);
}

export const modelChecks: Checks = {
  "answers as the naive model does, whatever is sent": async (_store, s) => {
    let run = 0;
    const property = fc.asyncProperty(batches, async (sequence) => {
      const root = s.root.slice(s.root.lastIndexOf("/") + 1);
      const space = new Space(s.subject, s.capabilities, `${root}-${run++}`);
      const model = new Model();
      for (const [n, moves] of sequence.entries()) await step(space, model, moves, n);
      await expectSame(space, model);
    });
    await fc.assert(property, { numRuns: s.capabilities.modelRuns ?? 60, seed: 20_260_101 });
  },
};
