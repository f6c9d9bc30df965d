import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it, test } from "vitest";
import { compareUtf8 } from "../../src/base/bytes.ts";
import { FirnError } from "../../src/base/error.ts";
import type { AccountId } from "../../src/base/ids.ts";
import { encodeSegment } from "../../src/base/key-text.ts";
import {
  type CatalogKeyFamily,
  childDirectory,
  digits19,
  directoryOf,
  FAMILIES,
  type FamilyName,
  KEY_FAMILIES,
  keyOf,
  leafText,
  locationKey,
  parseKey,
} from "../../src/catalog/keys.ts";
import { CATALOG_LIMITS } from "../../src/catalog/limits.ts";
import { byIdKey, byIdKeys } from "../../src/catalog/paths.ts";
import { KeyFamilies } from "../../src/pointer/families.ts";
import { legalName } from "./support/names.ts";
import * as sample from "./support/samples.ts";

const ACCOUNT: AccountId = sample.ACCOUNT_ID;
const families = new KeyFamilies(KEY_FAMILIES);
const NAMES = Object.keys(FAMILIES) as FamilyName[];

/** A segment that stands literally in some pattern, to be taken for a name on purpose. */
const literals = [...new Set(KEY_FAMILIES.flatMap(({ pattern }) => pattern.split("/")))].filter(
  (segment) => segment !== "" && !segment.startsWith("{"),
);

/** Ids are UUIDs; names, operations and the like are anything. */
const ID_VARIABLES = new Set(["account", "catalog", "namespace", "table", "view", "change"]);
const id = fc.uuid();
const anyText = fc.oneof(legalName, fc.constantFrom(...literals));

function valuesFor(pattern: string): fc.Arbitrary<(string | string[])[]> {
  const variables = [...pattern.matchAll(/\{([^}]+)\}/g)].map((match) => match[1] ?? "");
  return fc.tuple(
    ...variables.map((name): fc.Arbitrary<string | string[]> => {
      if (name.endsWith("...")) return fc.array(anyText, { minLength: 1, maxLength: 6 });
      return ID_VARIABLES.has(name) ? id : anyText;
    }),
  );
}

/** A key of the family, or undefined where these values make it too long. */
function tryKey(family: CatalogKeyFamily, values: readonly (string | string[])[]) {
  try {
    return keyOf(family, ...(values as unknown as []));
  } catch (error) {
    if (error instanceof FirnError && error.code === "KEY_TOO_LONG") return undefined;
    throw error;
  }
}

/** All of `src/`, as one text. */
function sourceText(): string {
  const root = join(import.meta.dirname, "../../src");
  const names = readdirSync(root, { recursive: true, encoding: "utf8" });
  const code = names.filter((name) => name.endsWith(".ts"));
  return code.map((name) => readFileSync(join(root, name), "utf8")).join("\n");
}

describe("every family", () => {
  it("is reserved if and only if no code makes its keys", () => {
    const text = sourceText();
    // `locationKey` makes these by itself, since their leaf is never hashed.
    const made = (name: FamilyName) =>
      name === "location" || new RegExp(`\\bFAMILIES\\.${name}\\b`).test(text);
    const all: Readonly<Record<FamilyName, CatalogKeyFamily>> = FAMILIES;
    expect(NAMES.filter((name) => all[name].reserved !== true)).toEqual(NAMES.filter(made));
  });

  it.each(NAMES)("%s: its keys are its own and no other's, and are read back", (name) => {
    fc.assert(
      fc.property(valuesFor(FAMILIES[name].pattern), (values) => {
        const key = tryKey(FAMILIES[name], values);
        if (key === undefined) return;
        expect(families.of(key).name).toBe(name);
        const parsed = parseKey(key);
        expect(parsed.family).toBe(name);
        const texts = values.flat();
        expect(parsed.values).toHaveLength(texts.length);
        for (const [i, value] of parsed.values.entries()) {
          // One over the limit is kept as a hash, which stands for nothing else.
          const kept = encodeSegment(texts[i] ?? "").startsWith("~") ? undefined : texts[i];
          expect(value).toBe(kept);
        }
      }),
      { numRuns: 60 },
    );
  });

  it("of the catalog is named once", () => {
    const patterns = KEY_FAMILIES.map(({ pattern }) => pattern.replaceAll(/\{[^}]+\}/g, "{}"));
    expect(new Set(patterns).size).toBe(patterns.length);
    expect(patterns.length).toBeGreaterThan(30);
  });
});

/** The literals of all patterns: names that users may choose too. */
const WORDS = KEY_FAMILIES.flatMap(({ pattern }) =>
  pattern.split("/").filter((segment) => segment !== "" && !segment.startsWith("{")),
);

test("a namespace may be called as parts of keys are: its key is read back", () => {
  const word = fc.constantFrom(...WORDS);
  fc.assert(
    fc.property(fc.array(word, { minLength: 1, maxLength: 6 }), (path) => {
      const key = keyOf(FAMILIES.namespaceByPath, ACCOUNT, sample.CATALOG.id, path);
      expect(parseKey(key)).toMatchObject({ family: "namespaceByPath" });
      families.assertListed(key);
    }),
  );
  const path = ["tables", "by-name", "x"];
  const known = keyOf(FAMILIES.namespaceByPath, ACCOUNT, sample.CATALOG.id, path);
  expect(parseKey(known).values.slice(2)).toEqual(path);
});

test("two lists of names never make one key", () => {
  const path = fc.array(legalName, { minLength: 1, maxLength: 4 });
  fc.assert(
    fc.property(path, path, (a, b) => {
      const keyFor = (levels: readonly string[]) =>
        tryKey(FAMILIES.namespaceByPath, [ACCOUNT, sample.CATALOG.id, [...levels]]);
      const [left, right] = [keyFor(a), keyFor(b)];
      if (left !== undefined) expect(left === right).toBe(JSON.stringify(a) === JSON.stringify(b));
    }),
  );
});

test("a key of no family is refused", () => {
  for (const key of ["/accounts", `/accounts/${ACCOUNT}/unheard/of`, "/", "/shards"]) {
    expect(() => parseKey(key)).toThrow(FirnError);
  }
});

test("whole numbers of 19 digits sort as numbers do", () => {
  const number = fc.bigInt({ min: 0n, max: (1n << 63n) - 1n });
  fc.assert(
    fc.property(number, number, (a, b) => {
      const [left, right] = [digits19(a), digits19(b)];
      expect(left).toHaveLength(19);
      expect(BigInt(left)).toBe(a);
      expect(Math.sign(compareUtf8(left, right))).toBe(a < b ? -1 : a > b ? 1 : 0);
    }),
  );
});

describe("a location's claim", () => {
  it("is read back whole, however long, and sorts below its own directory", () => {
    const level = fc.string({ unit: "grapheme-ascii", minLength: 1, maxLength: 60 });
    fc.assert(
      fc.property(fc.array(level, { minLength: 1, maxLength: 6 }), level, (levels, leaf) => {
        const above = `s3://${levels.join("/")}`;
        const key = (location: string) => {
          try {
            return locationKey(ACCOUNT, location);
          } catch (error) {
            expect(error).toMatchObject({ kind: "Invalid", code: "LOCATION_TOO_LONG" });
            return undefined;
          }
        };
        const [parent, child] = [key(above), key(`${above}/${leaf}`)];
        if (parent === undefined || child === undefined) return;
        expect(leafText(child)).toBe(`${above}/${leaf}`);
        expect(parseKey(child).family).toBe("location");
        // So one listing after `{location}%2F` finds every claim inside a location.
        expect(child.startsWith(`${parent}%2F`)).toBe(true);
      }),
    );
  });

  it("is refused where a store could not list it", () => {
    const fits = `s3://${"x".repeat(CATALOG_LIMITS.locationBytes - "s3%3A%2F%2F".length)}`;
    expect(leafText(locationKey(ACCOUNT, fits))).toBe(fits);
    expect(() => locationKey(ACCOUNT, `${fits}x`)).toThrow(
      expect.objectContaining({ code: "LOCATION_TOO_LONG" }),
    );
  });
});

test("a directory is what its keys lie in", () => {
  fc.assert(
    fc.property(legalName, legalName, (level, name) => {
      const { id: catalog } = sample.CATALOG;
      const namespace = sample.NAMESPACE.id;
      const table = keyOf(FAMILIES.tableByName, ACCOUNT, catalog, namespace, name);
      const tables = directoryOf(FAMILIES.tableByName, ACCOUNT, catalog, namespace);
      expect(table).toBe(`${tables}/${encodeSegment(name)}`);
      const child = keyOf(FAMILIES.namespaceByPath, ACCOUNT, catalog, [level, name]);
      expect(child).toBe(`${childDirectory(ACCOUNT, catalog, [level])}/${encodeSegment(name)}`);
      expect(() => families.assertListed(childDirectory(ACCOUNT, catalog, [level]))).not.toThrow();
    }),
  );
});

test("keys by ids of a list are the ones that are made one by one", () => {
  const types = "account catalog namespace table view connector principal".split(" ");
  const type = fc.constantFrom(...(types as Parameters<typeof byIdKey>[0][]));
  // An account's id may be that of another entity too, and an entity's that of its account.
  const ids = fc.array(fc.tuple(type, fc.oneof(fc.uuid(), fc.constant(ACCOUNT))));
  const property = fc.property(ids, (asked) => {
    const keyFor = byIdKeys(ACCOUNT);
    for (const [each, one] of asked) expect(keyFor(each, one)).toBe(byIdKey(each, ACCOUNT, one));
  });
  fc.assert(property);
});
