import { describe, expect, it } from "vitest";
import { SeededPrng } from "../../../src/base/prng.ts";
import { sessionPolicy } from "../../../src/service/access/session-policy.ts";
import { allows, isLike } from "./policy-evaluator.ts";

const NAMES = 10_000;
/** What means something in a policy, in JSON, in a path or to a careless program. */
const PIECES = [
  ..."abz019-_.*?$",
  "**",
  "${*}",
  "${aws:username}",
  "${$",
  "$$",
  '"',
  "\\",
  "'",
  "{",
  "}",
  "%2F",
  " ",
  "é",
  "雪",
  "*.metadata.json",
];

function policyOf(key: string, mode: "read" | "write" = "write"): string | undefined {
  return sessionPolicy({ location: `s3://lake/${key}`, mode, partition: "aws" });
}

const object = (key: string) => `arn:aws:s3:::lake/${key}`;

describe("the evaluator", () => {
  it("reads patterns as AWS documents them", () => {
    expect(isLike("a-12", "a-1*")).toBe(true);
    expect(isLike("a-12", "a-1?")).toBe(true);
    expect(isLike("a-1*", "a-1${*}")).toBe(true);
    expect(isLike("a-12", "a-1${*}")).toBe(false);
    expect(isLike("$x", "${$}x")).toBe(true);
    expect(isLike("me", "${aws:username}")).toBe(false);
    expect(isLike("", "*")).toBe(true);
  });
});

describe("session policies", () => {
  it("reach their table, read or write, and no metadata file", () => {
    const write = policyOf("wh/t") ?? "";
    const read = policyOf("wh/t", "read") ?? "";
    const data = object("wh/t/data/1.parquet");
    const metadata = object("wh/t/metadata/0001-x.metadata.json");
    for (const [action, resource, reads, writes] of [
      ["s3:GetObject", data, true, true],
      ["s3:PutObject", data, false, true],
      ["s3:DeleteObject", data, false, true],
      ["s3:AbortMultipartUpload", data, false, true],
      ["s3:ListMultipartUploadParts", data, false, true],
      ["s3:GetObject", metadata, true, true],
      ["s3:PutObject", metadata, false, false],
      ["s3:DeleteObject", metadata, false, false],
      ["s3:PutObjectAcl", data, false, false],
      ["s3:DeleteObjectVersion", data, false, false],
      ["s3:GetObject", object("wh/t"), false, false],
      ["s3:GetObject", object("wh/t2/data/1.parquet"), false, false],
      ["s3:GetObject", "arn:aws:s3:::other/wh/t/data/1.parquet", false, false],
    ] as const) {
      expect([resource, action, allows(read, { action, resource })]).toEqual([
        resource,
        action,
        reads,
      ]);
      expect([resource, action, allows(write, { action, resource })]).toEqual([
        resource,
        action,
        writes,
      ]);
    }
    const list = { action: "s3:ListBucket", resource: "arn:aws:s3:::lake" };
    for (const [prefix, is] of [
      ["wh/t/", true],
      ["wh/t/data/", true],
      ["wh/t", false],
      ["wh/t2/", false],
      ["wh/", false],
      ["", false],
    ] as const) {
      expect([prefix, allows(read, { ...list, prefix })]).toEqual([prefix, is]);
    }
    expect(allows(read, list)).toBe(false);
  });

  it("are none where AWS would refuse them, or they would reach a whole bucket", () => {
    expect(policyOf("x".repeat(300))).toBeDefined();
    expect(policyOf("x".repeat(700))).toBeUndefined();
    expect(sessionPolicy({ location: "s3://lake", mode: "read", partition: "aws" })).toBe(
      undefined,
    );
  });

  it(`reach exactly their table, for ${NAMES} hostile names`, () => {
    const prng = new SeededPrng(Number(process.env["PROPERTY_SEED"] ?? 1));
    const below = (limit: number) => Math.floor(prng.float() * limit);
    const one = <T>(list: readonly T[]): T => list[below(list.length)] as T;
    const name = () => Array.from({ length: 1 + below(6) }, () => one(PIECES)).join("");
    for (let i = 0; i < NAMES; i++) {
      const key = `wh/${name()}/${name()}`;
      const policy = policyOf(key);
      expect(policy, key).toBeDefined();
      if (policy === undefined) continue;
      const get = (at: string) => allows(policy, { action: "s3:GetObject", resource: object(at) });
      expect(get(`${key}/data/x`), key).toBe(true);
      const neighbours = [
        `${key}x/data/x`,
        `${key.slice(0, -1)}/data/x`,
        `wh/${name()}/${name()}/x`,
        `${key.replaceAll(/[*?]/g, () => name())}/x`,
        `${key.replaceAll("*", "")}/x`,
        `${key.replaceAll("?", "q")}/x`,
        `${key.replaceAll("$", "")}/x`,
        `${key.replaceAll(/\$\{[^}]*\}/g, "")}/x`,
      ];
      for (const other of neighbours) {
        if (other.startsWith(`${key}/`)) continue;
        expect([key, other, get(other)]).toEqual([key, other, false]);
        const prefix = other;
        const list = { action: "s3:ListBucket", resource: "arn:aws:s3:::lake", prefix };
        expect([key, other, allows(policy, list)]).toEqual([key, other, false]);
      }
    }
  });
});
