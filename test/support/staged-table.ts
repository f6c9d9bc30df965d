import { randomUUID } from "node:crypto";
import type { CommitTable } from "../../src/service/requests.ts";
import { commitOf, SCHEMA } from "./open-iceberg.ts";

/** The commit of a staged create: a table at a location, with the uuid that the client says. */
export function stagedTable(location: string, uuid: string = randomUUID()): CommitTable {
  return commitOf(
    [
      { action: "assign-uuid", uuid },
      { action: "upgrade-format-version", "format-version": 2 },
      { action: "add-schema", schema: SCHEMA },
      { action: "set-current-schema", "schema-id": -1 },
      { action: "add-spec", spec: { "spec-id": 0, fields: [] } },
      { action: "set-default-spec", "spec-id": -1 },
      { action: "add-sort-order", "sort-order": { "order-id": 0, fields: [] } },
      { action: "set-default-sort-order", "sort-order-id": -1 },
      { action: "set-location", location },
    ],
    [{ type: "assert-create" }],
  );
}
