import fc from "fast-check";
import { expect, test } from "vitest";
import { jsonKeys, parseJson, printJson } from "../../src/base/json.ts";
import { JsonAssembly, sliceJson } from "../../src/base/json-slices.ts";

/** The text of what became of a text on its way between threads. */
function passed(text: string): string {
  const assembly = new JsonAssembly();
  for (const slice of sliceJson(parseJson(text, { depth: 64, nodes: 1e6 }))) {
    assembly.add(structuredClone(slice));
  }
  return printJson(assembly.whole());
}

test("a value is the same on the other side, tokens and order of keys included", () => {
  const leaf = fc.oneof(
    fc.constantFrom("1.0", "-0", "1e3", "9007199254740993", "null", "true", '"\\u0000"', '"é"'),
    // Longer than a slice, so that what holds it is opened.
    fc.constantFrom(`"${"x".repeat(70_000)}"`, `[${"0,".repeat(9_000)}1.0]`),
  );
  const { tree } = fc.letrec<{ tree: string }>((tie) => ({
    tree: fc.oneof(
      { depthSize: "small", withCrossShrink: true },
      leaf,
      fc.array(tie("tree"), { maxLength: 4 }).map((all) => `[${all.join()}]`),
      fc
        .uniqueArray(fc.tuple(fc.constantFrom("b", "10", "2", "a", ""), tie("tree")), {
          selector: ([key]) => key,
        })
        .map((all) => `{${all.map(([key, value]) => `"${key}":${value}`).join()}}`),
    ),
  }));
  fc.assert(
    fc.property(tree, (text) => {
      expect(passed(text)).toBe(text);
    }),
    { numRuns: 30 },
  );
});

test("a large object keeps the order of its keys", () => {
  const keys = Array.from({ length: 30_000 }, (_, i) => (i % 2 === 0 ? `k${i}` : String(i)));
  const text = `{${keys.map((key) => `"${key}":0`).join()}}`;
  const slices = [...sliceJson(parseJson(text))];
  expect(slices.length).toBeGreaterThan(3);
  const assembly = new JsonAssembly();
  for (const slice of slices) assembly.add(slice);
  expect(jsonKeys(assembly.whole() as Parameters<typeof jsonKeys>[0])).toEqual(keys);
});
