import type { Asks, PageQuery } from "./asks.ts";
import type { ApiOperation, Schema } from "./operation.ts";
import type { Page } from "./resources.ts";
import { FLAG, INT64, listOf, NAME, object, oneOf, PAGE, pageOf, TEXT, TIME } from "./schema.ts";

export type ConstraintKind = "PRIMARY_KEY" | "FOREIGN_KEY" | "UNIQUE" | "CHECK" | "NOT_NULL";

export interface ConstraintColumn {
  /** The field id; 0 where there is none. */
  readonly id: number;
  readonly name: string;
  readonly ordinal: number;
}

export interface ConstraintReference {
  readonly table: string;
  readonly columns: readonly ConstraintColumn[];
  readonly match: string;
  readonly onUpdate: string;
  readonly onDelete: string;
}

export interface Constraint {
  readonly name: string;
  readonly kind: ConstraintKind;
  readonly columns: readonly ConstraintColumn[];
  readonly expression: string;
  readonly reference?: ConstraintReference;
  readonly enforced: boolean;
}

/** A column by its name; the place in the list is its ordinal. */
export interface GivenColumnRef {
  readonly id?: number;
  readonly name: string;
}

export interface GivenConstraint {
  readonly name: string;
  readonly kind: ConstraintKind;
  readonly columns?: readonly GivenColumnRef[];
  /** Of a `CHECK`. */
  readonly expression?: string;
  /** Of a `FOREIGN_KEY`. */
  readonly reference?: {
    readonly table: string;
    readonly columns: readonly GivenColumnRef[];
    readonly match?: string;
    readonly onUpdate?: string;
    readonly onDelete?: string;
  };
  readonly enforced?: boolean;
}

export interface GivenConstraints {
  readonly constraints: readonly GivenConstraint[];
}

/** The constraints of a snapshot; version 0 and no constraint where none were put. */
export interface SnapshotConstraints {
  readonly snapshotId: string;
  readonly version: string;
  readonly etag: string;
  readonly updatedAt?: string;
  readonly updatedBy?: string;
  readonly constraints: readonly Constraint[];
}

export interface ChangedConstraints extends SnapshotConstraints {
  /** False where they said the same already. */
  readonly changed: boolean;
}

type OfTable = "catalog" | "namespace" | "table";
type At = OfTable | "snapshot";

export interface ConstraintOperations {
  listConstraints: Asks<OfTable, PageQuery, undefined, Page<SnapshotConstraints>>;
  getConstraints: Asks<At, object, undefined, SnapshotConstraints>;
  putConstraints: Asks<At, object, GivenConstraints, ChangedConstraints>;
  mergeConstraints: Asks<At, object, GivenConstraints, ChangedConstraints>;
  appendConstraints: Asks<At, object, GivenConstraints, ChangedConstraints>;
  deleteConstraint: Asks<At | "constraint", object, undefined, undefined>;
  deleteConstraints: Asks<At, object, undefined, undefined>;
}

const TABLE = "/catalogs/{catalog}/namespaces/{namespace}/tables/{table}";
const AT = `${TABLE}/snapshots/{snapshot}/constraints`;
const tag = "constraints";

const KIND: Schema = oneOf("PRIMARY_KEY", "FOREIGN_KEY", "UNIQUE", "CHECK", "NOT_NULL");
const FIELD_ID: Schema = { type: "integer", minimum: 0, maximum: 2_147_483_647 };
const COLUMN: Schema = object({ id: FIELD_ID, name: TEXT, ordinal: FIELD_ID });
const RULE: Schema = { type: "string", maxLength: 64, description: "As SQL spells it" };
const CONSTRAINT: Schema = object(
  { name: TEXT, kind: KIND, columns: listOf(COLUMN), expression: TEXT, enforced: FLAG },
  {
    reference: object({
      table: TEXT,
      columns: listOf(COLUMN),
      match: TEXT,
      onUpdate: TEXT,
      onDelete: TEXT,
    }),
  },
);
const WRITTEN = { updatedAt: TIME, updatedBy: TEXT };
const BUNDLE = {
  snapshotId: INT64,
  version: INT64,
  etag: TEXT,
  constraints: listOf(CONSTRAINT),
};
export const CONSTRAINTS: Schema = object(BUNDLE, WRITTEN);
const CHANGED: Schema = object({ ...BUNDLE, changed: FLAG }, WRITTEN);

const GIVEN_COLUMNS: Schema = {
  type: "array",
  items: object({ name: NAME }, { id: FIELD_ID }),
  maxItems: 1_000,
};
const GIVEN: Schema = object({
  constraints: {
    type: "array",
    maxItems: 1_000,
    items: object(
      { name: NAME, kind: KIND },
      {
        columns: GIVEN_COLUMNS,
        expression: { type: "string", maxLength: 65_536 },
        reference: object(
          { table: { type: "string", minLength: 1, maxLength: 4_096 }, columns: GIVEN_COLUMNS },
          { match: RULE, onUpdate: RULE, onDelete: RULE },
        ),
        enforced: FLAG,
      },
    ),
  },
});

function changing(method: "PUT" | "POST", template: string, summary: string): ApiOperation {
  return {
    method,
    template,
    tag,
    summary,
    needs: ["alter"],
    body: GIVEN,
    status: 200,
    answer: CHANGED,
    conditional: "write",
    once: true,
  };
}

function deleting(template: string, summary: string): ApiOperation {
  return {
    method: "DELETE",
    template,
    tag,
    summary,
    needs: ["alter"],
    status: 204,
    conditional: "write",
    once: true,
  };
}

export const CONSTRAINT_OPERATIONS: Readonly<Record<keyof ConstraintOperations, ApiOperation>> = {
  listConstraints: {
    method: "GET",
    template: `${TABLE}/constraints`,
    tag,
    summary: "List the constraints of a table, by snapshot",
    needs: ["read-metadata"],
    query: PAGE,
    status: 200,
    answer: pageOf(CONSTRAINTS),
  },
  getConstraints: {
    method: "GET",
    template: AT,
    tag,
    summary: "Get the constraints of a snapshot",
    needs: ["read-metadata"],
    status: 200,
    answer: CONSTRAINTS,
    conditional: "read",
  },
  putConstraints: changing("PUT", AT, "Replace the constraints of a snapshot"),
  mergeConstraints: changing("POST", `${AT}:merge`, "Add or replace constraints, by name"),
  appendConstraints: changing("POST", `${AT}:append`, "Add constraints whose names are new"),
  deleteConstraint: deleting(`${AT}/{constraint}`, "Delete a constraint of a snapshot"),
  deleteConstraints: deleting(AT, "Delete all constraints of a snapshot"),
};
