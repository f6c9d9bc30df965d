import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { FirnError } from "../../src/base/error.ts";
import {
  type JsonBounds,
  JsonNumber,
  type JsonObject,
  type JsonValue,
  jsonKeys,
  parseJson,
  parseJsonBytes,
  printJson,
} from "../../src/base/json.ts";
import {
  asLong,
  asStringMap,
  optionalInt,
  optionalString,
  requireInt,
  requireLong,
  requireString,
} from "../../src/base/json-read.ts";
import { LIMITS } from "../../src/base/limits.ts";

function codeOf(run: () => unknown): string {
  try {
    run();
  } catch (error) {
    expect(error).toBeInstanceOf(FirnError);
    expect((error as FirnError).kind).toBe("Invalid");
    return (error as FirnError).code;
  }
  return "none";
}

function accepts(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

const integerToken = fc.oneof(
  fc.bigInt({ min: -(2n ** 63n), max: 2n ** 64n }).map(String),
  fc.integer().map(String),
  fc.bigInt({ min: 0n, max: 10n ** 60n }).map(String),
);
const decimalToken = fc.oneof(
  fc.constantFrom("-0", "1.0", "1e3", "1E+3", "0.1000", "1e400", "-1e-400", "1e+21", "0e0"),
  fc
    .tuple(fc.integer(), fc.stringMatching(/^[0-9]{1,30}$/), fc.integer({ min: -999, max: 999 }))
    .map(([whole, fraction, exponent]) => `${whole}.${fraction}e${exponent}`),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map((n) => JSON.stringify(n)),
);
const key = fc.oneof(
  fc.constantFrom("a", "b", "10", "2", "0", "constructor", "toString", "", "01", "-1", "é"),
  fc.string({ unit: "grapheme", maxLength: 6 }),
);

/** Canonical JSON text, so that what is printed has to be the very same text. */
const canonicalText: fc.Arbitrary<string> = fc.letrec<{ value: string }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 5, withCrossShrink: true },
    fc.constantFrom("null", "true", "false"),
    integerToken,
    decimalToken,
    fc.string({ unit: "grapheme" }).map((s) => JSON.stringify(s)),
    fc.array(tie("value"), { maxLength: 5 }).map((items) => `[${items.join(",")}]`),
    fc
      .uniqueArray(fc.tuple(key, tie("value")), { selector: ([name]) => name, maxLength: 6 })
      .map((members) => members.filter(([name]) => name !== "__proto__"))
      .map((members) => `{${members.map(([k, v]) => `${JSON.stringify(k)}:${v}`).join(",")}}`),
  ),
})).value;

/** What `JSON.parse` would make of the same text. */
function rounded(value: JsonValue): unknown {
  if (typeof value === "bigint") return Number(value);
  if (value instanceof JsonNumber) return Number(value.token);
  if (Array.isArray(value)) return value.map(rounded);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value as JsonObject).map(([k, v]) => [k, rounded(v)]));
}

describe("parse and print", () => {
  test("every number token, key order and string survives", () => {
    fc.assert(fc.property(canonicalText, (text) => printJson(parseJson(text)) === text));
  });

  test("but for numbers, the value is what JSON.parse gives", () => {
    fc.assert(
      fc.property(canonicalText, (text) => {
        expect(rounded(parseJson(text))).toEqual(JSON.parse(text));
      }),
    );
  });

  test("white space between tokens changes nothing", () => {
    fc.assert(
      fc.property(canonicalText, (text) => {
        const tokens = text.match(/"(?:[^"\\]|\\.)*"|[[\]{},:]|[^[\]{},:"]+/g) ?? [];
        expect(printJson(parseJson(`\t${tokens.join(" \r\n\t")} `))).toBe(text);
      }),
    );
  });

  test("a 64-bit integer is a number where that is exact, else a bigint", () => {
    expect(parseJson("9007199254740991")).toBe(9007199254740991);
    expect(parseJson("-9007199254740991")).toBe(-9007199254740991);
    expect(parseJson("9007199254740992")).toBe(9007199254740992n);
    expect(parseJson("-9223372036854775808")).toBe(-(2n ** 63n));
    expect(parseJson("3051729675574597004")).toBe(3051729675574597004n);
  });

  test("a token that would print differently stays a token", () => {
    for (const token of ["1.0", "1e3", "-0", "0.1000", "1e400", "-0.0", "9".repeat(5000)]) {
      expect(parseJson(token)).toEqual(new JsonNumber(token));
    }
    expect(parseJson("0.5")).toBe(0.5);
  });

  test("index-like keys keep their place", () => {
    const text = '{"b":1,"10":2,"a":3,"2":{"1":0,"0":0}}';
    expect(printJson(parseJson(text))).toBe(text);
    expect(jsonKeys(parseJson(text) as JsonObject)).toEqual(["b", "10", "a", "2"]);
  });

  test("escapes are decoded, and printed as JSON.stringify prints them", () => {
    const text = '"\\u0041\\/\\b\\n\\ud83d\\ude00\\u0000\\"\\\\ \u2028\u007f"';
    expect(parseJson(text)).toBe(JSON.parse(text));
    expect(printJson(parseJson(text))).toBe(JSON.stringify(JSON.parse(text)));
  });
});

describe("what is refused", () => {
  test.each([
    ["", "JSON_INVALID"],
    [" ", "JSON_INVALID"],
    ["{", "JSON_INVALID"],
    ['{"a"}', "JSON_INVALID"],
    ['{"a":1,}', "JSON_INVALID"],
    ["[1,]", "JSON_INVALID"],
    ["[1 2]", "JSON_INVALID"],
    ["01", "JSON_INVALID"],
    ["-", "JSON_INVALID"],
    ["1.", "JSON_INVALID"],
    [".5", "JSON_INVALID"],
    ["1e", "JSON_INVALID"],
    ["+1", "JSON_INVALID"],
    ["NaN", "JSON_INVALID"],
    ["nul", "JSON_INVALID"],
    ["nulll", "JSON_INVALID"],
    ["1 1", "JSON_INVALID"],
    ['"a', "JSON_INVALID"],
    ['"a\\', "JSON_INVALID"],
    ['"\\x"', "JSON_INVALID"],
    ['"\\u12g4"', "JSON_INVALID"],
    ['"a\nb"', "JSON_INVALID"],
    ['"\u0000"', "JSON_INVALID"],
    ['{"a\u0001":1}', "JSON_INVALID"],
    ["{12345678901234567890:1}", "JSON_INVALID"],
    ["\ufeff{}", "JSON_INVALID"],
    ['"\ud800"', "JSON_INVALID"],
    ['"\\ud800"', "JSON_INVALID"],
    ['{"\\udc00":1}', "JSON_INVALID"],
    ['{"a":1,"a":1}', "JSON_DUPLICATE_KEY"],
    ['{"a":1,"\\u0061":1}', "JSON_DUPLICATE_KEY"],
    ['{"1":1,"1":2}', "JSON_DUPLICATE_KEY"],
    ['{"__proto__":{"admin":true}}', "JSON_FORBIDDEN_KEY"],
    ['{"\\u005f_proto__":1}', "JSON_FORBIDDEN_KEY"],
  ])("%j", (text, code) => {
    expect(codeOf(() => parseJson(text))).toBe(code);
  });

  test("whatever JSON.parse refuses, and never with anything but Invalid", () => {
    const pieces = [
      '"',
      "\\",
      "{",
      "}",
      "[",
      "]",
      ":",
      ",",
      "1",
      "-",
      ".",
      "e",
      "u",
      " ",
      "\ud800",
    ];
    const soup = fc.array(fc.oneof(fc.constantFrom(...pieces), canonicalText), { maxLength: 12 });
    fc.assert(
      fc.property(soup, (parts) => {
        const text = parts.join("");
        const code = codeOf(() => parseJson(text));
        if (!accepts(text)) expect(code).toBe("JSON_INVALID");
        else if (code !== "none") expect(code).not.toBe("JSON_TOO_DEEP");
      }),
      { numRuns: 500 },
    );
  });

  test("a changed character is refused wherever the platform refuses it", () => {
    const change = fc.tuple(canonicalText, fc.nat(), fc.constantFrom(...'"\\{}[]:,01-.e \u0000'));
    fc.assert(
      fc.property(change, ([text, seed, char]) => {
        const at = seed % text.length;
        const broken = text.slice(0, at) + char + text.slice(at + 1);
        const code = codeOf(() => parseJson(broken));
        if (!accepts(broken)) expect(code).not.toBe("none");
      }),
      { numRuns: 500 },
    );
  });

  test("malformed UTF-8 and a byte order mark are refused", () => {
    const bytes = (...codes: number[]): Uint8Array => Uint8Array.from(codes);
    expect(parseJsonBytes(bytes(0x22, 0xc3, 0xa9, 0x22))).toBe("é");
    for (const bad of [
      bytes(0x22, 0xff, 0x22),
      bytes(0x22, 0xc0, 0x80, 0x22),
      bytes(0x22, 0xed, 0xa0, 0x80, 0x22),
      bytes(0xef, 0xbb, 0xbf, 0x31),
      bytes(0x22, 0xc3),
      bytes(),
    ]) {
      expect(codeOf(() => parseJsonBytes(bad))).toBe("JSON_INVALID");
    }
  });
});

describe("bounds", () => {
  const nested = (levels: number): string => "[".repeat(levels) + "]".repeat(levels);

  test("the deepest text is parsed and one level more is refused", () => {
    expect(codeOf(() => parseJson(nested(LIMITS.jsonDepth)))).toBe("none");
    expect(codeOf(() => parseJson(nested(LIMITS.jsonDepth + 1)))).toBe("JSON_TOO_DEEP");
    expect(codeOf(() => parseJson("[".repeat(5_000_000)))).toBe("JSON_TOO_DEEP");
    expect(codeOf(() => parseJson('{"a":'.repeat(1_000_000)))).toBe("JSON_TOO_DEEP");
  });

  test("the deepest bound that may be asked for fits the stack", () => {
    const bounds: JsonBounds = { depth: 1_000, nodes: 10_000 };
    const text = '{"a":['.repeat(500) + "]}".repeat(500);
    expect(printJson(parseJson(text, bounds))).toBe(text);
    expect(() => parseJson("1", { depth: 1_001, nodes: 1 })).toThrow(FirnError);
  });

  test("the largest number of nodes is parsed and one more is refused", () => {
    const bounds: JsonBounds = { depth: 3, nodes: 5 };
    expect(codeOf(() => parseJson('{"a":[1,2,3]}', bounds))).toBe("none");
    expect(codeOf(() => parseJson('{"a":[1,2,3,4]}', bounds))).toBe("JSON_TOO_LARGE");
  });
});

describe("reading members", () => {
  const object = parseJson(
    '{"s":"x","i":7,"n":null,"big":9223372036854775807,"over":9223372036854775808,"f":1.0}',
  ) as JsonObject;

  test("readers return values of their type", () => {
    expect(requireString(object, "s")).toBe("x");
    expect(requireInt(object, "i")).toBe(7);
    expect(requireLong(object, "i")).toBe(7n);
    expect(requireLong(object, "big")).toBe(2n ** 63n - 1n);
    expect(optionalString(object, "n")).toBeUndefined();
    expect(optionalInt(object, "absent")).toBeUndefined();
  });

  test("a member that is missing, of another type or out of range is refused", () => {
    expect(codeOf(() => requireString(object, "absent"))).toBe("FIELD_MISSING");
    expect(codeOf(() => requireString(object, "n"))).toBe("FIELD_MISSING");
    expect(codeOf(() => requireString(object, "toString"))).toBe("FIELD_MISSING");
    expect(codeOf(() => requireString(object, "i"))).toBe("FIELD_INVALID");
    expect(codeOf(() => requireInt(object, "f"))).toBe("FIELD_INVALID");
    expect(codeOf(() => requireInt(object, "big"))).toBe("FIELD_INVALID");
    expect(codeOf(() => asLong(object["over"], "over"))).toBe("FIELD_INVALID");
    expect(codeOf(() => asStringMap(object, ""))).toBe("FIELD_INVALID");
  });

  test("the error names the path", () => {
    try {
      requireInt(object, "s", "updates[3]");
      expect.unreachable();
    } catch (error) {
      expect((error as FirnError).context["path"]).toBe("updates[3].s");
    }
  });
});
