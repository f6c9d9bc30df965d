import fc from "fast-check";
import { expect, test } from "vitest";
import { compareUtf8 } from "../../src/base/bytes.ts";
import { Stopwatch } from "../../src/base/clock.ts";
import { LruMap } from "../../src/base/lru.ts";
import { VirtualClock } from "../support/virtual-clock.ts";

test("texts compare as their UTF-8 bytes do", () => {
  const text = fc.string({ unit: "binary", maxLength: 6 });
  fc.assert(
    fc.property(text, text, (a, b) => {
      const bytes = Buffer.compare(Buffer.from(a), Buffer.from(b));
      expect(Math.sign(compareUtf8(a, b))).toBe(bytes);
    }),
  );
});

test("a stopwatch takes the larger span of its two clocks", () => {
  const clock = new VirtualClock();
  const watch = new Stopwatch(clock);
  clock.jumpWall(-5_000);
  clock.skip(1_000);
  expect(watch.elapsedMs()).toBe(1_000);
  clock.jumpWall(60_000);
  expect(watch.elapsedMs()).toBe(56_000);
});

test("a bounded map forgets what was used least recently, and never exceeds its weight", () => {
  const map = new LruMap<string, string>(6, (value) => value.length);
  map.set("a", "xx");
  map.set("b", "xx");
  map.set("c", "xx");
  expect(map.get("a")).toBe("xx");
  map.set("d", "x");
  expect(map.get("b")).toBeUndefined();
  expect(map.get("a")).toBe("xx");
  map.set("a", "x");
  map.set("e", "xxxxxxx");
  expect(map.get("e")).toBeUndefined();
  expect(map.size).toBe(3);
  map.set("f", "xxxxxx");
  expect(map.size).toBe(1);
});

test("a bounded map is a list of uses, cut where it is too heavy", () => {
  const key = fc.integer({ min: 0, max: 7 });
  const step = fc.oneof(
    fc.record({ op: fc.constantFrom("get", "delete"), key }),
    fc.record({ op: fc.constant("set"), key, value: fc.integer({ min: 0, max: 6 }) }),
  );
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const map = new LruMap<number, number>(10, (value) => value);
      /** Oldest use first. */
      let uses: (readonly [key: number, value: number])[] = [];
      for (const { op, key: at, ...rest } of steps) {
        const found = uses.find(([used]) => used === at);
        if (op === "get") expect(map.get(at)).toBe(found?.[1]);
        if (op === "get" && found === undefined) continue;
        uses = uses.filter(([used]) => used !== at);
        if (op === "get" && found !== undefined) uses.push(found);
        if (op === "delete") map.delete(at);
        if ("value" in rest) {
          map.set(at, rest.value);
          uses.push([at, rest.value]);
          while (uses.reduce((sum, [, value]) => sum + value, 0) > 10) uses.shift();
        }
        expect(map.size).toBe(uses.length);
      }
      for (const [used, value] of uses) expect(map.get(used)).toBe(value);
    }),
  );
});
