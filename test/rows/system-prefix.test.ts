import { expect, test } from "vitest";
import { systemPrefix } from "../../src/rows/system-prefix.ts";

test("what a shard knows of its tables stays where stores have it", () => {
  const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString("hex");
  expect(hex(systemPrefix("descriptors"))).toBe("01000000010000");
  expect(hex(systemPrefix("descriptors", 1))).toBe("01000000010001");
  expect(hex(systemPrefix("counters"))).toBe("01000000020000");
  expect(hex(systemPrefix("sequences"))).toBe("01000000030000");
  expect(hex(systemPrefix("sequences", 1))).toBe("01000000030001");
  expect(hex(systemPrefix("unpublished"))).toBe("01000000040000");
  expect(hex(systemPrefix("objects"))).toBe("01000000050000");
  expect(hex(systemPrefix("objects", 1))).toBe("01000000050001");
  expect(hex(systemPrefix("indexBuilds"))).toBe("01000000060000");
});
