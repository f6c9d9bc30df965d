import type { AnyId } from "../base/ids.ts";
import type { Datum } from "./datum.ts";
import type { RowIsolation, ViewSavepoint } from "./engine-view.ts";
import type { ExportedState } from "./exported-state.ts";
import type { ForeignKeySavepoint } from "./foreign-key-checks.ts";
import type { PostingQuery } from "./inverted/posting-query.ts";
import type { RangeRequest } from "./key-codec.ts";
import type { LockMode, LockWait } from "./locks.ts";
import type { BoxSide } from "./spatial/grid.ts";
import type { TemporaryShard } from "./temporary/shard.ts";

export interface BeginOptions {
  /** `serializable` unless told otherwise. */
  readonly isolation?: RowIsolation;
  readonly readOnly?: boolean;
  readonly maxAgeMs?: number;
  /** Reads the state of a time, ms: what was durable at its end. It takes no writes. */
  readonly atMs?: number | undefined;
  /** Reads what another transaction does. It takes no writes. */
  readonly state?: ExportedState | undefined;
  /** What the expressions of descriptors are evaluated in: SQL's settings and user. */
  readonly session?: () => unknown;
  /** Who waits for locks in its place: see `LockOwner`. */
  readonly waiter?: object;
  /** The temporary tables of its session. */
  readonly temporary?: TemporaryShard | undefined;
  /** Told of each number of a sequence that is given. */
  readonly onNumber?: (sequence: AnyId, value: bigint) => void;
}

/** How a statement runs. */
export interface StatementOptions {
  /** Foreign keys are checked by `endStatement`, not by each call. */
  readonly checksAtEnd?: boolean;
  /**
   * Until `endStatement` it reads the state of its beginning, without what it writes itself; what
   * it locks it sees as it is. Actions of foreign keys wait for the end.
   */
  readonly holdsState?: boolean;
}

export interface RowLock {
  readonly mode: LockMode;
  /** `wait` unless told otherwise. */
  readonly wait?: LockWait;
}

export interface ReadRequest {
  /** Ids, in the order of the answer; all visible columns unless told otherwise. */
  readonly columns?: readonly number[];
  readonly lock?: RowLock;
}

export interface RowScanRequest extends ReadRequest, RangeRequest {
  /** In its order, through the index; the primary key is 0, which is what is meant otherwise. */
  readonly index?: number;
  /** Several ranges, one after the other, in place of `equal`, `lower` and `upper`. */
  readonly ranges?: readonly RangeRequest[];
  readonly reverse?: boolean;
  readonly limit?: number;
  readonly batchRows?: number;
  /** Of an inverted index, in place of a range: rows that may meet it, by their primary key. */
  readonly postings?: PostingQuery;
  /** Of a spatial index: bounds of each of its columns. */
  readonly box?: readonly BoxSide[];
  /** Whether the whole table is read where `postings` or `box` costs more: true if absent. */
  readonly mayReadWhole?: boolean;
  /** Fails where the index does not cover the columns, instead of reading rows. */
  readonly indexOnly?: boolean;
}

/** What became of a row that was to be inserted. */
export interface Inserted {
  /** All visible columns, with defaults. */
  readonly row: readonly Datum[];
  /** The key of the row that it conflicts with, which was left as it is. */
  readonly conflict?: readonly Datum[];
}

export interface InsertOptions {
  /** Which columns a row has values of, by id; all visible ones unless told otherwise. */
  readonly columns?: readonly number[];
  /**
   * `error`, unless told otherwise: `23505`. `nothing`: the row that is there stays, and its key is
   * told. `index` says which index that is meant for; 0 is the primary key; any where it is absent.
   */
  readonly onConflict?: "error" | "nothing";
  readonly conflictIndex?: number;
  /** `OVERRIDING SYSTEM VALUE`: values of columns that are GENERATED ALWAYS AS IDENTITY. */
  readonly overridesIdentity?: boolean;
}

export interface RowSavepoint {
  readonly view: ViewSavepoint;
  readonly foreignKeys: ForeignKeySavepoint;
}
