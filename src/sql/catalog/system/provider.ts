import type { Datum } from "../../../rows/index.ts";
import type { SqlContext } from "../../types/context.ts";
import type { TypeRegistry } from "../../types/registry.ts";
import type { CatalogSnapshot } from "./snapshot.ts";

/** A row by the names of its columns; what it does not name is NULL. */
export type Named = Readonly<Record<string, Datum>>;

export interface ProviderContext {
  readonly snapshot: CatalogSnapshot;
  readonly types: TypeRegistry;
  readonly sql: SqlContext;
  /** Values that a column is compared with: others may be left out. */
  readonly equal: ReadonlyMap<string, readonly Datum[]>;
  /** The session's parameters. */
  readonly settings: readonly (readonly [name: string, value: string])[];
  /** The session's prepared statements with a name. */
  readonly prepared: readonly ListedStatement[];
}

/** A prepared statement. */
export interface ListedStatement {
  readonly name: string;
  readonly text: string;
  readonly micros: bigint;
  readonly parameterTypes: readonly number[];
  readonly isSql: boolean;
}

/** Gives the rows of one relation. */
export type Provider = (context: ProviderContext) => Iterable<Named>;
