import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { FirnError } from "../../src/base/error.ts";
import { type JsonObject, parseJson, printJson } from "../../src/base/json.ts";
import { withLocation } from "../../src/iceberg/layout.ts";
import { parseTableMetadata } from "../../src/iceberg/metadata.ts";
import { parseViewMetadata } from "../../src/iceberg/view-metadata.ts";
import { printTableMetadata, printViewMetadata } from "./printed.ts";

const FOLDER = new URL("../fixtures/iceberg/metadata/", import.meta.url);

/** Why a sample is refused: the code of the part, and the member that is wrong. */
const REFUSED: Readonly<Record<string, { cause?: string; path?: string }>> = {
  "TableMetadataV1MissingSchemaType.json": { cause: "SCHEMA_INVALID", path: "schema" },
  "TableMetadataV2CurrentSchemaNotFound.json": {},
  "TableMetadataV2MissingLastPartitionId.json": { path: "last-partition-id" },
  "TableMetadataV2MissingPartitionSpecs.json": { path: "partition-specs" },
  "TableMetadataV2MissingSchemas.json": { path: "schemas" },
  "TableMetadataV2MissingSortOrder.json": { path: "sort-orders" },
};

const REFUSED_VIEWS: Readonly<Record<string, { cause?: string; path?: string } & JsonObject>> = {
  "ViewMetadataInvalidCurrentSchema.json": { versionId: 2, schemaId: 1234 },
  "ViewMetadataInvalidCurrentVersion.json": { currentVersionId: 1234 },
  "ViewMetadataMissingCurrentVersion.json": {
    cause: "FIELD_MISSING",
    path: "current-version-id",
  },
  "ViewMetadataMissingLocation.json": { cause: "FIELD_MISSING", path: "location" },
};

const names = readdirSync(FOLDER).filter((name) => name.endsWith(".json"));
const read = (name: string): string => readFileSync(new URL(name, FOLDER), "utf8");

describe("sample metadata files", () => {
  test("are complete", () => {
    expect(names).toHaveLength(16);
    expect(
      Object.keys({ ...REFUSED, ...REFUSED_VIEWS }).every((name) => names.includes(name)),
    ).toBe(true);
  });

  const isView = (name: string): boolean => name.includes("View");
  const printed = (name: string): string =>
    isView(name)
      ? printViewMetadata(parseViewMetadata(read(name)))
      : printTableMetadata(parseTableMetadata(read(name)));
  const refused = { ...REFUSED, ...REFUSED_VIEWS };
  const valid = names.filter((name) => !(name in refused));

  test.each(valid)("%s moves by its location alone", (name) => {
    const move = (text: string, location: string): string =>
      isView(name)
        ? printViewMetadata(withLocation(parseViewMetadata(text), location))
        : printTableMetadata(withLocation(parseTableMetadata(text), location));
    const location = String((parseJson(read(name)) as JsonObject)["location"]);
    const was = `"location":${JSON.stringify(location)}`;
    const moved = move(read(name), "file:///else/where");
    expect(moved).toBe(printed(name).replace(was, '"location":"file:///else/where"'));
    expect(moved).not.toContain(was);
    expect(move(moved, location)).toBe(printed(name));
  });

  test.each(valid)("%s prints as it was read", (name) => {
    const text = read(name);
    expect(printed(name)).toBe(printJson(parseJson(text)));
    // Every member and token of the file, but for the white space between them.
    expect(printed(name)).toBe(text.replace(/("(?:[^"\\]|\\.)*")|\s+/g, "$1"));
  });

  function refusal(parse: () => unknown): FirnError {
    try {
      parse();
    } catch (error) {
      expect(error).toBeInstanceOf(FirnError);
      const { kind, code } = error as FirnError;
      expect({ kind, code }).toEqual({ kind: "Invalid", code: "METADATA_INVALID" });
      return error as FirnError;
    }
    return expect.unreachable();
  }

  test.each(Object.entries(refused))("%s is refused for its reason", (name, expected) => {
    expect(refusal(() => printed(name)).context).toMatchObject(expected);
  });

  test.each(names)("%s is not taken for the other kind", (name) => {
    const parse = isView(name) ? parseTableMetadata : parseViewMetadata;
    refusal(() => parse(read(name)));
  });
});
