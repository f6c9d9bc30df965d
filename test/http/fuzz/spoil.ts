import { gzipSync } from "node:zlib";
import fc from "fast-check";
import { printed, type RawText, raw } from "./text.ts";

/** Values that are wrong wherever they stand, or nearly everywhere. */
const wrong: fc.Arbitrary<unknown> = fc.oneof(
  fc.constantFrom<unknown>(null, true, 0, -1, 1.5, "", "x", [], {}, [[]], [null], { a: {} }),
  fc.constantFrom(
    ...["1e400", "-0", "1.0", "01", "NaN", "9223372036854775808", "9".repeat(400)].map(raw),
    ...['"\\ud800"', '"\\u0000"', '"\u0001"', "undefined", "'x'", "/**/1", ""].map(raw),
    raw("[".repeat(60) + "]".repeat(60)),
    raw("[".repeat(70) + "]".repeat(70)),
    raw('{"a":'.repeat(20_000)),
    raw(`[${"1,".repeat(100_001)}1]`),
  ),
  fc.constantFrom(
    "a".repeat(300),
    "a".repeat(70_000),
    "\u00e4",
    "a\u0308",
    "\u202e",
    "\u2028",
    "\u001f",
    ".",
    "..",
    "/",
    "//",
    "%",
    "%00",
    "%2e%2e",
    "~",
    "*",
    "?",
    "$",
    "'",
    '"',
    "\\",
    "__proto__",
    "constructor",
    "toString",
    "hasOwnProperty",
    "file:///etc/passwd",
    "file:///tmp/../etc",
    "file://host/x",
    "s3://b/k",
    "@location@/../x",
    "http://127.0.0.1/",
    "gopher://x",
    "@location@/\u0000",
    "@location@//x",
    "data:,x",
  ),
  fc.jsonValue({ maxDepth: 2 }),
);

/** One thing that is wrong with a body, at the node that `at` falls on. */
export type Spoil =
  | { readonly kind: "replace"; readonly at: number; readonly by: unknown }
  | { readonly kind: "remove"; readonly at: number }
  | { readonly kind: "repeat"; readonly at: number }
  | { readonly kind: "add"; readonly at: number; readonly name: string; readonly value: unknown }
  | { readonly kind: "cut"; readonly at: number }
  | { readonly kind: "bytes"; readonly at: number; readonly bytes: readonly number[] }
  | { readonly kind: "instead"; readonly text: unknown }
  | { readonly kind: "bomb"; readonly encoding: string };

const at = fc.nat({ max: 2 ** 20 });
const BAD_UTF8: readonly (readonly number[])[] = [
  ...[[0xff], [0xc0, 0xaf], [0xed, 0xa0, 0x80], [0xf4, 0x90, 0x80, 0x80], [0x80], [0xe2, 0x82]],
  ...[[0xef, 0xbb, 0xbf], [0x00], [0x1a]],
];

export const spoil: fc.Arbitrary<Spoil> = fc.oneof(
  { arbitrary: fc.record({ kind: fc.constant("replace" as const), at, by: wrong }), weight: 6 },
  { arbitrary: fc.record({ kind: fc.constant("remove" as const), at }), weight: 3 },
  fc.record({ kind: fc.constant("repeat" as const), at }),
  fc.record({
    kind: fc.constant("add" as const),
    at,
    value: wrong,
    name: fc.constantFrom("__proto__", "constructor", "prototype", "toString", "x", ""),
  }),
  fc.record({ kind: fc.constant("cut" as const), at }),
  fc.record({ kind: fc.constant("bytes" as const), at, bytes: fc.constantFrom(...BAD_UTF8) }),
  fc.record({ kind: fc.constant("instead" as const), text: wrong }),
  fc.record({
    kind: fc.constant("bomb" as const),
    encoding: fc.constantFrom("gzip", "deflate", "br", "identity", "GZIP"),
  }),
);

/** Ten mebibytes of white space in ten kibibytes. */
const BOMB = gzipSync(Buffer.alloc(10 * 1_024 * 1_024, 0x20));

/** A body's bytes with what is to be wrong with it; `fill` completes its text. */
export function spoiled(
  body: unknown,
  wrongs: Spoil | undefined,
  fill: (text: string) => string,
): Buffer {
  const text = (value: unknown): Buffer => Buffer.from(fill(printed(value)));
  if (wrongs === undefined) return text(body);
  switch (wrongs.kind) {
    case "instead":
      return text(wrongs.text);
    case "cut": {
      const whole = text(body);
      return whole.subarray(0, wrongs.at % Math.max(1, whole.length));
    }
    case "bytes": {
      const whole = text(body);
      const place = wrongs.at % (whole.length + 1);
      const middle = Buffer.from(wrongs.bytes);
      return Buffer.concat([whole.subarray(0, place), middle, whole.subarray(place)]);
    }
    case "bomb":
      return BOMB;
    default:
      return text(changed(body, wrongs));
  }
}

type NodeSpoil = Extract<Spoil, { readonly kind: "replace" | "remove" | "repeat" | "add" }>;

function changed(body: unknown, wrongs: NodeSpoil): unknown {
  const nodes = { left: wrongs.at % Math.max(1, count(body)) };
  return walked(body, nodes, wrongs);
}

function isBranch(value: unknown): value is object {
  return typeof value === "object" && value !== null && value.constructor === Object;
}

function count(value: unknown): number {
  if (Array.isArray(value)) return value.reduce((sum, item) => sum + count(item), 1);
  if (!isBranch(value)) return 1;
  return Object.values(value).reduce((sum: number, item) => sum + count(item), 1);
}

const GONE = Symbol("gone");

/** The tree anew, changed where the count of nodes before it has run out. */
function walked(value: unknown, nodes: { left: number }, wrongs: NodeSpoil): unknown {
  if (nodes.left-- === 0) return spoiledNode(value, wrongs);
  if (Array.isArray(value)) {
    return value.map((item) => walked(item, nodes, wrongs)).filter((item) => item !== GONE);
  }
  if (!isBranch(value)) return value;
  const members = Object.entries(value).map(([name, item]) => [name, walked(item, nodes, wrongs)]);
  return Object.fromEntries(members.filter(([, item]) => item !== GONE));
}

function spoiledNode(value: unknown, wrongs: NodeSpoil): unknown {
  switch (wrongs.kind) {
    case "replace":
      return wrongs.by;
    case "remove":
      return GONE;
    case "repeat":
      return repeated(value);
    case "add": {
      const inner = isBranch(value) ? printed(value).slice(1, -1) : "";
      const more = `${JSON.stringify(wrongs.name)}:${printed(wrongs.value)}`;
      return raw(`{${inner === "" ? "" : `${inner},`}${more}}`);
    }
  }
}

/** Its first member or item twice. */
function repeated(value: unknown): RawText {
  const text = printed(value);
  const inner = text.slice(1, -1);
  if (Array.isArray(value)) return raw(`[${inner}${inner === "" ? "" : ","}${inner}]`);
  return raw(isBranch(value) && inner !== "" ? `{${inner},${inner}}` : '{"a":1,"a":1}');
}
