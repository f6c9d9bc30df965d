import { FirnError } from "../../base/error.ts";
import type { Table } from "../../catalog/model.ts";
import type { RowTableReport } from "../rows/table-check.ts";
import { finding } from "./findings.ts";
import type { JudgeFiles } from "./judge.ts";

/** What is wrong with a row table; undefined: it has no rows at all. */
export type CheckRows = (table: Table) => Promise<RowTableReport | undefined>;

/** Judges row tables by their shard, and the others as `files` does. */
export function judgeRowsWith(check: CheckRows, files: JudgeFiles): JudgeFiles {
  return async (reads, account, item, entity) => {
    if (entity.type !== "table" || entity.format !== "ROW") {
      return await files(reads, account, item, entity);
    }
    const facts = { table: entity.name };
    const broken = await check(entity).catch((error: unknown) => {
      if (error instanceof FirnError && error.kind === "Corrupt") return error;
      throw error;
    });
    if (broken instanceof FirnError) {
      const { message: reason, code: cause } = broken;
      return [finding("ROW_TABLE_UNREADABLE", item.key, { ...facts, reason, cause })];
    }
    if (broken === undefined) return [finding("ROW_TABLE_LOST", item.key, facts)];
    const indexes = broken.indexes.map(({ index, missing, extra, wrong }) =>
      finding("ROW_INDEX_MISMATCH", item.key, { index, missing, extra, wrong }),
    );
    const values = broken.values.map((report) =>
      finding("ROW_VALUES_MISMATCH", item.key, { ...facts, ...report }),
    );
    if (broken.isShown) return [...indexes, ...values];
    return [...indexes, ...values, finding("ROW_COLUMNS_MISMATCH", item.key, facts)];
  };
}
