import fc from "fast-check";
import { expect, test } from "vitest";
import { FirnError } from "../../src/base/error.ts";
import type { JsonObject } from "../../src/base/json.ts";
import { LIMITS } from "../../src/base/limits.ts";
import { ICEBERG_LIMITS } from "../../src/iceberg/limits.ts";
import { fullNameOf, parseSchema, type Schema } from "../../src/iceberg/schema.ts";
import { parseUpdates } from "../../src/iceberg/updates.ts";
import { column, failure, schemaOf } from "./support.ts";

interface Tree {
  readonly name: string;
  readonly fields: readonly Tree[];
}

/** Names that clash across levels, with empty segments among them. */
const name = fc.array(fc.constantFrom("a", "b", "ab", ""), { minLength: 1, maxLength: 3 });
const leaf = name.map((segments): Tree => ({ name: segments.join("."), fields: [] }));
const deeper = (of: fc.Arbitrary<Tree>): fc.Arbitrary<Tree> =>
  fc.tuple(leaf, fc.array(of, { maxLength: 3 })).map(([one, fields]) => ({ ...one, fields }));
const tree = fc.oneof(leaf, deeper(leaf), deeper(deeper(leaf)));

function fieldsOf(trees: readonly Tree[], ids: { next: number }): JsonObject[] {
  return trees.map(({ name, fields }) => {
    const id = ids.next++;
    const type = fields.length === 0 ? "long" : { type: "struct", fields: fieldsOf(fields, ids) };
    return column(id, name, type);
  });
}

function fullNames(trees: readonly Tree[], before = ""): string[] {
  return trees.flatMap((one) => [
    before + one.name,
    ...fullNames(one.fields, `${before}${one.name}.`),
  ]);
}

test("fields are found, and clash, by their full names", () => {
  let clashes = 0;
  const forest = fc.array(tree, { maxLength: 4 });
  fc.assert(
    fc.property(forest, fc.array(name, { maxLength: 3 }), (trees, others) => {
      const names = fullNames(trees);
      let schema: Schema;
      try {
        schema = parseSchema(schemaOf(...fieldsOf(trees, { next: 1 })), "");
      } catch (error) {
        if (!(error instanceof FirnError)) throw error;
        expect(new Set(names).size).toBeLessThan(names.length);
        clashes++;
        return;
      }
      expect(new Set(names).size).toBe(names.length);
      for (const [i, one] of names.entries()) {
        const field = schema.byName.get(one);
        expect(field?.id).toBe(i + 1);
        expect(field && fullNameOf(field)).toBe(one);
        expect(field?.fullNameBytes).toBe(one.length);
      }
      for (const segments of others) {
        const other = segments.join(".");
        expect(schema.byName.has(other)).toBe(names.includes(other));
      }
    }),
    { numRuns: 500 },
  );
  expect(clashes).toBeGreaterThan(20);
});

function added(schema: JsonObject): unknown {
  return parseUpdates([{ action: "add-schema", schema }]);
}

test("names that a request adds are bounded, and the error says by what", () => {
  const long = "n".repeat(ICEBERG_LIMITS.fieldNameBytes);
  added(schemaOf(column(1, long)));
  const { code, context } = failure("Invalid", () => added(schemaOf(column(1, `${long}n`))));
  expect(code).toBe("SCHEMA_INVALID");
  expect(context).toMatchObject({ bytes: 1_025, maxFieldNameBytes: ICEBERG_LIMITS.fieldNameBytes });
  expect(failure("Invalid", () => added(schemaOf(column(1, "é".repeat(513))))).context).toEqual(
    expect.objectContaining({ bytes: 1_026 }),
  );

  const nested = (levels: number): JsonObject => {
    let field = column(levels, long);
    for (let id = levels - 1; id > 0; id--) field = column(id, long, schemaOf(field));
    return schemaOf(field);
  };
  added(nested(7));
  expect(failure("Invalid", () => added(nested(8))).context).toMatchObject({
    bytes: 8 * 1_024 + 7,
    maxFullNameBytes: ICEBERG_LIMITS.fullNameBytes,
  });
});

test("a schema that a file holds may have longer names, up to what a map may be keyed by", () => {
  const long = "n".repeat(LIMITS.jsonKeyChars);
  expect(parseSchema(schemaOf(column(1, long)), "").byName.has(long)).toBe(true);
  expect(failure("Invalid", () => parseSchema(schemaOf(column(1, `${long}n`)), "")).code).toBe(
    "FIELD_INVALID",
  );
});
