import { expect, test } from "vitest";
import { IdSource, idFromBytes, idToBytes, parseId, type TableId } from "../../src/base/ids.ts";
import { SeededPrng } from "../../src/base/prng.ts";
import { VirtualClock } from "../support/virtual-clock.ts";

test("ids are version 7, ordered by time, and decided by the seed", () => {
  const mint = (seed: number) => {
    const clock = new VirtualClock();
    const ids = new IdSource(clock, new SeededPrng(seed));
    return Array.from({ length: 50 }, () => {
      clock.skip(1);
      return ids.mint<TableId>();
    });
  };
  const first = mint(1);
  expect(first).toEqual(mint(1));
  expect(first).not.toEqual(mint(2));
  expect([...first].sort()).toEqual(first);
  expect(new Set(first).size).toBe(50);
  for (const id of first) expect(id[14]).toBe("7");
});

test("an id survives its 16 bytes", () => {
  const id = new IdSource(new VirtualClock(), new SeededPrng(3)).mint<TableId>();
  expect(idToBytes(id)).toHaveLength(16);
  expect(idFromBytes(idToBytes(id))).toBe(id);
});

test.each([
  "",
  "x",
  "0199d8a0-0000-7000-8000-00000000000",
  "0199d8a0-0000-7000-8000-0000000000001",
  "0199d8a0_0000_7000_8000_000000000001",
  "ffffffff-ffff-7000-8000-000000000001",
  "FFFFFFFF-FFFF-ffff-ffff-ffffffffffff",
])("an id of a client is refused: %j", (text) => {
  expect(() => parseId(text)).toThrow(
    expect.objectContaining({ kind: "Invalid", code: "ID_INVALID" }),
  );
});

test("an id of a client is read in any case", () => {
  const text = "0199D8A0-0000-7000-8000-00000000ABCD";
  expect(parseId(text)).toBe(text.toLowerCase());
});
