import type { Schema } from "./operation.ts";
import type { OtherFormat, Properties } from "./resources.ts";
import { DESCRIPTION, FLAG, LOCATION, NAME, object, PROPERTIES, TEXT, UUID } from "./schema.ts";
import type { PropertiesPatch } from "./updates.ts";

/** A column as a request gives it: nullable unless it says otherwise. */
export interface GivenColumn {
  readonly name: string;
  readonly type: string;
  readonly nullable?: boolean;
  readonly comment?: string;
  readonly fieldId?: number;
}

export interface GivenUpstream {
  readonly connectorId?: string | null;
  readonly uri: string;
  readonly path?: string;
}

/** A table of another format than Iceberg. */
export interface CreateTable {
  readonly name: string;
  readonly format: OtherFormat;
  readonly location?: string;
  readonly description?: string;
  readonly properties?: Properties;
  readonly columns?: readonly GivenColumn[];
  readonly partitionKeys?: readonly string[];
  readonly upstream?: GivenUpstream;
}

/** All but the first two are of tables of other formats: commits change those of Iceberg tables. */
export interface UpdateTable {
  readonly description?: string;
  readonly protected?: boolean;
  readonly properties?: PropertiesPatch;
  readonly columns?: readonly GivenColumn[];
  readonly partitionKeys?: readonly string[];
  readonly upstream?: Partial<GivenUpstream> | null;
}

const COLUMN_TYPE: Schema = {
  type: "string",
  minLength: 1,
  maxLength: 65_536,
  description: "The type, as the format spells it",
};
const FIELD_ID: Schema = { type: "integer", minimum: 0, maximum: 2_147_483_647 };
const COLUMN: Schema = object(
  { name: NAME, type: COLUMN_TYPE },
  { nullable: FLAG, comment: DESCRIPTION, fieldId: FIELD_ID },
);

export const COLUMNS: Schema = { type: "array", items: COLUMN, maxItems: 10_000 };
export const PARTITION_KEYS: Schema = { type: "array", items: NAME, maxItems: 1_000 };

const CONNECTOR_ID: Schema = { anyOf: [UUID, { type: "null" }] };
const UPSTREAM_MEMBERS = { path: { ...TEXT, maxLength: 4_096 }, connectorId: CONNECTOR_ID };

export const UPSTREAM: Schema = object({ uri: LOCATION }, UPSTREAM_MEMBERS);
/** Of a merge patch: what is absent stays, null takes all of it away. */
export const UPSTREAM_PATCH: Schema = {
  anyOf: [object({}, { uri: LOCATION, ...UPSTREAM_MEMBERS }), { type: "null" }],
};

/** What may be said of a table of another format, beside its name and format. */
export const TABLE_CONTENT: Readonly<Record<string, Schema>> = {
  location: LOCATION,
  description: DESCRIPTION,
  properties: PROPERTIES,
  columns: COLUMNS,
  partitionKeys: PARTITION_KEYS,
  upstream: UPSTREAM,
};
