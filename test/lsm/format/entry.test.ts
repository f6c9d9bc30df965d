import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { SeededPrng } from "../../../src/base/prng.ts";
import {
  bytesOfKey,
  isBefore,
  keyAfter,
  keyOfBytes,
  prefixEnd,
} from "../../../src/lsm/format/entry.ts";
import { shortestSeparator } from "../../../src/lsm/format/index-block.ts";
import { bytesOfUlid, isUlid, mintUlid, ulidOfBytes } from "../../../src/lsm/format/ulid.ts";
import { readVarint, varintBytes, writeVarint } from "../../../src/lsm/format/varint.ts";
import { VirtualClock } from "../../support/virtual-clock.ts";

const fewBytes = fc.array(fc.constantFrom(0, 1, 97, 98, 254, 255), { minLength: 1, maxLength: 5 });
const bytes = fc.oneof(
  fc.uint8Array({ minLength: 1, maxLength: 9 }),
  fewBytes.map((list) => Uint8Array.from(list)),
);

describe("keys", () => {
  it("are texts whose order is that of their bytes", () => {
    fc.assert(
      fc.property(bytes, bytes, (a, b) => {
        const [keyA, keyB] = [keyOfBytes(a), keyOfBytes(b)];
        expect(new Uint8Array(bytesOfKey(keyA))).toEqual(new Uint8Array(a));
        expect(keyA < keyB).toBe(Buffer.compare(a, b) < 0);
        expect(isBefore(keyA, 5, keyB, 3)).toBe(Buffer.compare(a, b) <= 0);
      }),
    );
  });

  it("have 1 to 65,535 bytes", () => {
    expect(keyOfBytes(new Uint8Array(65_535))).toHaveLength(65_535);
    for (const size of [0, 65_536]) {
      expect(() => keyOfBytes(new Uint8Array(size))).toThrow(
        expect.objectContaining({ kind: "Invalid", code: "LSM_KEY_INVALID" }),
      );
    }
  });

  it("have bounds: the key after, and the end of a prefix", () => {
    fc.assert(
      fc.property(bytes, bytes, (a, b) => {
        const [key, other] = [keyOfBytes(a), keyOfBytes(b)];
        expect(other > key).toBe(other >= keyAfter(key));
        const end = prefixEnd(key);
        const inside = other >= key && (end === undefined || other < end);
        expect(inside).toBe(other.startsWith(key) || (end === undefined && other > key));
      }),
    );
    expect(prefixEnd("")).toBeUndefined();
    expect(prefixEnd("a\xff")).toBe("b");
    expect(prefixEnd("\xff\xff")).toBeUndefined();
  });

  it("are told apart by a separator that is no longer than they are", () => {
    fc.assert(
      fc.property(bytes, bytes, (a, b) => {
        const [last, next] = [keyOfBytes(a), keyOfBytes(b)].toSorted() as [string, string];
        fc.pre(last < next);
        const separator = shortestSeparator(last, next);
        expect(separator >= last && separator < next).toBe(true);
        expect(separator.length).toBeLessThanOrEqual(Math.max(last.length, next.length));
      }),
      { numRuns: 500 },
    );
    expect(shortestSeparator("the quick brown", "the slow fox")).toBe("the s");
    expect(shortestSeparator("abc", "abd")).toBe("abc");
    expect(shortestSeparator("abc", "abf")).toBe("abd");
  });
});

describe("varints", () => {
  it("hold whole numbers below 2^53", () => {
    const target = new Uint8Array(10);
    const values = fc.oneof(fc.maxSafeNat(), fc.nat(300), fc.nat(2 ** 31 - 1));
    fc.assert(
      fc.property(values, (value) => {
        const after = writeVarint(target, 1, value);
        expect(after - 1).toBe(varintBytes(value));
        expect(readVarint(target, 1, target.length)).toEqual({ value, after });
        expect(readVarint(target, 1, after - 1)).toBeUndefined();
      }),
    );
    expect(readVarint(new Uint8Array(20).fill(0xff), 0, 20)).toBeUndefined();
  });
});

describe("ids of tables", () => {
  it("are texts in the order of their making", async () => {
    const clock = new VirtualClock();
    const prng = new SeededPrng(1);
    const first = mintUlid(clock, prng);
    await clock.advance(1);
    const second = mintUlid(clock, prng);
    expect(first < second).toBe(true);
    expect([first, second].every(isUlid)).toBe(true);
    expect(isUlid(first.toLowerCase())).toBe(false);
  });

  it("take 16 bytes", () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 16, maxLength: 16 }), (id) => {
        expect(new Uint8Array(bytesOfUlid(ulidOfBytes(id)))).toEqual(id);
      }),
    );
    expect(ulidOfBytes(new Uint8Array(16).fill(255))).toBe("7ZZZZZZZZZZZZZZZZZZZZZZZZZ");
  });
});
