import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { utf8 } from "../../../src/base/bytes.ts";
import { type BatchOp, decodeBatch, encodeBatch } from "../../../src/lsm/wal/batch.ts";
import { exampleIn } from "./worked-example.ts";

const key = fc.uint8Array({ minLength: 1, maxLength: 40 });
const value = fc.uint8Array({ maxLength: 80 });
const expiry = fc.option(fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }), { nil: undefined });

function withExpiry<T extends object>(op: T, expiresAtMs: number | undefined) {
  return expiresAtMs === undefined ? op : { ...op, expiresAtMs };
}

const anyOp: fc.Arbitrary<BatchOp> = fc.oneof(
  fc
    .tuple(key, value, expiry)
    .map(([k, v, at]) => withExpiry({ op: "put" as const, key: k, value: v }, at)),
  key.map((k) => ({ op: "delete" as const, key: k })),
  fc
    .tuple(key, value, fc.integer({ min: 0, max: 255 }), expiry)
    .map(([k, v, operator, at]) =>
      withExpiry({ op: "merge" as const, key: k, operator, value: v }, at),
    ),
  fc.tuple(key, value).map(([a, b]) => {
    const [from, to] = b.length === 0 || Buffer.compare(a, b) < 0 ? [a, b] : [b, a];
    const end = Buffer.compare(from, to) === 0 ? new Uint8Array(0) : to;
    return { op: "deleteRange" as const, from, to: end };
  }),
);

/** Without the class of its arrays. */
function plain(ops: readonly BatchOp[]): unknown {
  return ops.map((op) =>
    Object.fromEntries(
      Object.entries(op).map(([name, field]) => [
        name,
        field instanceof Uint8Array ? Buffer.from(field).toString("hex") : field,
      ]),
    ),
  );
}

describe("the payload of a batch", () => {
  it("encodes to its worked example", () => {
    const ops: readonly BatchOp[] = [
      { op: "put", key: utf8("k1"), value: utf8("v"), expiresAtMs: 1_000 },
      { op: "delete", key: utf8("k2") },
    ];
    const example = exampleIn("src/lsm/wal/batch.ts");
    expect(Buffer.from(encodeBatch(ops)).toString("hex")).toBe(example.toString("hex"));
    expect(plain(decodeBatch(example, 2))).toEqual(plain(ops));
  });

  it("comes back as it was", () => {
    fc.assert(
      fc.property(fc.array(anyOp, { maxLength: 20 }), (ops) => {
        expect(plain(decodeBatch(encodeBatch(ops), ops.length))).toEqual(plain(ops));
      }),
    );
  });

  it("is refused with another count, cut short, or with something behind it", () => {
    fc.assert(
      fc.property(fc.array(anyOp, { minLength: 1, maxLength: 5 }), (ops) => {
        const payload = encodeBatch(ops);
        const corrupt = expect.objectContaining({ code: "WAL_BATCH_CORRUPT" });
        expect(() => decodeBatch(payload, ops.length + 1)).toThrow(corrupt);
        expect(() => decodeBatch(payload.subarray(0, -1), ops.length)).toThrow(corrupt);
        expect(() => decodeBatch(Buffer.concat([payload, Buffer.of(0)]), ops.length)).toThrow(
          corrupt,
        );
      }),
    );
  });

  it("is read or refused, whatever its bytes", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 64 }), fc.nat({ max: 4 }), (bytes, count) => {
        let ops: readonly BatchOp[];
        try {
          ops = decodeBatch(bytes, count);
        } catch (error) {
          expect(error).toMatchObject({ code: "WAL_BATCH_CORRUPT" });
          return;
        }
        expect(Buffer.from(encodeBatch(ops)).equals(Buffer.from(bytes))).toBe(true);
      }),
      { numRuns: 2_000 },
    );
  });
});
