import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { TableId } from "../../src/base/ids.ts";
import { type RowStore, type RowTransaction, ShardedTransaction } from "../../src/rows/index.ts";
import { newTableId, type OpenRows, openRows } from "./support/open-rows.ts";

const HOME = { id: "home", name: "main" };
const OTHER = { id: "other", name: "second" };

let home: OpenRows;
let other: OpenRows;
let id: TableId;

beforeEach(async () => {
  home = await openRows();
  other = await openRows();
  id = newTableId();
  await other.rows.run(async (tx) => {
    const table = await tx.createTable({
      id,
      namespace: ["s"],
      name: "t",
      columns: [{ name: "id", type: { kind: "int4" } }],
      primaryKey: { parts: [{ column: "id" }] },
    });
    await tx.insert(table, [[1]]);
  });
});
afterEach(async () => {
  await home.end();
  await other.end();
});

/** A transaction whose table lies in the other shard, which opens once `opened` resolves. */
async function begin(opened: Promise<void>): Promise<RowTransaction> {
  return new ShardedTransaction(await home.rows.begin(), {
    home: HOME,
    others: [OTHER],
    placeOf: async () => OTHER.id,
    open: async () => {
      await opened;
      return await other.rows.begin();
    },
  });
}

function held(...stores: readonly RowStore[]): readonly number[] {
  return stores.map(({ locked }) => locked);
}

describe("a transaction that ends while it begins in another shard", () => {
  it("takes no lock there, and the call that waits is refused", async () => {
    const opening = Promise.withResolvers<void>();
    const tx = await begin(opening.promise);
    const writing = (async () => {
      const table = await tx.tables.get(id);
      return await tx.get(table, [1], { lock: { mode: "update" } });
    })();
    tx.rollback();
    opening.resolve();
    await expect(writing).rejects.toMatchObject({
      code: "ROW_TRANSACTION_OVER",
      context: { sqlState: "25P02" },
    });
    expect(held(home.rows, other.rows)).toEqual([0, 0]);
  });

  it("leaves nothing open there", async () => {
    const opening = Promise.withResolvers<void>();
    const tx = await begin(opening.promise);
    const reading = tx.tables.get(id);
    tx.rollback();
    opening.resolve();
    await expect(reading).rejects.toMatchObject({ code: "ROW_TRANSACTION_OVER" });
    expect(other.engine.stats().transactions).toBe(0);
  });
});

it("holds its locks in another shard until it ends", async () => {
  const tx = await begin(Promise.resolve());
  const table = await tx.tables.get(id);
  expect(await tx.get(table, [1], { lock: { mode: "update" } })).toEqual([1]);
  expect(held(home.rows, other.rows)).toEqual([0, 1]);
  tx.rollback();
  expect(held(home.rows, other.rows)).toEqual([0, 0]);
});
