import type { TableId } from "../base/ids.ts";
import type { TransactionObjects } from "./objects.ts";
import type { TransactionSequences } from "./sequence.ts";
import type { TransactionTables } from "./tables.ts";
import type { RowTransaction as ShardTransaction } from "./transaction.ts";

type Shown<T> = { [K in keyof T]: T[K] };

/** What a transaction keeps for its shard. */
type Inner = "locks" | "waiter" | "indexBuilds" | "tables" | "sequences" | "objects";

type TableUses = "find" | "get" | "list" | "listTemporary" | "temporary" | "called";
type SequenceUses = "find" | "get" | "byName" | "list" | "create" | "alter" | "drop" | "forget";

/** A transaction, as those who write rows use it: of one shard, or of some of one catalog. */
export interface RowTransaction extends Omit<Shown<ShardTransaction>, Inner> {
  readonly tables: Pick<TransactionTables, TableUses>;
  readonly sequences: Pick<TransactionSequences, SequenceUses>;
  readonly objects: Shown<TransactionObjects>;
  /** The id of the shard of a table that it has met; absent where it is of one shard. */
  shardOf?(table: TableId): string | undefined;
}
