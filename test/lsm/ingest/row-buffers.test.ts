import fc from "fast-check";
import { expect, it } from "vitest";
import { keyOfBytes } from "../../../src/lsm/format/entry.ts";
import { RowBuffers } from "../../../src/lsm/ingest/row-buffers.ts";

const key = fc.uint8Array({ minLength: 1, maxLength: 3 });

it("rows of a range share a buffer, in the order of the ranges", () => {
  fc.assert(
    fc.property(fc.uniqueArray(key, { maxLength: 7, selector: String }), key, (froms, one) => {
      const starts = froms.map(keyOfBytes).sort();
      const buffers = new RowBuffers(
        froms.map((from) => ({ from: keyOfBytes(from), to: "" })),
        1_000,
      );
      const padded = Buffer.concat([Buffer.of(9), one, Buffer.of(9)]);
      const span = buffers.spanOf(padded, 1, 1 + one.length);
      const due = starts.slice(1).filter((start) => start <= keyOfBytes(one)).length;
      expect(span).toBe(due);
    }),
  );
});

it("many ranges share few buffers, which together take no more than two", () => {
  const froms = Array.from({ length: 100 }, (_, i) => keyOfBytes(Buffer.of(i, 7)));
  const buffers = new RowBuffers(
    froms.map((from) => ({ from, to: "" })),
    1_000_000,
  );
  const spans = Array.from({ length: 100 }, (_, i) => buffers.spanOf(Buffer.of(i, 9), 0, 2));
  expect(spans).toEqual(spans.toSorted((a, b) => a - b));
  const used = [...new Set(spans)];
  expect(used.length).toBeGreaterThan(4);
  expect(used.length).toBeLessThanOrEqual(8);
  const memory = used.map((span) => buffers.renew(span, 10).memoryBytes);
  expect(memory.reduce((sum, bytes) => sum + bytes, 0)).toBeLessThanOrEqual(2_000_008);
  expect(buffers.takeAll().length).toBe(used.length);
  expect(buffers.takeAll()).toEqual([]);
});
