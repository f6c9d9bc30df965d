import type { ApiOperation, Parameters, Schema } from "../../api/operation.ts";
import { object } from "../../api/schema.ts";

const DRY_RUN: Parameters = {
  dryRun: { type: "boolean", description: "Checks everything and changes nothing" },
};

/** All parameters of an operation's query. */
export function parametersOf({ query, once }: ApiOperation): Parameters {
  return { ...query, ...(once === true && DRY_RUN) };
}

const made = new WeakMap<ApiOperation, Schema>();

/** What the query of an operation is checked against. Made once for each. */
export function querySchema(operation: ApiOperation): Schema {
  const known = made.get(operation);
  if (known !== undefined) return known;
  const { required = [] } = operation;
  const entries = Object.entries(parametersOf(operation));
  const part = (wanted: boolean) =>
    Object.fromEntries(entries.filter(([name]) => required.includes(name) === wanted));
  const schema = object(part(true), part(false));
  made.set(operation, schema);
  return schema;
}
