import fc from "fast-check";
import { expect, it } from "vitest";
import { printIdentifiers } from "../../src/http/iceberg/identifiers.ts";

const plainName = fc.stringMatching(/^[A-Za-z0-9._~-]{1,40}$/);
const anyName = fc.string({ unit: "grapheme", minLength: 1, maxLength: 300 });
const names = fc.array(fc.oneof(plainName, anyName), { maxLength: 60 });
const token = fc.option(fc.string({ unit: "grapheme", maxLength: 40 }), { nil: null });

it("a list of identifiers is the JSON of its namespace and names, whatever is in them", () => {
  fc.assert(
    fc.property(fc.array(anyName, { maxLength: 4 }), names, token, (namespace, items, next) => {
      const bytes = printIdentifiers(namespace, { items, nextPageToken: next });
      const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
      expect(text).toBe(
        JSON.stringify({
          identifiers: items.map((name) => ({ namespace, name })),
          "next-page-token": next,
        }),
      );
    }),
  );
});
