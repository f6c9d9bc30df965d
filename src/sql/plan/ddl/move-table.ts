import type { Node } from "libpg-query";
import { isTemporaryId, type TableDescriptor } from "../../../rows/index.ts";
import { notSupported } from "../../error.ts";
import { contentOf } from "../../parse/statement.ts";
import type { DdlRun } from "./ddl-run.ts";
import { refuseBlock } from "./indexes.ts";
import { checkStorageParameters } from "./storage-parameters.ts";

/**
 * The shard that ALTER TABLE moves a table to: `SET (shard = 'name')`, which stands alone.
 *
 * @throws SqlError 0A000, 22023.
 */
export function shardAsked(commands: readonly Node[]): string | undefined {
  const asked = commands.flatMap((node) => {
    const { subtype, def } = contentOf(node, "AlterTableCmd") ?? {};
    if (subtype !== "AT_SetRelOptions") return [];
    return [checkStorageParameters(contentOf(def, "List")?.items ?? [])];
  });
  const shard = asked.find((name) => name !== undefined);
  if (shard === undefined || commands.length === 1) return shard;
  throw notSupported("a move to another shard beside other changes", "Use two statements.");
}

/** The move is many transactions, which this one must not stand in the way of. */
export async function moveTable(
  { run, names }: DdlRun,
  { id }: TableDescriptor,
  shard: string,
): Promise<void> {
  if (isTemporaryId(id)) throw notSupported("a shard of a temporary table");
  refuseBlock(run, "ALTER TABLE … SET (shard)");
  await run.transaction.commit();
  await names.moveTable(id, shard, run.signal);
}
