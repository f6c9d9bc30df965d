import { expect, test } from "vitest";
import { batchOf, rowsAfter } from "./batches.ts";
import { runMatrix } from "./matrix.ts";
import { runSecretCells } from "./secret.ts";
import { OTHERS, STEPS } from "./steps.ts";

const SOME = new Set(["log: append a group", "flush: publish a flush", "log: find a successor"]);

test("a process that ends at a step leaves all that it acknowledged, and no more", async () => {
  const seed = Date.now() % 1_000_000;
  const run = await runMatrix(seed, (step) => SOME.has(step));
  console.log(`seed ${seed}: ${run.lives} lives, ${run.acknowledged} batches acknowledged`);
  expect(run.empty).toEqual([]);
  expect(run.unnamed).toEqual([]);
  expect([...run.deaths.keys()].sort()).toEqual([
    "flush: publish a flush, after",
    "flush: publish a flush, before",
    "log: append a group, after",
    "log: append a group, before",
    "log: append a group, half",
    "log: find a successor, after, beside a living owner",
  ]);
});

test("a server that dies while it makes its secret leaves it whole, and nothing else", async () => {
  const plan = { step: "secret: name the file", moment: "after", nth: 1 } as const;
  expect([...(await runSecretCells([plan]))]).toEqual(["secret: name the file, after"]);
});

test("every step has one name", () => {
  const names = [...STEPS.map(({ name }) => name), ...OTHERS];
  expect(new Set(names).size).toBe(names.length);
  expect([...SOME].every((name) => names.includes(name))).toBe(true);
});

test("the rows after a batch are those of all batches up to it", () => {
  const rows = new Map<string, string>();
  for (let n = 1; n <= 60; n++) {
    for (const op of batchOf(n)) {
      const key = Buffer.from(op.op === "deleteRange" ? op.from : op.key).toString();
      if (op.op === "put") rows.set(key, Buffer.from(op.value).toString());
      else rows.delete(key);
    }
    expect([...rowsAfter(n)]).toEqual([...rows].sort(([a], [b]) => (a < b ? -1 : 1)));
  }
});
