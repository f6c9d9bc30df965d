import { availableParallelism } from "node:os";
import { resolve } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { FirnError } from "../../src/base/error.ts";
import { parseLocation } from "../../src/runtime/location.ts";
import { editDistance, nearest } from "../../src/runtime/nearest.ts";
import { SystemPrng } from "../../src/runtime/prng.ts";
import {
  fromEnv,
  fromFields,
  fromFlags,
  readSettings,
  requireSettings,
} from "../../src/runtime/read-settings.ts";
import { envOf, flagOf } from "../../src/runtime/setting-names.ts";
import {
  FLAG_NAMES,
  SETTING_NAMES,
  SETTINGS,
  type SettingName,
} from "../../src/runtime/settings.ts";
import { settingsMarkdown } from "../../src/runtime/settings-docs.ts";

const CWD = "/somewhere/else";
const SECRET = "0123456789abcdef0123456789abcdef";
const BOOTSTRAP_KEY = `firn_0123456789_${SECRET}`;
/** A value that each setting takes and that is not its default. */
const SAMPLES: Partial<Record<SettingName, string>> = {
  historyRetention: "3d",
  price: "s3Puts=4.5",
  dropRetention: "12h",
  gcGrace: "1h",
  profile: "memory",
  host: "localhost",
  port: "1",
  pgPort: "off",
  internalPort: "8183",
  internalUrl: "http://node:8183",
  logLevel: "warn",
  maxInFlight: "9",
  logFormat: "text",
  allowHost: "Firn.Example.",
  trustedProxy: "10.0.0.0/8",
  maxConnections: "9",
  maxConnectionsPerAddress: "3",
  allowAnonymous: "true",
  auth: "required",
  plainHttp: "true",
  auditLogMib: "9",
  vendRole: "arn:aws:iam::123456789012:role/lake",
  vendStsEndpoint: "http://127.0.0.1:4566",
  vendLifetime: "15m",
  remoteSigning: "read",
  storageEndpoint: "http://127.0.0.1:9000",
  principalRate: "100",
  tokenLifetime: "5m",
  accessStaleness: "0",
  bootstrapKey: BOOTSTRAP_KEY,
  oidcScope: "openid groups",
  oidcOrigin: "https://firn.example",
  standby: "true",
  takeover: "true",
  init: "true",
  advertiseUrl: "http://firn:8181",
  s3Bucket: "my-lake",
  s3Prefix: "a/b",
  s3PathStyle: "true",
  s3ClientEndpoint: "https://s3.example.com",
  s3CheckMetadata: "true",
  dynamodbTable: "pointers",
  cacheMemoryMib: "0",
  engineMemoryMib: "16",
  engineCompactionStyle: "space",
  logRetention: "12h",
  logRetentionMib: "1",
  rowHistory: "12h",
  engineMergeThreads: "7",
  cacheDiskMib: "10",
  secret: SECRET,
  secretPrevious: SECRET,
};

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

/** They have no flag. */
const SECRETS: ReadonlySet<SettingName> = new Set([
  "secret",
  "secretPrevious",
  "bootstrapKey",
  "oidcClientSecret",
]);
/** They are refused alone. */
const PAIRS: ReadonlySet<SettingName> = new Set([
  "tlsCert",
  "tlsKey",
  "oidcIssuer",
  "oidcClientId",
  "bootstrapAdmin",
]);

const ACCESS_DEFAULTS = {
  auditLogMib: 100,
  oidcScope: "openid",
  principalRate: 0,
  remoteSigning: "off",
  storageEndpoint: [],
  vendLifetime: 3_600_000,
};

describe("settings", () => {
  it("have safe defaults", () => {
    expect(read()).toEqual({
      profile: "local",
      host: "127.0.0.1",
      port: 8181,
      pgPort: 5433,
      internalPort: 8182,
      dir: resolve(CWD, ".firn"),
      warehouse: `file://${CWD}/.firn/warehouse`,
      catalog: [],
      allowLocation: [],
      allowProperty: [],
      price: [],
      allowAnonymous: false,
      auth: "none",
      plainHttp: false,
      ...ACCESS_DEFAULTS,
      tokenLifetime: 3_600_000,
      accessStaleness: 1_000,
      allowHost: [],
      trustedProxy: [],
      maxConnections: 8_192,
      maxConnectionsPerAddress: 2_048,
      maxInFlight: 128,
      logLevel: "info",
      logFormat: "auto",
      standby: false,
      takeover: false,
      advertiseUrl: undefined,
      s3Bucket: undefined,
      s3Prefix: "firn/",
      s3PathStyle: undefined,
      s3ClientEndpoint: undefined,
      s3KmsKey: undefined,
      s3CheckMetadata: false,
      dynamodbTable: "firn",
      init: false,
      engineMemoryMib: 256,
      engineCompactionStyle: "balanced",
      engineMergeThreads: Math.min(4, Math.max(1, availableParallelism() - 1)),
      logRetention: 0,
      logRetentionMib: 1_024,
      rowHistory: 60_000,
      historyRetention: 604_800_000,
      dropRetention: 604_800_000,
      gcGrace: 86_400_000,
      cacheMemoryMib: 64,
      cacheDiskMib: 0,
      secret: undefined,
      given: [],
    });
  });

  it("have one name in three spellings", () => {
    expect(SETTING_NAMES.map((name) => [flagOf(name), envOf(name)])).toContainEqual([
      "--allow-location",
      "FIRN_ALLOW_LOCATION",
    ]);
    for (const name of SETTING_NAMES) {
      const text = SAMPLES[name] ?? "x";
      if (SECRETS.has(name)) {
        expect(read(fromEnv({ [envOf(name)]: text }))[name]).toBe(text);
        continue;
      }
      // Its place in a pair is told below.
      if (PAIRS.has(name)) continue;
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
});

describe("settings that are wrong", () => {
  it("refuse to start with every problem at once", () => {
    const problems = problemsOf(
      flags({ port: ["65536"], host: ["0.0.0.0"], profile: ["aws"] }, ["--wharehouse=x"]),
      fromEnv({ FIRN_PROT: "1", FIRN_LOG_LEVEL: "loud" }),
    );
    const named = ["--port", "0.0.0.0", "--s3-bucket", "mean --warehouse"];
    named.push("FIRN_PORT", "FIRN_LOG_LEVEL", "FIRN_SECRET");
    for (const name of named)
      expect(problems.filter((text) => text.includes(name))).toHaveLength(1);
    expect(problems).toHaveLength(named.length);
  });
});

describe("settings that must be safe", () => {
  it("name what a profile in S3 lacks, and what mends it", () => {
    for (const profile of ["bucket", "aws"]) {
      const lacking = problemsOf(flags({ profile: [profile] }));
      expect(lacking).toHaveLength(2);
      expect(lacking.join()).toMatch(/--s3-bucket.*--warehouse.*FIRN_SECRET/s);
      const secret = fromEnv({ FIRN_SECRET: SECRET });
      const byName = read(flags({ profile: [profile], s3Bucket: ["lake"] }), secret);
      expect(byName).toMatchObject({ s3Bucket: "lake", warehouse: "s3://lake/warehouse" });
      const byWarehouse = read(flags({ profile: [profile], warehouse: ["s3://lake/w"] }), secret);
      expect(byWarehouse).toMatchObject({ s3Bucket: "lake", warehouse: "s3://lake/w" });
    }
    expect(problemsOf(flags({ profile: ["aws"], s3Bucket: ["S3://lake"] }))).toHaveLength(2);
    expect(problemsOf(flags({ profile: ["aws"], standby: ["true"], s3Bucket: ["lake"] }))).toEqual([
      expect.stringContaining("--standby"),
      expect.stringContaining("FIRN_SECRET"),
    ]);
  });

  it("let no table lie among the catalog's own objects", () => {
    const source = (warehouse: string, ...allowLocation: readonly string[]) =>
      flags({ profile: ["bucket"], warehouse: [warehouse], allowLocation });
    const secret = fromEnv({ FIRN_SECRET: SECRET });
    expect(problemsOf(source("s3://lake/firn"), secret)).toHaveLength(1);
    expect(problemsOf(source("s3://lake/w", "s3://lake/firn/x", "/x"), secret)).toHaveLength(1);
    expect(problemsOf(source("s3://lake", "s3://other/firn"), secret)).toEqual([]);
    expect(problemsOf(source("s3://lake/firnx"), secret)).toEqual([]);
  });

  it("take a secret from where others cannot read it, and never show it", () => {
    const short = "not-long-enough-to-be-a-secret";
    const problems = problemsOf(
      flags({}, [`--secret=${SECRET}`]),
      fromEnv({ FIRN_SECRET: short }),
      fromFields({ profile: "aws", s3Bucket: "lake" }),
    );
    expect(problems).toHaveLength(2);
    expect(problems.filter((text) => text.includes("FIRN_SECRET"))).toHaveLength(2);
    for (const text of [short, SECRET]) expect(problems.join()).not.toContain(text);
    expect(FLAG_NAMES).not.toContain("secret");
  });

  it("refuse values of the wrong shape", () => {
    const wrong: readonly Partial<Record<SettingName, string>>[] = [
      ...["", "-1", "1.5", "0x50", "99999"].map((port) => ({ port })),
      ...["s4://x", "s3://", "s3://b/../c", "file://host/x", "/a\u0000b"].map((warehouse) => ({
        warehouse,
      })),
      ...["", "=s3://bucket"].map((catalog) => ({ catalog })),
      ...["", "a b", "x/y"].map((host) => ({ host })),
      ...["", "*", "a:80", "http://a", "[::1", "a b"].map((allowHost) => ({ allowHost })),
      ...["a", "10.0.0.0/33", "::1/129", "10.0.0.1/8/8", "10.0.0.0/"].map((trustedProxy) => ({
        trustedProxy,
      })),
      ...[{ maxConnections: "0" }, { maxConnectionsPerAddress: "-1" }],
      ...[{ profile: "cloud" }, { dir: "" }, { allowAnonymous: "yes" }],
      ...["s3://x", "Upper", "a", "x/y"].map((s3Bucket) => ({ s3Bucket })),
      ...["", "/", "../x", "a//../b", "a?b"].map((s3Prefix) => ({ s3Prefix })),
      ...["x", "ftp://a", "http://a/b", "http://u:p@a", "http://a?b"].map((advertiseUrl) => ({
        advertiseUrl,
      })),
      ...[{ dynamodbTable: "a b" }, { cacheMemoryMib: "-1" }, { cacheDiskMib: "1G" }],
      ...[{ engineMemoryMib: "15" }, { engineCompactionStyle: "speed" }],
      ...["0", "65", "two"].map((engineMergeThreads) => ({ engineMergeThreads })),
      ...[{ logRetention: "1" }, { logRetention: "-1h" }, { logRetentionMib: "1.5" }],
      ...[{ s3KmsKey: "a b" }],
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
});

describe("settings outside the command line", () => {
  it("reach an embedding program as one error", () => {
    const open = () => read(fromFields({ prot: 1, profile: "cloud" }));
    expect(open).toThrow(FirnError);
    expect(open).toThrow(/port/);
  });

  it("are documented, every one", () => {
    const rows = settingsMarkdown().trim().split("\n").slice(2);
    expect(rows).toHaveLength(SETTING_NAMES.length);
    SETTING_NAMES.forEach((name, i) => {
      const flag = FLAG_NAMES.includes(name) ? flagOf(name) : "";
      for (const text of [flag, envOf(name), SETTINGS[name].doc.replaceAll("|", "\\|")]) {
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

describe("settings that must not be too small", () => {
  it("have floors where less would lose data", () => {
    for (const name of ["historyRetention", "dropRetention", "gcGrace"] as const) {
      expect(read(flags({ [name]: ["1h"] }))[name]).toBe(3_600_000);
      for (const less of ["59m", "0", "0h", "-1d", "forever"]) {
        expect(() => read(flags({ [name]: [less] }))).toThrow(/1h at least/);
      }
    }
  });

  it("bound the life of tokens", () => {
    for (const text of ["4m", "25h", "0"]) {
      expect(() => read(flags({ tokenLifetime: [text] }))).toThrow(/between 5m and 24h/);
    }
  });

  it("refuse keys in the clear beyond this machine", () => {
    const given = { host: ["0.0.0.0"], auth: ["required"] };
    expect(problemsOf(flags(given)).join()).toMatch(/--plain-http/);
    expect(problemsOf(flags({ ...given, plainHttp: ["true"] }))).toEqual([]);
    const tls = { tlsCert: ["cert.pem"], tlsKey: ["key.pem"] };
    expect(problemsOf(flags({ ...given, ...tls }))).toEqual([]);
    // Encryption does not say who may come in.
    expect(problemsOf(flags({ ...tls, host: ["0.0.0.0"] })).join()).toMatch(/--allow-anonymous/);
  });

  it("take a first administrator of an issuer, or one with a key", () => {
    const given = { auth: ["required"], bootstrapAdmin: ["corp/ann"] };
    expect(problemsOf(flags({ ...given, issuers: ["i.json"] }))).toEqual([]);
    expect(problemsOf(flags(given)).join()).toMatch(/^--bootstrap-admin needs --issuers/);
    const keyed = fromEnv({ FIRN_BOOTSTRAP_KEY: BOOTSTRAP_KEY });
    const named = flags({ ...given, issuers: ["i.json"] });
    expect(problemsOf(named, keyed).join()).toMatch(/exclude each other/);
    expect(problemsOf(flags({ bootstrapAdmin: ["ann"] })).join()).toMatch(/ISSUER\/SUBJECT/);
  });

  it("take a provider with a client, and with the file that tells of it", () => {
    const given = { auth: ["required"], oidcIssuer: ["corp"], oidcClientId: ["firn"] };
    expect(problemsOf(flags({ ...given, issuers: ["i.json"] }))).toEqual([]);
    expect(problemsOf(flags(given)).join()).toMatch(/^--oidc-issuer needs --issuers/);
    expect(problemsOf(flags({ oidcIssuer: ["corp"] })).join()).toMatch(/needs --oidc-client-id/);
    expect(problemsOf(flags({ oidcClientId: ["a"] })).join()).toMatch(/needs --oidc-issuer/);
    for (const oidcScope of ["", "profile", "openid  x", 'openid "']) {
      expect(problemsOf(flags({ oidcScope: [oidcScope] })).join()).toMatch(/must be scopes/);
    }
    for (const oidcOrigin of ["firn.example", "https://firn.example/a", "ftp://a"]) {
      expect(problemsOf(flags({ oidcOrigin: [oidcOrigin] })).length).toBe(1);
    }
    const byEnv = read(fromEnv({ FIRN_OIDC_CLIENT_SECRET: "s", FIRN_OIDC_SCOPE: "openid groups" }));
    expect([byEnv.oidcClientSecret, byEnv.oidcScope]).toEqual(["s", "openid groups"]);
  });

  it("take a certificate with its key, and not with --plain-http", () => {
    expect(problemsOf(flags({ tlsCert: ["c"] }))).toEqual([
      expect.stringMatching(/^--tls-cert needs --tls-key/),
    ]);
    expect(problemsOf(flags({ tlsKey: ["k"] }))).toEqual([
      expect.stringMatching(/^--tls-key needs --tls-cert/),
    ]);
    expect(problemsOf(flags({ tlsCert: [""], tlsKey: ["k"] }))).toEqual([
      "--tls-cert: must be a path",
    ]);
    const both = flags({ tlsCert: ["c"], tlsKey: ["k"], plainHttp: ["true"] });
    expect(problemsOf(both).join()).toMatch(/--tls-cert and --plain-http exclude each other/);
    const env = { FIRN_TLS_CERT: "c", FIRN_TLS_KEY: "/k" };
    const fields = { tlsCert: "c", tlsKey: "/k" };
    const byFlag = flags({ tlsCert: ["c"], tlsKey: ["/k"] });
    for (const source of [byFlag, fromEnv(env), fromFields(fields)]) {
      const { tlsCert, tlsKey } = read(source);
      expect([tlsCert, tlsKey]).toEqual([`${CWD}/c`, "/k"]);
    }
  });
});
