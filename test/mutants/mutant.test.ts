import { expect, test } from "vitest";
import { parseMutant, verdictOf } from "./mutant.ts";

const PATCH = "--- a/src/x.ts\n+++ b/src/x.ts\n@@ -1 +1 @@\n-a\n+b\n";

test("a mutant says what is broken and what should see it", () => {
  const text = `It is broken.\nrun: vitest test/x.test.ts\nrun: sim --seeds 5\n\n${PATCH}`;
  expect(parseMutant("x.patch", text)).toEqual({
    name: "x",
    what: "It is broken.",
    runs: [
      { program: "vitest", args: ["test/x.test.ts"] },
      { program: "sim", args: ["--seeds", "5"] },
    ],
    patch: PATCH,
  });
  expect(() => parseMutant("x.patch", PATCH)).toThrow();
  expect(() => parseMutant("x.patch", `It is broken.\nrun: make all\n${PATCH}`)).toThrow();
});

const FAILED = " FAIL  |unit| test/x.test.ts > it holds\nAssertionError: expected 1 to be 2\n";

test.each([
  ["a green run", "vitest", 0, "1 passed, 0 failed, 0 skipped", "survived"],
  ["a red test", "vitest", 1, FAILED, "caught"],
  ["a file that does not load", "vitest", 1, " FAIL  |unit| test/x.test.ts\nError: no", "wrong"],
  ["a broken copy", "vitest", 1, `${FAILED}SyntaxError: Unexpected token`, "wrong"],
  ["nothing said", "vitest", 1, "", "wrong"],
  ["a red seed", "sim", 1, "FAILED seed 3: npm run\nViolation: no", "caught"],
  ["a seed that broke off", "sim", 1, "FAILED seed 3: npm run\nTypeError: no", "wrong"],
  ["options that are refused", "sim", 2, "usage", "wrong"],
  ["a fault that shows", "faults", 1, "FAILED aws drop: PUT #1, lost\nnpm run\nnot so", "caught"],
  ["a run that broke off", "faults", 1, "FAILED aws drop: x\nnpm run\nTypeError: no", "wrong"],
  ["a cell that is empty", "faults", 1, "FAILED: never struck:\n a\n b", "wrong"],
] as const)("a run is read: %s", (_what, program, code, output, state) => {
  expect(verdictOf(program, code, output).state).toBe(state);
});
