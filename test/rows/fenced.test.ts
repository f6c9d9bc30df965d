import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { FirnError } from "../../src/base/error.ts";
import type { RowIsolation, RowTransaction, TableDescriptor } from "../../src/rows/index.ts";
import { newTableId, type OpenRows, openRows } from "./support/open-rows.ts";

const LEVELS: readonly RowIsolation[] = ["read committed", "repeatable read", "serializable"];

let opened: OpenRows;
let table: TableDescriptor;
beforeEach(async () => {
  opened = await openRows();
  const id = newTableId();
  table = await opened.rows.run((tx) =>
    tx.createTable({
      id,
      namespace: ["n"],
      name: "t",
      columns: [{ name: "id", type: { kind: "int4" }, nullable: false }],
      primaryKey: { parts: [{ column: "id" }] },
    }),
  );
});
afterEach(() => opened.end());

const WORK: readonly (readonly [string, (tx: RowTransaction) => Promise<void>])[] = [
  ["read", async () => undefined],
  [
    "wrote and took back",
    async (tx) => {
      const savepoint = tx.savepoint();
      await tx.insert(table, [[2]]);
      tx.rollbackTo(savepoint);
    },
  ],
];

it.each(WORK.flatMap(([name, work]) => LEVELS.map((level) => [name, level, work] as const)))(
  "what a transaction only %s is not answered behind a take-over (%s)",
  async (_name, isolation, work) => {
    const tx = await opened.rows.begin({ isolation });
    expect(await tx.get(table, [1])).toBeUndefined();
    await work(tx);
    const fenced = new FirnError("Unavailable", "LSM_FENCED", "another process has it");
    const confirm = vi.spyOn(opened.engine, "confirm").mockRejectedValue(fenced);
    await expect(tx.commit()).rejects.toBe(fenced);
    confirm.mockRestore();
  },
);
