import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Tree } from "../../src/rows/temporary/tree.ts";

type Step =
  | { readonly kind: "put"; readonly key: number; readonly value: number }
  | { readonly kind: "delete"; readonly key: number }
  | { readonly kind: "deleteRange" | "scan"; readonly from: number; readonly to: number };

const KEYS = 2_000;

function bytes(number: number): Uint8Array {
  const made = Buffer.alloc(3);
  made.writeUIntBE(number, 0, 3);
  return made;
}

const key = fc.integer({ min: 0, max: KEYS });
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ kind: fc.constant("put" as const), key, value: key }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("delete" as const), key }) },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constantFrom("deleteRange" as const, "scan" as const),
      from: key,
      to: key,
    }),
  },
);

function shown(entries: Iterable<{ readonly key: Uint8Array; readonly value: Uint8Array }>) {
  return [...entries].map((entry) => [
    Buffer.from(entry.key).readUIntBE(0, 3),
    Buffer.from(entry.value).readUIntBE(0, 3),
  ]);
}

function sorted(model: ReadonlyMap<number, number>, from = 0, to = KEYS + 1): number[][] {
  const all = [...model].filter(([at]) => at >= from && at < to);
  return all.sort(([a], [b]) => a - b);
}

function applied(tree: Tree, model: Map<number, number>, one: Step): Tree {
  if (one.kind === "put") {
    model.set(one.key, one.value);
    return tree.put(bytes(one.key), bytes(one.value));
  }
  if (one.kind === "delete") {
    model.delete(one.key);
    return tree.delete(bytes(one.key));
  }
  const { from, to } = one;
  if (one.kind === "deleteRange") {
    for (const at of [...model.keys()]) if (at >= from && at < to) model.delete(at);
    return tree.deleteRange(bytes(from), bytes(to));
  }
  const expected = sorted(model, from, to);
  expect(shown(tree.entries(bytes(from), bytes(to)))).toEqual(expected);
  expect(shown(tree.entries(bytes(from), bytes(to), true))).toEqual(expected.reverse());
  return tree;
}

describe("a tree of temporary rows", () => {
  it("is an ordered map, and keeps each older state", () => {
    const before = fc.array(fc.integer({ min: 0, max: KEYS }), { maxLength: 1_500 });
    fc.assert(
      fc.property(before, fc.array(step, { maxLength: 300 }), (filled, steps) => {
        const model = new Map<number, number>();
        let tree = Tree.EMPTY;
        for (const at of filled) tree = applied(tree, model, { kind: "put", key: at, value: at });
        const [older, known] = [tree, sorted(model)];
        for (const one of steps) tree = applied(tree, model, one);
        expect(shown(tree.entries(bytes(0)))).toEqual(sorted(model));
        expect(shown(tree.entries(bytes(0), undefined, true))).toEqual(sorted(model).reverse());
        expect(tree.count).toBe(model.size);
        expect(tree.bytes).toBe(model.size * Tree.EMPTY.put(bytes(1), bytes(1)).bytes);
        for (const [at, value] of model) expect(tree.get(bytes(at))).toEqual(bytes(value));
        expect(tree.get(bytes(KEYS + 5))).toBeUndefined();
        expect(tree.estimate(bytes(0)).entries).toBe(model.size);
        expect(tree.estimate(bytes(100), bytes(900)).entries).toBe(sorted(model, 100, 900).length);
        expect(shown(older.entries(bytes(0)))).toEqual(known);
      }),
      { numRuns: 60 },
    );
  });

  it("drops all of a long range at once", () => {
    let tree = Tree.EMPTY;
    for (let at = 0; at < 300_000; at++) tree = tree.put(bytes(at), bytes(at));
    const began = process.cpuUsage();
    tree = tree.deleteRange(bytes(10), bytes(299_990));
    const { user, system } = process.cpuUsage(began);
    expect(tree.count).toBe(20);
    expect((user + system) / 1_000).toBeLessThan(20);
  });
});
