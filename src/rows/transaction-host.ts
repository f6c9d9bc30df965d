import type { Clock } from "../base/clock.ts";
import type { AnyId, IdSource } from "../base/ids.ts";
import type { Engine, PastState } from "../lsm/index.ts";
import type { CompiledTables } from "./compiled-table.ts";
import type { Expressions } from "./expressions.ts";
import type { RowLocks } from "./locks.ts";
import type { SequenceValues } from "./sequence-values.ts";
import type { DescriptorCache } from "./tables.ts";

/** What transactions of a store share. */
export interface TransactionHost {
  readonly engine: Engine;
  /** The state that is read in place of the engine's newest one. */
  readonly past?: PastState | undefined;
  readonly clock: Clock;
  readonly ids: IdSource;
  readonly account: string;
  readonly compiled: CompiledTables;
  readonly expressions: Expressions;
  readonly cache: DescriptorCache;
  readonly locks: RowLocks;
  /** Behind a commit that changed what the catalog shows. */
  readonly onUnpublished: () => Promise<void>;
  /** A relation that no table had before. */
  readonly newRelation: () => Promise<number>;
  /** The numbers of a sequence, which all transactions share. */
  readonly valuesOf: (sequence: AnyId) => SequenceValues;
}
