import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { CatalogError } from "../../src/base/error.ts";
import { parseJson, printJson } from "../../src/base/json.ts";
import {
  parseTableMetadata,
  printTableMetadata,
  withLocation,
} from "../../src/iceberg/metadata.ts";

const FOLDER = new URL("../fixtures/iceberg/metadata/", import.meta.url);

/** Why a sample is refused: the code of the part, and the member that is wrong. */
const REFUSED: Readonly<Record<string, { cause?: string; path?: string }>> = {
  "TableMetadataV1MissingSchemaType.json": { cause: "SCHEMA_INVALID", path: "schema" },
  "TableMetadataV2CurrentSchemaNotFound.json": {},
  "TableMetadataV2MissingLastPartitionId.json": { path: "last-partition-id" },
  "TableMetadataV2MissingPartitionSpecs.json": { path: "partition-specs" },
  "TableMetadataV2MissingSchemas.json": { path: "schemas" },
  "TableMetadataV2MissingSortOrder.json": { path: "sort-orders" },
  // A view's metadata is no table's, whatever version it names.
  "ValidViewMetadata.json": { cause: "FIELD_MISSING", path: "partition-spec" },
  "ViewMetadataInvalidCurrentSchema.json": { cause: "FIELD_MISSING", path: "current-schema-id" },
  "ViewMetadataInvalidCurrentVersion.json": { cause: "FIELD_MISSING", path: "partition-spec" },
  "ViewMetadataMissingCurrentVersion.json": { cause: "FIELD_MISSING", path: "partition-spec" },
  "ViewMetadataMissingLocation.json": { cause: "FIELD_MISSING", path: "partition-spec" },
  "ViewMetadataMultipleSQLsForDialect.json": {
    cause: "FIELD_MISSING",
    path: "partition-spec",
  },
};

const names = readdirSync(FOLDER).filter((name) => name.endsWith(".json"));
const read = (name: string): string => readFileSync(new URL(name, FOLDER), "utf8");

describe("sample metadata files", () => {
  test("are all here", () => {
    expect(names).toHaveLength(16);
    expect(Object.keys(REFUSED).every((name) => names.includes(name))).toBe(true);
  });

  test.each(names.filter((name) => !(name in REFUSED)))(
    "%s moves by its location alone",
    (name) => {
      const metadata = parseTableMetadata(read(name));
      const was = `"location":${JSON.stringify(metadata.location)}`;
      const moved = printTableMetadata(withLocation(metadata, "file:///else/where"));
      const expected = printTableMetadata(metadata).replace(was, '"location":"file:///else/where"');
      expect(moved).toBe(expected);
      expect(moved).not.toContain(was);
      expect(parseTableMetadata(moved).location).toBe("file:///else/where");
    },
  );

  test.each(names.filter((name) => !(name in REFUSED)))("%s prints as it was read", (name) => {
    const text = read(name);
    const printed = printTableMetadata(parseTableMetadata(text));
    expect(printed).toBe(printJson(parseJson(text)));
    // Every member and token of the file, but for the white space between them.
    expect(printed).toBe(text.replace(/("(?:[^"\\]|\\.)*")|\s+/g, "$1"));
  });

  test.each(Object.entries(REFUSED))("%s is refused for its reason", (name, expected) => {
    try {
      parseTableMetadata(read(name));
      expect.unreachable();
    } catch (error) {
      expect(error).toBeInstanceOf(CatalogError);
      const { kind, code, context } = error as CatalogError;
      expect({ kind, code }).toEqual({ kind: "Invalid", code: "METADATA_INVALID" });
      expect(context).toMatchObject(expected);
    }
  });
});
