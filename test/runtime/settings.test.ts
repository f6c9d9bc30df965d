import { resolve } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { CatalogError } from "../../src/base/error.ts";
import { parseLocation } from "../../src/runtime/location.ts";
import { editDistance, nearest } from "../../src/runtime/nearest.ts";
import { SystemPrng } from "../../src/runtime/prng.ts";
import {
  envOf,
  flagOf,
  fromEnv,
  fromFields,
  fromFlags,
  readSettings,
  requireSettings,
} from "../../src/runtime/read-settings.ts";
import { SETTING_NAMES, SETTINGS, type SettingName } from "../../src/runtime/settings.ts";
import { settingsMarkdown } from "../../src/runtime/settings-docs.ts";

const CWD = "/somewhere/else";

function flags(values: Partial<Record<SettingName, readonly string[]>>, unknown: string[] = []) {
  const entries = Object.entries(values) as [SettingName, readonly string[]][];
  return fromFlags(new Map(entries), unknown);
}

function read(...sources: Parameters<typeof readSettings>[0]) {
  return requireSettings(readSettings(sources, CWD));
}

function problemsOf(...sources: Parameters<typeof readSettings>[0]): readonly string[] {
  const result = readSettings(sources, CWD);
  return result.ok ? [] : result.problems;
}

describe("settings", () => {
  it("have safe defaults", () => {
    expect(read()).toEqual({
      profile: "local",
      host: "127.0.0.1",
      port: 8181,
      dir: resolve(CWD, ".firn"),
      warehouse: `file://${CWD}/.firn/warehouse`,
      catalog: [],
      allowLocation: [],
      allowAnonymous: false,
      maxInFlight: 128,
      logLevel: "info",
      standby: false,
      takeover: false,
    });
  });

  it("have one name in three spellings", () => {
    expect(SETTING_NAMES.map((name) => [flagOf(name), envOf(name)])).toContainEqual([
      "--allow-location",
      "FIRN_ALLOW_LOCATION",
    ]);
    for (const name of SETTING_NAMES) {
      const [text] = {
        profile: ["memory"],
        port: ["1"],
        allowAnonymous: ["true"],
        standby: ["true"],
        takeover: ["true"],
        maxInFlight: ["9"],
      }[name as string] ?? [name === "logLevel" ? "warn" : name === "host" ? "localhost" : "x"];
      const byFlag = read(flags({ [name]: [text] }));
      expect(read(fromEnv({ [envOf(name)]: text }))).toEqual(byFlag);
      expect(read(fromFields({ [name]: text }))).toEqual(byFlag);
      expect(byFlag).not.toEqual(read());
    }
  });

  it("are taken from flags before the environment", () => {
    const env = fromEnv({ FIRN_PORT: "1", FIRN_HOST: "localhost", FIRN_DIR: "", PATH: "x" });
    expect(read(flags({ port: ["2"] }), env)).toMatchObject({ port: 2, host: "localhost" });
    expect(read(flags({ port: ["2"] }), env).dir).toBe(resolve(CWD, ".firn"));
  });

  it("may repeat, with commas in the environment", () => {
    const env = fromEnv({ FIRN_CATALOG: "a, b=s3://bucket/b/", FIRN_ALLOW_LOCATION: "/x,y" });
    expect(read(env)).toMatchObject({
      catalog: [{ name: "a" }, { name: "b", uri: "s3://bucket/b" }],
      allowLocation: ["file:///x", `file://${CWD}/y`],
    });
    expect(problemsOf(flags({ catalog: ["a", "a"] }))).toHaveLength(1);
  });

  it("refuse to start with every problem at once", () => {
    const problems = problemsOf(
      flags({ port: ["65536"], host: ["0.0.0.0"], profile: ["aws"] }, ["--wharehouse=x"]),
      fromEnv({ FIRN_PROT: "1", FIRN_LOG_LEVEL: "loud" }),
    );
    const named = ["--port", "0.0.0.0", "aws", "--warehouse", "FIRN_PORT", "FIRN_LOG_LEVEL"];
    for (const name of named)
      expect(problems.filter((text) => text.includes(name))).toHaveLength(1);
    expect(problems).toHaveLength(named.length);
    expect(problems.find((text) => text.includes("aws"))).toContain("memory");
  });

  it("refuse values of the wrong shape", () => {
    const wrong: readonly Partial<Record<SettingName, string>>[] = [
      ...["", "-1", "1.5", "0x50", "99999"].map((port) => ({ port })),
      ...["s4://x", "s3://", "s3://b/../c", "file://host/x", "/a\u0000b"].map((warehouse) => ({
        warehouse,
      })),
      ...["", "=s3://bucket"].map((catalog) => ({ catalog })),
      ...["", "a b", "x/y"].map((host) => ({ host })),
      ...[{ profile: "cloud" }, { dir: "" }, { allowAnonymous: "yes" }],
    ];
    for (const [given] of wrong.map((each) => [each])) {
      expect([given, problemsOf(fromFields(given ?? {})).length]).toEqual([given, 1]);
    }
    expect(problemsOf(fromFields({ port: {}, catalog: [{}] }))).toHaveLength(2);
    expect(problemsOf(flags({}, ["extra"]))).toHaveLength(1);
    expect(problemsOf(flags({}, ["--unknown-thing", "its-value"]))).toHaveLength(1);
  });

  it("listen beyond loopback only where that was asked for", () => {
    expect(problemsOf(flags({ host: ["10.0.0.1"] }))).toHaveLength(1);
    expect(problemsOf(flags({ host: ["10.0.0.1"], allowAnonymous: ["true"] }))).toEqual([]);
    expect(problemsOf(flags({ host: ["::1"] }))).toEqual([]);
  });

  it("reach an embedding program as one error", () => {
    const open = () => read(fromFields({ prot: 1, profile: "cloud" }));
    expect(open).toThrow(CatalogError);
    expect(open).toThrow(/port/);
  });

  it("are documented, every one", () => {
    const rows = settingsMarkdown().trim().split("\n").slice(2);
    expect(rows).toHaveLength(SETTING_NAMES.length);
    SETTING_NAMES.forEach((name, i) => {
      for (const text of [flagOf(name), envOf(name), SETTINGS[name].doc.replaceAll("|", "\\|")]) {
        expect(rows[i]).toContain(text);
      }
    });
  });
});

describe("locations", () => {
  it("have one spelling", () => {
    for (const text of [
      "/a/b",
      "/a//b/",
      "file:/a/b",
      "file:///a/b/",
      "file://localhost/a/b",
      "../../a/b",
    ]) {
      expect(parseLocation(text, CWD)).toBe("file:///a/b");
    }
    expect(parseLocation("s3://bucket/", CWD)).toBe("s3://bucket");
  });
});

describe("the nearest name", () => {
  it("is found for a slip of the fingers, and only then", () => {
    const known = SETTING_NAMES.map(flagOf);
    for (const name of known) {
      expect(nearest(name.slice(0, -1), known)).toBe(name);
      expect(nearest(`${name}s`, known)).toBe(name);
      const swapped = `${name.slice(0, 3)}${name[4]}${name[3]}${name.slice(5)}`;
      expect(nearest(swapped, known)).toBe(name);
    }
    expect(nearest("--frobnicate", known)).toBeUndefined();
  });

  it("is measured as a distance", () => {
    const text = fc.string({ maxLength: 8 });
    fc.assert(
      fc.property(text, text, (a, b) => {
        expect(editDistance(a, b)).toBe(editDistance(b, a));
        expect(editDistance(a, b) === 0).toBe(a === b);
        expect(editDistance(a, b)).toBeLessThanOrEqual(Math.max(a.length, b.length));
      }),
    );
  });
});

it("random bytes are never handed out twice", () => {
  const prng = new SystemPrng();
  const drawn = Array.from({ length: 2_000 }, () => Buffer.from(prng.bytes(16)).toString("hex"));
  expect(new Set(drawn).size).toBe(2_000);
  expect(prng.bytes(10_000)).toHaveLength(10_000);
  for (let i = 0; i < 100; i++) {
    const float = prng.float();
    expect(float >= 0 && float < 1).toBe(true);
  }
});
