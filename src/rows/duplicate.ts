import type { FirnError } from "../base/error.ts";
import type { CompiledIndex } from "./compiled-index.ts";
import type { CompiledTable } from "./compiled-table.ts";
import { rowError } from "./errors.ts";

/** A row whose key another one has. @param index undefined: the primary key's. */
export function duplicate(compiled: CompiledTable, index: CompiledIndex | undefined): FirnError {
  const { name, constraints } = compiled.table;
  const key = constraints.find(({ kind }) => kind === "primary key");
  const constraint = index?.index.name ?? key?.name ?? `${name}_pkey`;
  const message = `duplicate key value violates unique constraint "${constraint}"`;
  return rowError("AlreadyExists", "ROW_DUPLICATE", "23505", message, { table: name, constraint });
}
