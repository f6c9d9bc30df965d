import { FirnError } from "../../base/error.ts";
import { RowViolation, TableReferenced } from "../../rows/index.ts";
import type { CatalogChanges } from "../catalog/catalog-changes.ts";
import type { TableName } from "../catalog/view.ts";

/** How much of an error of rows a session may be told. */
export type Shown = "whole" | "message" | "hidden";

type Names = Pick<CatalogChanges, "heldOn" | "heldAt">;

/**
 * What of an error may be told: its values need `read-data` on all tables that they tell of, and
 * its message names only tables that may be known.
 */
export async function shownOf(names: Names, error: FirnError): Promise<Shown> {
  const named = namedBy(error);
  if (named.length === 0) return "whole";
  try {
    const top = await names.heldOn([]);
    if (top?.missing(["read-data"]).length === 0) return "whole";
    for (const at of named) if ((await names.heldAt(at)) === undefined) return "hidden";
    const told = error instanceof RowViolation ? error.told.map(nameOf) : [];
    for (const at of told) {
      const held = await names.heldAt(at);
      if (held === undefined || held.missing(["read-data"]).length > 0) return "message";
    }
    return "whole";
  } catch {
    // What cannot be judged is not told.
    return "hidden";
  }
}

function namedBy(error: FirnError): readonly TableName[] {
  if (error instanceof RowViolation || error instanceof TableReferenced) {
    return error.named.map(nameOf);
  }
  const { schema, table } = error.context;
  const isOfTable = typeof schema === "string" && typeof table === "string";
  return isOfTable ? [{ path: schema.split("."), name: table }] : [];
}

function nameOf(table: {
  readonly namespace: readonly string[];
  readonly name: string;
}): TableName {
  return { path: table.namespace, name: table.name };
}

/** An error of a table that may not be known. */
export function hiddenError({ kind, code, context }: FirnError): FirnError {
  const { sqlState } = context;
  const message = "a table that you may not see refuses the change";
  return new FirnError(kind, code, message, { ...(sqlState !== undefined && { sqlState }) });
}
