import type { Privilege } from "../../api/privileges.ts";
import { SqlError } from "../error.ts";

/** What a session may do with one object of the catalog, as it stands whenever it is asked. */
export interface Held {
  /** The object's full name, for messages. */
  readonly name: string;
  /** Those of some privileges that the session does not hold. */
  missing(needs: readonly Privilege[]): readonly Privilege[];
  /** Whether any privilege is held on the object itself, so that all below it may be known. */
  readonly isAny: boolean;
  /** Whether the object was looked up lately: it may have moved since. */
  readonly isFresh: boolean;
  /** From the catalog to the object, with who owns each; absent where that is not known. */
  readonly path?: readonly { readonly id: string; readonly owner?: string | undefined }[];
}

/** Of a session that may do everything. */
export const ALL_HELD: Held = {
  name: "",
  missing: (): readonly Privilege[] => [],
  isAny: true,
  isFresh: true,
};

/** Who may see a name alone learns nothing of columns and indexes. */
const DESCRIBES: readonly Privilege[] = ["read-metadata", "read-data", "write-data", "alter"];
/** Views and types are of their schema: who may do more there than see it knows them. */
const KNOWS: readonly Privilege[] = [...DESCRIBES, "create", "drop"];

function holdsAny(held: Held | undefined, privileges: readonly Privilege[]): boolean {
  return privileges.some((privilege) => held?.missing([privilege]).length === 0);
}

export function isDescribed(held: Held): boolean {
  return holdsAny(held, DESCRIBES);
}

/** Whether views and types of a schema may be known. @param held on the schema. */
export function isKnown(held: Held | undefined): boolean {
  return holdsAny(held, KNOWS);
}

/** What PostgreSQL calls the kind of an object in its messages. */
export type HeldKind = "table" | "view" | "sequence" | "schema" | "database" | "type";

/** @throws SqlError 42501: it names the object as PostgreSQL does, and the privileges in a hint. */
export function assertHeld(
  held: Held | undefined,
  needs: readonly Privilege[],
  kind: HeldKind,
  name: string,
): void {
  const missing = held?.missing(needs) ?? [];
  if (missing.length > 0) throw denied(missing, kind, name, held?.name);
}

export function denied(
  missing: readonly Privilege[],
  kind: HeldKind,
  name: string,
  fullName: string = name,
): SqlError {
  const hint =
    `The privilege ${missing.join(", ")} on ${fullName === "" ? name : fullName} is missing: ` +
    "ask its owner to grant it.";
  return new SqlError("42501", `permission denied for ${kind} ${name}`, { hint });
}
