import type { Datum, RowTransaction } from "../../../rows/index.ts";
import type { ExecRun, Row } from "../../exec/run.ts";
import type { PlanEnv } from "../env.ts";
import { keyNames } from "../key-names.ts";
import { reader } from "../returning.ts";
import type { TableUse } from "../table-use.ts";
import { type Leaf, type PartitionTree, partitionTree } from "./leaves.ts";
import { insertInto } from "./row-places.ts";

type InsertOptions = NonNullable<Parameters<RowTransaction["insert"]>[2]>;

/** A row that was inserted, or the one that is in its way. */
export interface Written {
  /** As the store has it, by the columns of the table that the statement names. */
  readonly row: Row;
  /** The same as expressions see it, with the OID of its partition. */
  readonly read: Row;
  /** Of the row that is there: where it is. */
  readonly conflict?: readonly Datum[];
  /** The table that has it. */
  readonly use: TableUse;
  readonly leaf: Leaf | undefined;
  /** Undefined where its key is hidden. */
  readonly name: string | undefined;
}

/** Inserts rows into a table, or into those partitions of it that they belong to. */
export type TableWriter = (
  run: ExecRun,
  rows: RowTransaction,
  batch: readonly (readonly (Datum | undefined)[])[],
  options: InsertOptions,
) => Promise<readonly Written[]>;

export function tableWriter(env: PlanEnv, use: TableUse): TableWriter {
  if (use.partitions !== undefined) return partedWriter(env, use);
  const { descriptor } = use;
  const read = reader(descriptor);
  const names = keyNames(env.functions.types, descriptor);
  return async (_run, rows, batch, options) => {
    const inserted = await rows.insert(descriptor, batch, options);
    return inserted.map((one): Written => {
      const own = read(one.row);
      return { ...one, read: own, use, leaf: undefined, name: names.ofRow(own) };
    });
  };
}

function partedWriter(env: PlanEnv, use: TableUse): TableWriter {
  const tree = partitionTree(env, use);
  const { types } = env.functions;
  const names = new Map(tree.leaves.map((leaf) => [leaf, keyNames(types, leaf.use.descriptor)]));
  const read = reader(use.descriptor);
  return async (run, rows, batch, options) => {
    const written: Written[] = [];
    const whole = await rows.complete(use.descriptor, batch, options);
    for (const { leaf, part } of runsOf(tree, whole.map(read), run)) {
      const own = leafOptions(leaf, options);
      for (const one of await insertInto(rows, use, leaf, part, own)) {
        const top = leaf.read(one.row);
        const name = names.get(leaf)?.ofRow(reader(leaf.use.descriptor)(one.row));
        written.push({ ...one, row: top, read: [...top, leaf.use.oid], use: leaf.use, leaf, name });
      }
    }
    return written;
  };
}

/** Rows in their order, those of one leaf that follow each other together. */
function* runsOf(
  tree: PartitionTree,
  rows: readonly Row[],
  run: ExecRun,
): Generator<{ readonly leaf: Leaf; readonly part: readonly Row[] }> {
  let leaf: Leaf | undefined;
  let part: Row[] = [];
  for (const row of rows) {
    let own: Leaf;
    try {
      own = tree.leafOf(row, run.evaluation);
    } catch (error) {
      // What is wrong with a row before this one is told first.
      if (leaf !== undefined) yield { leaf, part };
      throw error;
    }
    if (leaf !== undefined && own !== leaf) {
      yield { leaf, part };
      part = [];
    }
    leaf = own;
    part.push(row);
  }
  if (leaf !== undefined) yield { leaf, part };
}

/** ON CONFLICT names an index of the table at the top: each leaf has its part of it. */
function leafOptions(
  leaf: Leaf,
  { onConflict, conflictIndex }: InsertOptions,
): Pick<InsertOptions, "onConflict" | "conflictIndex"> {
  if (onConflict === undefined) return {};
  const index = conflictIndex === undefined ? undefined : leaf.indexOf(conflictIndex);
  return index === undefined ? { onConflict } : { onConflict, conflictIndex: index };
}
