import { readFileSync } from "node:fs";
import { expect, test } from "vitest";

const DOCS = new URL("../../docs/ordered-keys.md", import.meta.url);
const KEYS = new URL("../../src/keys/index.ts", import.meta.url);

const EXAMPLES = [...readFileSync(DOCS, "utf8").matchAll(/```js\n([\s\S]*?)```/g)].map(
  ([, code = ""]) => code,
);

test.each(EXAMPLES)("an example of the docs prints what it shows: %#", async (code) => {
  // Imported as data: a module of its own, with the door of the sources in place of the package's.
  const shown = [...code.matchAll(/^console\.log\(.*\); \/\/ (.*)$/gm)].map(([, line]) => line);
  const module = code
    .replace('"firn-catalog/keys"', JSON.stringify(KEYS.href))
    .replaceAll("console.log(", "print(");
  const source = `import { formatWithOptions } from "node:util";
export const printed = [];
const print = (...values) => printed.push(formatWithOptions({ breakLength: Infinity }, ...values));
${module}`;
  const { printed } = await import(`data:text/javascript,${encodeURIComponent(source)}`);
  expect(shown.length).toBeGreaterThan(0);
  expect(printed).toEqual(shown);
});

test("the docs have examples", () => {
  expect(EXAMPLES).toHaveLength(2);
});
