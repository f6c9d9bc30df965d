import { describe, expect, it } from "vitest";
import type { Datum } from "../../src/rows/datum.ts";
import { aggregateOf } from "../../src/sql/functions/aggregates.ts";
import { context, functions, types } from "./fuzz/evaluate.ts";

function aggregate(
  name: string,
  type: string,
  texts: readonly (string | null)[],
  ...more: Datum[]
) {
  const { oid, codec } = types.byName(type)!;
  const inputs = [oid, ...more.map(() => oid)];
  const call = functions.resolveFunction(name, inputs);
  if (call.kind === "cast") throw new Error("a cast");
  const state = aggregateOf(functions, call).create();
  for (const text of texts) {
    state.add([text === null ? null : codec.input(text, -1, context), ...more], context);
  }
  const result = state.result(context);
  return result === null ? null : types.get(call.result).codec.output(result, context);
}

const INTS = ["1", "2", null, "4"];

/** Recorded from PostgreSQL 15: `SELECT name(x) FROM unnest(values) AS x`. */
const RECORDED: readonly (readonly [string, string, readonly (string | null)[], string | null])[] =
  [
    ["count", "int4", INTS, "3"],
    ["sum", "int4", INTS, "7"],
    ["avg", "int4", INTS, "2.3333333333333333"],
    ["min", "int4", INTS, "1"],
    ["max", "int4", INTS, "4"],
    ["sum", "int4", [null], null],
    ["count", "int4", [], "0"],
    ["sum", "int8", ["9223372036854775807", "1"], "9223372036854775808"],
    ["avg", "int8", ["1", "2"], "1.5000000000000000"],
    ["sum", "numeric", ["1.10", "2.2"], "3.30"],
    ["avg", "numeric", ["1.10", "2.2", "NaN"], "NaN"],
    ["stddev", "int4", INTS, "1.5275252316519467"],
    ["var_pop", "numeric", ["1.5", "2.5", "4"], "1.05555555555555555556"],
    ["variance", "float8", ["1.5", "2.5", "4"], "1.5833333333333333"],
    ["avg", "float8", ["1", "2", "4"], "2.3333333333333335"],
    ["stddev_pop", "float8", ["5"], "0"],
    ["stddev_samp", "float8", ["5"], null],
    ["bool_and", "bool", ["t", "f", null], "f"],
    ["bool_or", "bool", ["f", null], "f"],
    ["every", "bool", [], null],
    ["max", "text", ["a", "b", "ab"], "b"],
    ["min", "timestamp", ["2020-01-02", "2020-01-01"], "2020-01-01 00:00:00"],
    ["sum", "interval", ["1 day", "2 hours"], "1 day 02:00:00"],
    ["avg", "interval", ["1 day", "2 hours"], "13:00:00"],
    ["bit_and", "int4", ["6", "3"], "2"],
    ["array_agg", "int4", INTS, "{1,2,NULL,4}"],
  ];

describe("aggregates", () => {
  it.each(RECORDED)("%s of %s %j is %s", (name, type, texts, expected) => {
    expect(aggregate(name, type, texts)).toBe(expected);
  });

  it("join texts with a separator", () => {
    expect(aggregate("string_agg", "text", ["a", null, "b"], ", ")).toBe("a, b");
  });

  it("refuse what they do not implement", () => {
    expect(() => aggregate("regr_count", "float8", ["1"], 1)).toThrow(/not supported/);
  });
});
