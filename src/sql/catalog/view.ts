import type { TableId } from "../../base/ids.ts";
import type {
  BeginOptions,
  IndexSpec,
  RowTransaction,
  TableDescriptor,
  TableSpec,
} from "../../rows/index.ts";
import type { Held } from "./held.ts";
import type { ListCatalog } from "./listing.ts";
import type { SqlRoles } from "./roles.ts";
import type { VirtualRelations } from "./virtual.ts";

/** A table to be made, without what the catalog decides. */
export type NewTable = Omit<TableSpec, "id" | "namespace" | "unnamed">;

/** A table by its namespace, from the top down, and its name. */
export interface TableName {
  readonly path: readonly string[];
  readonly name: string;
}

/**
 * A name that was taken before the rows decide: it is given back where they are not committed.
 *
 * @see CatalogChanges
 */
export interface Claim {
  readonly kept: () => void;
  readonly undo: () => Promise<void>;
}

/** What the catalog says of the name of a row table. */
export interface CatalogEntry {
  readonly id: TableId;
  /** Absent: everything. */
  readonly held?: Held | undefined;
}

/** What a namespace holds. */
export interface NamespaceContent {
  readonly tables: readonly { readonly name: string; readonly id: TableId }[];
  /** Something that is not a row table: a namespace, a view, a table of another format. */
  readonly other?: string;
}

/** One catalog, as SQL needs it: names, and the rows of tables. `service/` implements it. */
export interface CatalogView {
  /** Relations that are computed: `pg_catalog` is looked through before `search_path`. */
  readonly virtual?: VirtualRelations | undefined;
  /** @param options `shard`: the name of the one where it begins, and makes tables. */
  begin(options: BeginOptions & { readonly shard?: string }): Promise<RowTransaction>;
  /** Whether there is a namespace; its names from the top down. */
  hasNamespace(path: readonly string[]): Promise<boolean>;
  /** What the catalog says of a name. @throws SqlError 42809: it is not a row table. */
  entry(at: TableName): Promise<CatalogEntry | undefined>;
  /** Where the catalog has a table now; undefined for one that is gone. */
  placeOf?(id: TableId): Promise<TableName | undefined>;
  /**
   * What may be done with a namespace, or with the catalog for no path; undefined where there is
   * no such namespace. Absent: everything.
   */
  heldOn?(path: readonly string[]): Promise<Held | undefined>;
  newTableId(): TableId;
  contentOf(path: readonly string[]): Promise<NamespaceContent>;
  /** @throws SqlError 42P06. */
  claimNamespace(path: readonly string[]): Promise<Claim>;
  /** @throws SqlError 2BP01: it is not empty. */
  dropNamespace(path: readonly string[]): Promise<void>;
  /**
   * @param shard the id of the one that has it; absent: the catalog has one.
   * @throws SqlError 42P07.
   */
  claimTable(at: TableName, table: TableDescriptor, shard?: string): Promise<Claim>;
  /** Removes the entry of a table whose rows are gone. Nothing happens where it is gone too. */
  releaseTable(at: TableName, id: TableId): Promise<void>;
  /**
   * Builds an index while others write: many small transactions.
   *
   * @throws FirnError 23505: two rows have one key; the index is dropped.
   */
  buildIndex(table: TableId, spec: IndexSpec, signal: AbortSignal): Promise<void>;
  /** Moves a table to another shard, by its name: many small transactions. */
  moveTable(table: TableId, shard: string, signal: AbortSignal): Promise<void>;
  /** @throws SqlError 42P07, 3F000. */
  renameTable(from: TableName, to: TableName): Promise<Claim>;
  /** Principals and roles; absent: SQL knows of none. */
  readonly roles?: SqlRoles | undefined;
  /** All that it holds; absent: it has no `pg_catalog`. */
  list?: ListCatalog;
}
