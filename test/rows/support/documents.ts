import type { TableSpec } from "../../../src/rows/index.ts";

/** A table with long values: a text and bytes, beside short columns. Its id is each test's. */
export const DOCUMENTS: Omit<TableSpec, "id"> = {
  namespace: ["docs"],
  name: "documents",
  columns: [
    { name: "id", type: { kind: "int4" } },
    { name: "kind", type: { kind: "text" } },
    { name: "body", type: { kind: "text" } },
    { name: "scan", type: { kind: "bytea" } },
  ],
  primaryKey: { parts: [{ column: "id" }] },
  indexes: [{ name: "kind_idx", parts: [{ column: "kind" }] }],
};
