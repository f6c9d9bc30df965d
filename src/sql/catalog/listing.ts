import type {
  RowTransaction,
  SequenceDescriptor,
  SqlObject,
  TableDescriptor,
} from "../../rows/index.ts";
import type { Held } from "./held.ts";
import type { ListedRole } from "./roles.ts";

/** A namespace of the catalog. */
export interface ListedNamespace {
  readonly path: readonly string[];
  /** Absent: everything. */
  readonly held?: Held | undefined;
}

/** A column of a table of the lake, or of a view. */
export interface LakeColumn {
  readonly name: string;
  /** As the lake's format writes it: `long`, `decimal(9, 2)`, `struct<…>`. */
  readonly type: string;
  readonly nullable: boolean;
  readonly comment: string;
}

/** A table or a view of the catalog. */
export interface ListedRelation {
  readonly id: string;
  readonly path: readonly string[];
  readonly name: string;
  /** `system`: its rows are computed. */
  readonly kind: "rows" | "lake" | "view" | "system";
  readonly comment: string;
  /** Absent: everything. */
  readonly held?: Held | undefined;
  /** Of a row table that more than the name may be known of. */
  readonly table?: TableDescriptor | undefined;
  /** Of others. */
  readonly columns?: readonly LakeColumn[] | undefined;
}

/** A sequence, with what may be done with it. */
export interface ListedSequence {
  readonly sequence: SequenceDescriptor;
  readonly held: Held;
}

/** All that a catalog holds which the reader may see, as one statement sees it. */
export interface CatalogListing {
  readonly namespaces: readonly ListedNamespace[];
  readonly relations: readonly ListedRelation[];
  /** On the catalog itself. Absent: everything. */
  readonly held?: Held | undefined;
  /** Principals and roles, where the statement asks for them. */
  readonly roles?: readonly ListedRole[] | undefined;
  /** Names of all catalogs. */
  readonly databases: readonly string[];
  readonly sequences?: readonly ListedSequence[];
  /** The schema of the session's temporary tables, where there is one. */
  readonly temporary?: string;
  /** Types, views and comments of SQL that may be known. */
  readonly objects?: readonly SqlObject[];
  /** What sequences gave last, by their ids, where the statement asks for it. */
  readonly lastNumbers?: ReadonlyMap<string, bigint>;
}

/** Lists a catalog, in a transaction over its rows. */
export type ListCatalog = (rows: RowTransaction) => Promise<CatalogListing>;
