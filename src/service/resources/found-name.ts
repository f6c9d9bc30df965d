/** A name that holds what was searched for. */
export interface FoundName {
  readonly type: "catalog" | "namespace" | "table" | "view";
  readonly name: string;
  /** Of what is in a catalog. */
  readonly catalog?: string;
  /** Of a namespace its own path, of a table or view that of its namespace. */
  readonly namespace?: readonly string[];
}

/** What a namespace lists, in the order in which it is searched. */
export const KINDS = ["tables", "views"] as const;

/** Where a search goes on: behind a name. Absent members: before the first. */
export interface NamePosition {
  readonly catalog: string;
  /** The namespace that was reached; `[]`: none yet. */
  readonly path: readonly string[];
  /** Index into `KINDS`. */
  readonly kind: number;
  /** The last name of that kind. */
  readonly name?: string;
}
