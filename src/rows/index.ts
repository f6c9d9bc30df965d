/** The door of row tables: all that other folders import. */

export type { TableChange } from "./alter.ts";
export { APART_INDEX } from "./apart-format.ts";
export { type RowBatch, type RowScan, rowAt, type SearchFacts } from "./batch.ts";
export { beginIndex, buildIndex, repairIndex } from "./build-index.ts";
export type { ValuesReport } from "./check-apart.ts";
export { storedDatum } from "./check-datum.ts";
export type { IndexReport } from "./check-index.ts";
export {
  COLUMN_KINDS,
  type ColumnKind,
  type ColumnType,
  type CompositeField,
  columnTypeText,
  domainsOf,
} from "./column-type.ts";
export {
  type ArrayDatum,
  type Datum,
  INT64_MAX,
  INT64_MIN,
  type Interval,
  isArrayDatum,
  type RowDatum,
  type TimeWithZone,
} from "./datum.ts";
export {
  type ColumnDefault,
  type ColumnDescriptor,
  type ConstraintDescriptor,
  columnOf,
  type ExpressionPart,
  type ForeignKeyAction,
  type ForeignKeyDescriptor,
  type IndexDescriptor,
  type IndexMethod,
  type IndexPart,
  type IndexState,
  type KeyPart,
  liveColumns,
  type OperatorClass,
  sequenceOf,
  type TableDescriptor,
  visibleColumns,
} from "./descriptor.ts";
export type { RowIsolation } from "./engine-view.ts";
export { FIRST_SHARD, RowViolation, rowError, shardNotFound, TableReferenced } from "./errors.ts";
export type { ExportedState } from "./exported-state.ts";
export type {
  CompiledExpression,
  ExpressionContext,
  Expressions,
  ExpressionUse,
} from "./expressions.ts";
export type { ConstraintName } from "./foreign-key-checks.ts";
export type { ForeignKeySpec } from "./foreign-key-spec.ts";
export type { IndexBuildStep } from "./index-builds.ts";
export { defaultClassOf } from "./index-form.ts";
export {
  allOf,
  anyOf,
  isAnswered,
  type PostingOperator,
  type PostingQuery,
  postingQuery,
} from "./inverted/posting-query.ts";
export type { Bound, RangeRequest } from "./key-codec.ts";
export type { RowLoad } from "./load.ts";
export type { LockMode, LockWait } from "./locks.ts";
export { type MoveNote, withoutMarks } from "./moving.ts";
export { Numeric } from "./numeric.ts";
export type {
  CommentObject,
  CompositeObject,
  DomainObject,
  EnumObject,
  NewObject,
  ObjectClass,
  SqlObject,
  ViewColumn,
  ViewObject,
  ViewUse,
} from "./objects.ts";
export type {
  PartitionBound,
  PartitionEdge,
  Partitioned,
  PartitionKeyPart,
  PartitionMember,
  PartitionOf,
  PartitionStrategy,
} from "./partitioning.ts";
export { domainCheck, domainNull } from "./row-checks.ts";
export { rowFields } from "./row-fields.ts";
export type {
  BeginOptions,
  Inserted,
  InsertOptions,
  ReadRequest,
  RowLock,
  RowSavepoint,
  RowScanRequest,
  StatementOptions,
} from "./row-requests.ts";
export type { RowTransaction } from "./row-transaction.ts";
export type {
  SequenceChange,
  SequenceDescriptor,
  SequenceOptions,
  SequenceOwner,
  SequenceSpec,
  SequenceType,
  TransactionSequences,
} from "./sequence.ts";
export { closedBy, closeShard, heldIn, openShard } from "./shard-closing.ts";
export { type NamedShard, ShardedTransaction } from "./sharded-transaction.ts";
export { type BoxSide, isSpatialType } from "./spatial/grid.ts";
export { RowStore, type RowStoreOptions } from "./store.ts";
export { StoredTables } from "./stored-tables.ts";
export { referringTo } from "./table-constraints.ts";
export { type IsOver, TableMove } from "./table-move.ts";
export type { ColumnSpec, IndexSpec, KeyPartSpec, TableSpec } from "./table-spec.ts";
export type { TransactionTables } from "./tables.ts";
export { isTemporaryId, TEMPORARY_RELATION, temporaryId } from "./temporary/marks.ts";
export { TemporaryMemory } from "./temporary/memory.ts";
export { TemporaryShard } from "./temporary/shard.ts";
export { isOfType, mentionsType, retyped, type TypeChange } from "./type-change.ts";
