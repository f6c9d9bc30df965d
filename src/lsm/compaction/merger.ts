import type { Compression } from "../format/block-frame.ts";
import type { Sequence, ValueReference } from "../format/entry.ts";
import type { PrefixRule } from "../format/prefix-filter.ts";
import type { SstMeta } from "../format/sst-meta.ts";
import type { Ulid } from "../format/ulid.ts";
import type { KeyBounds } from "./bounds.ts";
import type { TableCount } from "./entry-counts.ts";
import type { SortedTables } from "./plan.ts";
import type { SortedTable, SortSpec } from "./sort-rows.ts";

/** What a merge makes of its inputs. Plain data: it goes to another thread. */
export interface MergeSpec {
  /** Of adjacent ages; no two of them hold the same version. */
  readonly inputs: readonly SortedTables[];
  /** Of which keys: others of the inputs belong to other merges. */
  readonly bounds: KeyBounds;
  /** States that stay readable, ascending. */
  readonly snapshots: readonly Sequence[];
  readonly dropTombstones: boolean;
  /** Names of the merge operators, by number. */
  readonly operators: readonly string[];
  /** What has expired by then is dropped, or becomes a deletion. */
  readonly nowMs: number;
  readonly compression: Compression;
  readonly blockBytes: number;
  readonly prefixes: PrefixRule | undefined;
  /** Values apart that lie with other shards, and under which ids they are copied. */
  readonly copiedIds?: ReadonlyMap<Ulid, Ulid>;
  /** At which a table ends. */
  readonly tableBytes: number;
  /** What is asked for of one input at once; up to two of them are held. */
  readonly windowBytes: number;
  /** What one step makes, about. */
  readonly stepBytes: number;
}

/** A range of an input's file. */
export interface Want {
  readonly table: Ulid;
  readonly offset: number;
  readonly bytes: number;
}

/** A range that was read, fewer bytes where the file ends. Its array changes hands. */
export interface Part {
  readonly table: Ulid;
  readonly offset: number;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

export interface MergeFeed {
  readonly parts: readonly Part[];
  /** For tables that are begun from now on. */
  readonly ids: readonly Ulid[];
}

/** The next bytes of a table that is being written; with its description they are the last. */
export interface MergeOutput {
  readonly table: Ulid;
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly meta: SstMeta | undefined;
}

/** A value that lies with another shard, and that a table of this one is to refer to. */
export interface ValueCopy {
  /** The table that is written, and the one that referred to it. */
  readonly table: Ulid;
  readonly from: Ulid;
  readonly reference: ValueReference;
  /** Of the copy. */
  readonly id: Ulid;
}

export interface MergeStep {
  /** To be read and fed, in any order; asked for once. */
  readonly wants: readonly Want[];
  readonly outputs: readonly MergeOutput[];
  /** To be there before the outputs are. */
  readonly copies: readonly ValueCopy[];
  /** Nothing goes on before a part arrives that was asked for. */
  readonly blocked: boolean;
  /** Ids that are left. The next step needs one at least. */
  readonly spareIds: number;
  readonly done: boolean;
  /**
   * When it is done: of each table with entries that has to do with the bounds, how many of those
   * it has seen. One that it need not read counts as a whole where the table begins.
   */
  readonly counts: readonly TableCount[];
}

/** One merge under way. */
export interface MergeSession {
  /**
   * Goes on with what arrived. One call at a time.
   *
   * @throws FirnError `Corrupt`, its context naming `table`, part and offset; `Unavailable`,
   *   code `LSM_MERGE_STOPPED`, where the thread has ended.
   */
  step(feed: MergeFeed): Promise<MergeStep>;
  /** Gives it up, or lets it go when it is done. */
  end(): void;
}

/** Where merges are computed: threads of their own, shared by the shards of a process. */
export interface Merger {
  /** So many at once get on faster than one after the other. */
  readonly width: number;
  start(spec: MergeSpec): MergeSession;
  /**
   * Sorts rows into a table. The arrays of the rows change hands.
   *
   * @throws FirnError as `sortRows`; `Unavailable`, code `LSM_MERGE_STOPPED`.
   */
  sort(spec: SortSpec): Promise<SortedTable>;
  close(): Promise<void>;
}
