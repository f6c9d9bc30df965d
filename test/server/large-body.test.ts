import { afterAll, beforeAll, expect, test } from "vitest";
import { LIMITS } from "../../src/base/limits.ts";
import { Firn } from "../../src/index.ts";
import { SCHEMA } from "../support/open-iceberg.ts";
import { askAtCost, encoded, expectShortTurns } from "../support/turns.ts";

let firn: Firn;

beforeAll(async () => {
  firn = await Firn.open({ profile: "memory", listen: { port: 0 } });
  await askAtCost(firn, "POST", "/namespaces", { namespace: ["a"] });
  await askAtCost(firn, "POST", "/namespaces/a/tables", { name: "t", schema: SCHEMA });
});
afterAll(() => firn.close());

const MIB = 1_048_576;
const bytes = (text: string): Uint8Array => Buffer.from(text);

test.each([
  ["values in the largest number", () => bytes(`[${"0,".repeat(20 * MIB)}0]`), "JSON_TOO_LARGE"],
  ["one text of 40 MiB", () => bytes(`"${"x".repeat(40 * MIB)}"`), "FIELD_INVALID"],
  ["arrays in arrays", () => bytes("[".repeat(30 * MIB)), "JSON_TOO_DEEP"],
  ["what is not UTF-8", () => Buffer.alloc(40 * MIB, 0xff), "JSON_INVALID"],
  ["an array in place of an object", () => bytes(`[${"0,".repeat(900_000)}0]`), "FIELD_INVALID"],
])("a body of %s is refused in short turns", async (what, make, code) => {
  const body = make();
  expect(body.length).toBeGreaterThan(LIMITS.turnBytes);
  const ask = () => askAtCost(firn, "POST", "/namespaces/a/tables/t", body);
  const cost = await ask();
  expect([cost.result.status, cost.result.code]).toEqual([400, code]);
  await expectShortTurns(what, cost, ask);
});

test("a commit of some megabytes is answered in short turns", async () => {
  const pairs = Array.from({ length: 1_000 }, (_, i) => [`key.${i}`, "v".repeat(2_000)] as const);
  const updates = [{ action: "set-properties", updates: Object.fromEntries(pairs) }];
  const body = encoded({ requirements: [], updates });
  expect(body.length).toBeGreaterThan(LIMITS.turnBytes);
  const ask = () => askAtCost(firn, "POST", "/namespaces/a/tables/t", body);
  const cost = await ask();
  expect(cost.result.status).toBe(200);
  await expectShortTurns("1,000 properties of 2 KB", cost, ask);
});

test("a table of 21,000 columns is made", async () => {
  const fields = Array.from({ length: 21_000 }, (_, i) => ({
    id: i + 1,
    name: `a_column_of_many_${i}`,
    type: "long",
    required: false,
  }));
  const body = encoded({ name: "wide", schema: { type: "struct", fields } });
  expect(body.length).toBeGreaterThan(LIMITS.turnBytes);
  const { result } = await askAtCost(firn, "POST", "/namespaces/a/tables", body);
  expect(result.status).toBe(200);
});
