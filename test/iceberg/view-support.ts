import type { JsonObject } from "../../src/base/json.ts";
import type { ViewMetadata } from "../../src/iceberg/view-metadata.ts";
import {
  applyViewUpdates,
  newViewMetadata,
  parseViewUpdates,
} from "../../src/iceberg/view-updates.ts";
import { NOW_MS, SCHEMA, UUID } from "./support.ts";

export function sql(dialect: string, text = `select ${dialect}`): JsonObject {
  return { type: "sql", sql: text, dialect };
}

/** A version as it comes in a request: its ids are the server's to assign. */
export function versionOf(
  representations: readonly JsonObject[],
  more: JsonObject = {},
): JsonObject {
  return {
    "version-id": 1,
    "timestamp-ms": NOW_MS,
    "schema-id": -1,
    summary: { "engine-name": "spark" },
    "default-catalog": "lake",
    "default-namespace": ["a", "b"],
    representations,
    ...more,
  };
}

export function newView(properties: Readonly<Record<string, string>> = {}): ViewMetadata {
  return newViewMetadata({
    schema: SCHEMA,
    version: versionOf([sql("spark")]),
    location: "s3://bucket/ns/view",
    properties,
    uuid: UUID,
    nowMs: NOW_MS,
  });
}

export const LATER_MS: number = NOW_MS + 1_000;

export function commitView(base: ViewMetadata, ...updates: readonly JsonObject[]): ViewMetadata {
  return applyViewUpdates(base, parseViewUpdates(updates), LATER_MS);
}

/** Updates as a client replaces a view's version. */
export function replacing(
  representations: readonly JsonObject[],
  more: JsonObject = {},
): readonly JsonObject[] {
  const version = versionOf(representations, { "schema-id": 0, ...more });
  return [{ action: "add-view-version", "view-version": version }, setCurrent(-1)];
}

export function setCurrent(id: number): JsonObject {
  return { action: "set-current-view-version", "view-version-id": id };
}

export function setProperties(updates: JsonObject): JsonObject {
  return { action: "set-properties", updates };
}
