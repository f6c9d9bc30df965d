import type { Size } from "./size.ts";

/** JSON texts whose size or shape strains a parser, by what they strain. */
export const JSON_TEXTS: Readonly<Record<string, (size: Size) => string>> = {
  "a long integer": (size) => `-${"7".repeat(size.upTo(2_000_000))}`,
  "a long fraction": (size) => `0.${"7".repeat(size.upTo(2_000_000))}e-5`,
  "many long integers": (size) => `[${"12345678901234567890,".repeat(size.upTo(100_000))}1]`,
  "nested arrays": (size) => nested(size.upTo(300_000), "[", "]"),
  "nested objects": (size) => nested(size.upTo(300_000), '{"a":', "}"),
  "nested, never closed": (size) => "[".repeat(size.upTo(500_000)),
  "a wide array": (size) => `[${"0,".repeat(size.upTo(500_000))}0]`,
  "many empty objects": (size) => `[${"{},".repeat(size.upTo(300_000))}{}]`,
  "keys like indices": (size) => object(size.upTo(100_000), (i) => String(i * 7_919)),
  "keys from high to low": (size) => object(size.upTo(100_000), (i) => String(4e9 - i)),
  "one key again and again": (size) => object(size.upTo(200_000), () => "a"),
  "long keys": (size) => object(size.upTo(60), (i) => `${"k".repeat(16_390)}${i}`),
  "one long string": (size) => `"${"s".repeat(size.upTo(4_000_000))}"`,
  escapes: (size) => `"${"\\u0041\\n".repeat(size.upTo(300_000))}"`,
  "white space": (size) => `{${" \n".repeat(size.upTo(2_000_000))}}`,
  "a string without an end": (size) => `"${"\\\\".repeat(size.upTo(1_000_000))}`,
};

function nested(depth: number, open: string, close: string): string {
  return `${open.repeat(depth)}0${close.repeat(depth)}`;
}

function object(count: number, key: (index: number) => string): string {
  return `{${Array.from({ length: count }, (_, i) => `"${key(i)}":0`).join(",")}}`;
}
