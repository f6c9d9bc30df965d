import { afterAll, beforeAll, expect, it } from "vitest";
import { Firn } from "../../src/index.ts";
import { askAtCost, expectShortTurns } from "../support/turns.ts";

/** Requests of a few mebibytes that hold one long list: none keeps the event loop. */

const SCHEMA = { type: "struct", fields: [{ id: 1, name: "a", required: false, type: "long" }] };
const TABLE = "/namespaces/a/tables/t";

let firn: Firn;
beforeAll(async () => {
  firn = await Firn.open({ profile: "memory", listen: { port: 0 } });
  await askAtCost(firn, "POST", "/namespaces", { namespace: ["a"] });
  await askAtCost(firn, "POST", "/namespaces/a/tables", { name: "t", schema: SCHEMA });
});
afterAll(() => firn.close());

/** Sends a request, whose answer has this status and code after short turns alone. */
async function answers(
  expected: readonly [status: number, code?: string],
  method: string,
  path: string,
  body?: object,
): Promise<void> {
  const cost = await askAtCost(firn, method, path, body);
  const { status, code } = cost.result;
  expect([path, status, code]).toEqual([path, expected[0], expected[1]]);
  expectShortTurns(`${method} ${path}`, cost);
}

function listOf<T>(count: number, item: (index: number) => T): readonly T[] {
  return Array.from({ length: count }, (_, i) => item(i));
}

it("a transaction of 10,000 tables is refused before anything is done for them", async () => {
  const changes = listOf(10_000, (i) => ({
    identifier: { namespace: ["a"], name: `t${i}` },
    requirements: [],
    updates: [],
  }));
  const body = { "table-changes": changes };
  for (const path of ["/transactions/commit", "/transactions/commit?dry-run=true"]) {
    await answers([400, "TRANSACTION_TOO_LARGE"], "POST", path, body);
  }
});
