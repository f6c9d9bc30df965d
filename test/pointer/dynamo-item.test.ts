import { readFileSync } from "node:fs";
import { join } from "node:path";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { LIMITS } from "../../src/base/limits.ts";
import type { StoredItem } from "../../src/pointer/batch.ts";
import {
  type Attributes,
  decodeItem,
  encodeItem,
  itemKey,
  itemOf,
} from "../../src/pointer/dynamo/item.ts";
import { KeyFamilies } from "../../src/pointer/families.ts";
import { TEST_FAMILIES } from "../support/pointer-families.ts";

const SOURCE = join(import.meta.dirname, "..", "..", "src", "pointer", "dynamo", "item.ts");
const NOW_MS = Date.UTC(2026, 0, 1);
const families = new KeyFamilies(TEST_FAMILIES);
const NAME = "/test/s/entities/by-name/a";
const ENTITY = "/test/s/entities/by-id/a";

const live = (key: string): StoredItem => ({ state: "live", key, version: 300n, writerId: "w" });

test("the worked example is what the codec makes, and reads", () => {
  const [, text = ""] = /Example:.*?:\n \*\n(.*?)\n \*\//s.exec(readFileSync(SOURCE, "utf8")) ?? [];
  const example = JSON.parse(text.replaceAll(" *", "")) as Attributes;
  const listed = [{ name: "n", pattern: "/n/by-name/{name}", listed: true }];
  const item: StoredItem = { ...live("/n/by-name/a"), blobPath: "b" } as StoredItem;
  expect(encodeItem(new KeyFamilies(listed), item, NOW_MS)).toEqual(example);
  expect(decodeItem(example)).toEqual(item);
});

describe("an item", () => {
  const text = fc.string({ minLength: 1, maxLength: 40, unit: "grapheme" });
  const version = fc.bigInt({ min: 1n, max: 2n ** 63n - 1n });
  const key = fc.constantFrom(NAME, ENTITY, "/test/s/paths/a/b", "/test/s/guards/0");
  const alive = fc.record(
    {
      state: fc.constant("live" as const),
      key,
      version,
      writerId: text,
      blobPath: text,
      summary: fc.uint8Array({ maxLength: LIMITS.summaryBytes }),
    },
    { requiredKeys: ["state", "key", "version", "writerId"] },
  );
  const dead = fc.record({
    state: fc.constant("absent" as const),
    key,
    version,
    writerId: text,
    deadUntilMs: fc.nat({ max: Number.MAX_SAFE_INTEGER }),
  });

  test("comes back as it was", () => {
    const property = fc.property(fc.oneof(alive, dead), (item) => {
      expect(decodeItem(encodeItem(families, item, NOW_MS))).toEqual(item);
    });
    fc.assert(property, { seed: 20_260_102 });
  });

  test("of a tombstone expires in the second that its life is over, or the next", () => {
    const deadUntilMs = NOW_MS + 1_500;
    const item = { state: "absent", key: NAME, version: 2n, writerId: "w", deadUntilMs } as const;
    const seconds = Number(encodeItem(families, item, NOW_MS)["t"]?.N);
    expect(seconds * 1_000 - deadUntilMs).toBeGreaterThanOrEqual(0);
    expect(seconds * 1_000 - deadUntilMs).toBeLessThan(1_000);
  });

  test("over what a transaction of a hundred may hold is refused", () => {
    const item = { ...live(ENTITY), blobPath: "b".repeat(40_000) } as StoredItem;
    const refused = { kind: "Invalid", code: "POINTER_ITEM_TOO_LARGE" };
    expect(() => encodeItem(families, item, NOW_MS)).toThrow(expect.objectContaining(refused));
  });

  test("of listed families share no partition with others", () => {
    const both = new KeyFamilies([
      { name: "x", pattern: "/x/{id}", listed: false },
      { name: "leaf", pattern: "/x/{id}/{leaf}", listed: true },
    ]);
    expect(itemKey(both, "/x/1").p).not.toEqual(itemKey(both, "/x/1/-").p);
    for (const at of ["/x/1", "/x/1/-"]) {
      expect(decodeItem(encodeItem(both, live(at), NOW_MS)).key).toBe(at);
    }
  });
});

describe("what no version of ours wrote", () => {
  const good = encodeItem(families, live(NAME), NOW_MS);
  const without = (name: string): Attributes =>
    Object.fromEntries(Object.entries(good).filter(([each]) => each !== name));
  const corrupt: Readonly<Record<string, Attributes>> = {
    "no version": without("v"),
    "version 0": { ...good, v: { N: "0" } },
    "a version that is not a whole number": { ...good, v: { N: "1.5" } },
    "a version of another type": { ...good, v: { S: "1" } },
    "no writer": without("w"),
    "no partition": without("p"),
    "no sort key": without("s"),
    "a sort key that no unlisted pointer has": { ...good, p: { S: ENTITY }, s: { S: "x" } },
    "a tombstone with a blob": { ...good, d: { N: "1" }, b: { S: "b" } },
  };
  test.each(Object.entries(corrupt))("%s is corrupt", (_title, attributes) => {
    const refused = { kind: "Corrupt", code: "POINTER_ITEM_CORRUPT" };
    expect(() => decodeItem(attributes)).toThrow(expect.objectContaining(refused));
  });

  test("an attribute that nobody knows yet is not guessed at", () => {
    const newer = { kind: "Unavailable", code: "POINTER_ITEM_UNSUPPORTED" };
    const attributes = { ...good, x: { BOOL: true } };
    expect(() => decodeItem(attributes)).toThrow(expect.objectContaining(newer));
  });

  test("an item of another key is never taken for the one that was asked for", () => {
    expect(() => itemOf(ENTITY, good)).toThrow(expect.objectContaining({ kind: "Internal" }));
  });
});
