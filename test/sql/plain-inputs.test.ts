import { describe, expect, it } from "vitest";
import { SeededPrng } from "../../src/base/prng.ts";
import type { TypeCodec } from "../../src/sql/types/codec.ts";
import { timestamp, timestamptz } from "../../src/sql/types/dates.ts";
import { int2, int4, int8 } from "../../src/sql/types/integers.ts";
import { contextWithoutSession } from "../../src/sql/types/no-session.ts";
import { VirtualClock } from "../support/virtual-clock.ts";

const context = contextWithoutSession(new VirtualClock(), new SeededPrng(1), 0n);

/** What a text is read as, or the SQLSTATE. */
function read<T>(codec: TypeCodec<T>, text: string, typmod = -1): T | string {
  try {
    return codec.input(text, typmod, context);
  } catch (error) {
    return (error as { sqlState: string }).sqlState;
  }
}

/** A blank before it is no part of a value, and leaves the text to the reader of all forms. */
function agree<T>(codec: TypeCodec<T>, texts: Iterable<string>): void {
  for (const text of texts) {
    for (const typmod of codec === (timestamp as unknown) ? [-1, 0, 3] : [-1]) {
      expect([text, read(codec, text, typmod)]).toEqual([text, read(codec, ` ${text}`, typmod)]);
    }
  }
}

describe("texts of the most common form", () => {
  const prng = new SeededPrng(3);
  const below = (end: number): number => prng.uint32() % end;
  const digits = (value: number, width: number): string => String(value).padStart(width, "0");

  it("are timestamps as all others are", () => {
    const texts = Array.from({ length: 5_000 }, () => {
      const year = below(10) === 0 ? below(3) : 1_400 + below(8_600);
      const date = [digits(year, 4), digits(below(14), 2), digits(below(33), 2)].join("-");
      const time = [digits(below(25), 2), digits(below(61), 2), digits(below(62), 2)].join(":");
      const width = 1 + below(7);
      const fraction = below(2) === 0 ? "" : `.${digits(below(10 ** width), width)}`;
      const zone = ["", "Z", "+00", "-00:00", "+02", "-03:30"][below(6)] as string;
      return `${date}${below(2) === 0 ? "T" : " "}${time}${fraction}${zone}`;
    });
    agree(timestamp, texts);
    agree(timestamptz, texts);
    expect(read(timestamptz, "2024-02-29T12:00:00.5Z")).toBe(1_709_208_000_500_000n);
  });

  it("are integers as all others are", () => {
    const edges = ["", "-", "-0", "+1", "00", "32767", "32768", "-32768", "-32769", "1_0", "1e1"];
    const texts = Array.from({ length: 5_000 }, () => {
      const text = digits(below(10 ** (1 + below(9))), 1 + below(12));
      return below(2) === 0 ? `-${text}` : text;
    });
    for (const codec of [int2, int4]) agree(codec, [...edges, ...texts]);
    agree(int8, [...edges, ...texts]);
    expect(Object.is(read(int4, "-0"), 0)).toBe(true);
  });
});
