import { describe, expect, it } from "vitest";
import { selectCommonType } from "../../src/sql/functions/common-type.ts";
import { OID } from "../../src/sql/types/oids.ts";
import { TypeRegistry } from "../../src/sql/types/registry.ts";
import { functions, types } from "./fuzz/evaluate.ts";

const stateOf = (run: () => unknown): string => {
  try {
    run();
    return "";
  } catch (error) {
    return error instanceof Error && "sqlState" in error ? String(error.sqlState) : String(error);
  }
};

describe("resolution by PostgreSQL's rules", () => {
  it("widens integers and takes the preferred type of a category", () => {
    expect(functions.resolveOperator("+", OID.int2, OID.int8).result).toBe(OID.int8);
    expect(functions.resolveOperator("+", OID.int4, OID.numeric).result).toBe(OID.numeric);
    expect(functions.resolveOperator("+", OID.float4, OID.numeric).result).toBe(OID.float8);
  });

  it("takes a literal as the other side's type, and two literals as text", () => {
    expect(functions.resolveOperator("=", OID.int8, OID.unknown).arguments).toEqual([20, 20]);
    expect(functions.resolveOperator("||", OID.unknown, OID.unknown).result).toBe(OID.text);
  });

  it("names what does not exist and what is ambiguous", () => {
    expect(stateOf(() => functions.resolveOperator("+", OID.int4, OID.bool))).toBe("42883");
    expect(stateOf(() => functions.resolveOperator("+", OID.unknown, OID.unknown))).toBe("42725");
    expect(stateOf(() => functions.resolveFunction("nothing", []))).toBe("42883");
  });

  it("sees a cast in a call by a type's name", () => {
    expect(functions.resolveFunction("int4", [OID.unknown])).toEqual({ kind: "cast", target: 23 });
  });
});

describe("the type of UNION and CASE", () => {
  const common = (...oids: readonly number[]): number => selectCommonType(types, oids, "CASE");

  it("is the preferred one, text for literals alone", () => {
    expect(common(OID.int4, OID.int8)).toBe(OID.int8);
    expect(common(OID.int4, OID.unknown, OID.numeric)).toBe(OID.numeric);
    expect(common(OID.unknown, OID.unknown)).toBe(OID.text);
    expect(stateOf(() => common(OID.int4, OID.text))).toBe("42804");
  });
});

describe("types of a database", () => {
  it("holds enums with their order, and columns of row tables", () => {
    const own = new TypeRegistry();
    own.defineEnum(20_000, 20_001, "mood", ["sad", "happy"]);
    expect(own.get(20_000).codec.compare?.("sad", "happy")).toBeLessThan(0);
    expect(own.isArray(20_001)).toBe(true);
    const column = own.toColumnType(OID.numeric, own.fromColumnType(NUMERIC).typmod);
    expect(column).toEqual(NUMERIC);
    own.remove(20_000);
    expect(own.find(20_001)).toBeUndefined();
  });
});

const NUMERIC = { kind: "numeric", precision: 10, scale: 2 } as const;
