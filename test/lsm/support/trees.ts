import type { CompactionPlan, PlanPart, Tree } from "../../../src/lsm/compaction/plan.ts";
import type { SstMeta } from "../../../src/lsm/format/sst-meta.ts";

let made = 0;

/** A table as a manifest describes it, of which only the description exists. */
export function tableOf(
  firstKey: string,
  lastKey: string,
  parts: { fileBytes?: number; entries?: number; deletions?: number; keys?: number; at?: number },
): SstMeta {
  const { fileBytes = 100, entries = 100, deletions = 0, keys = entries, at = 1 } = parts;
  made++;
  return {
    id: String(made).padStart(26, "0"),
    fileBytes,
    tailBytes: 1,
    stats: {
      entries,
      deletions,
      keys,
      firstKey,
      lastKey,
      minSequence: at,
      maxSequence: at,
      rawBytes: fileBytes,
      dataBlocks: 1,
      ranges: 0,
      merges: 0,
      expiring: 0,
      firstExpiryMs: 0,
      lastExpiryMs: 0,
      filterParts: 0,
      apart: 0,
      apartBytes: 0,
      unknown: [],
    },
    unknown: [],
  };
}

export const EMPTY_TREE: Tree = { level0: [], runs: [] };

/** Everything a tree holds, newest first: what a read would look through, in its order. */
export function agesOf({ level0, runs }: Tree): readonly (readonly SstMeta[])[] {
  return [...level0.map((table) => [table]), ...runs.map((run) => run.tables)];
}

/** What a part becomes where nothing can be dropped. */
export function kept(part: PlanPart): SstMeta {
  if (part.part === "move") return part.table;
  const tables = part.inputs.flat();
  const sum = (of: (table: SstMeta) => number): number =>
    tables.reduce((total, table) => total + of(table), 0);
  const firstKey = tables.map(({ stats }) => stats.firstKey).toSorted()[0] ?? "";
  const lastKey =
    tables
      .map(({ stats }) => stats.lastKey)
      .toSorted()
      .at(-1) ?? "";
  const entries = sum(({ stats }) => stats.entries);
  const at = Math.max(...tables.map(({ stats }) => stats.maxSequence));
  return tableOf(firstKey, lastKey, { fileBytes: sum((table) => table.fileBytes), entries, at });
}

export function mergedTables(plan: CompactionPlan): readonly SstMeta[] {
  return plan.parts.flatMap((part) => (part.part === "merge" ? part.inputs.flat() : []));
}
