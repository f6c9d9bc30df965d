import { describe, expect, test } from "vitest";
import { KeyFamilies } from "../../src/pointer/families.ts";
import type { KeyFamily } from "../../src/pointer/key.ts";

function family(pattern: string, listed = false): KeyFamily {
  return { name: pattern, pattern, listed };
}

const FAMILIES = new KeyFamilies([
  family("/accounts/by-id/{account}"),
  family("/accounts/by-name/{name}", true),
  family("/accounts/{account}"),
  family("/accounts/{account}/tables/by-id/{table}"),
  family("/accounts/{account}/tables/{table}/snapshots/by-id/{snapshot}", true),
  family("/accounts/{account}/tables/{table}/snapshots/{snapshot}/stats"),
  family("/accounts/{account}/paths/{path...}", true),
  family("/accounts/{account}/paths/fixed/{leaf}"),
]);

describe("KeyFamilies", () => {
  test.each([
    ["/accounts/by-id/1", "/accounts/by-id/{account}"],
    ["/accounts/1", "/accounts/{account}"],
    ["/accounts/1/tables/by-id/2", "/accounts/{account}/tables/by-id/{table}"],
    [
      "/accounts/1/tables/2/snapshots/by-id/3",
      "/accounts/{account}/tables/{table}/snapshots/by-id/{snapshot}",
    ],
    [
      "/accounts/1/tables/2/snapshots/by-id/stats",
      "/accounts/{account}/tables/{table}/snapshots/by-id/{snapshot}",
    ],
    ["/accounts/1/tables/2/snapshots/3/stats", expect.stringContaining("/stats")],
    ["/accounts/1/paths/a", "/accounts/{account}/paths/{path...}"],
    ["/accounts/1/paths/a/b/c", "/accounts/{account}/paths/{path...}"],
    ["/accounts/1/paths/fixed/b", "/accounts/{account}/paths/fixed/{leaf}"],
    ["/accounts/1/paths/fixed/b/c", "/accounts/{account}/paths/{path...}"],
  ])("%s", (key, pattern) => {
    expect(FAMILIES.of(key).pattern).toEqual(pattern);
  });

  test.each([
    "/accounts",
    "/accounts/1/tables",
    "/accounts/1/paths",
    "/other",
    "/accounts//x",
    "x",
  ])("%s is a stray key", (key) => {
    expect(() => FAMILIES.of(key)).toThrow();
  });

  test("only directories of listed families are listed", () => {
    const listed = ["/accounts/by-name", "/accounts/1/paths", "/accounts/1/paths/a/b"];
    for (const directory of listed) expect(() => FAMILIES.assertListed(directory)).not.toThrow();
    const others = ["/accounts/by-id", "/accounts", "/accounts/1/tables/2/snapshots/3", ""];
    for (const directory of others) expect(() => FAMILIES.assertListed(directory)).toThrow();
  });

  test("refuses a grammar that says two things of one key", () => {
    expect(() => new KeyFamilies([family("/a/{x}"), family("/a/{y}")])).toThrow();
    expect(() => new KeyFamilies([family("/a/{x...}"), family("/a/{y...}")])).toThrow();
    expect(() => new KeyFamilies([family("/a/{x...}/b")])).toThrow();
  });
});
