import type {
  RowTransaction,
  SequenceDescriptor,
  SqlObject,
  TableDescriptor,
} from "../../rows/index.ts";

/** A namespace of the catalog. */
export interface ListedNamespace {
  readonly path: readonly string[];
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
  readonly kind: "rows" | "lake" | "view";
  readonly comment: string;
  /** Of a row table. */
  readonly table?: TableDescriptor | undefined;
  /** Of others. */
  readonly columns?: readonly LakeColumn[] | undefined;
}

/** All that a catalog holds which the reader may see, as one statement sees it. */
export interface CatalogListing {
  readonly namespaces: readonly ListedNamespace[];
  readonly relations: readonly ListedRelation[];
  /** Names of all catalogs. */
  readonly databases: readonly string[];
  readonly sequences?: readonly SequenceDescriptor[];
  /** Types, views and comments of SQL. */
  readonly objects?: readonly SqlObject[];
  /** What sequences gave last, by their ids, where the statement asks for it. */
  readonly lastNumbers?: ReadonlyMap<string, bigint>;
}

/** Lists a catalog, in a transaction over its rows. */
export type ListCatalog = (rows: RowTransaction) => Promise<CatalogListing>;
