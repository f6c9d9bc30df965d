import { rowFields } from "../../../rows/index.ts";
import { arrayOid, type TypeRegistry } from "../../types/registry.ts";
import { type CatalogSnapshot, rowTypeOid } from "./snapshot.ts";

/** Defines the row types of all relations that a statement sees, and of no others. */
export function defineRowTypes(types: TypeRegistry, snapshot: CatalogSnapshot): void {
  const there = new Set<number>();
  for (const relation of snapshot.relations) {
    const oid = rowTypeOid(relation);
    if (oid === 0) continue;
    there.add(oid);
    const { name, schema, table, composite } = relation;
    const row = { oid, arrayOid: arrayOid(oid), name, schema: schema.name };
    const column = composite?.type;
    const fields = column?.fields ?? (table && rowFields(table));
    types.defineRow({ ...row, relation: relation.oid, fields, column });
  }
  for (const { oid, kind, relation } of types.own()) {
    if (kind === "c" && relation !== undefined && !there.has(oid)) types.remove(oid);
  }
}
