import fc from "fast-check";
import { expect, test } from "vitest";
import { encodeSummary } from "../../src/catalog/codec/summary.ts";
import { summaryOfItem } from "../../src/catalog/entities.ts";
import { type ListFilter, shownOf } from "../../src/catalog/shown-pages.ts";
import { MemoryPointerStore } from "../../src/pointer/memory.ts";
import type { Live } from "../../src/pointer/port.ts";
import { SystemClock } from "../../src/runtime/clock.ts";
import { SUMMARY } from "./support/samples.ts";

function item(leaf: number, entityId: string, version = 1n): Live {
  const summary = encodeSummary({ ...SUMMARY, entityId: entityId as never });
  return { state: "live", key: `names/${leaf}`, version, writerId: "w", summary };
}

function newStore(): MemoryPointerStore {
  return new MemoryPointerStore({ families: [], clock: new SystemClock() });
}

/** Shows ids with one of some digits at their end. */
function filterOf(digits: readonly number[]): ListFilter {
  return {
    holder: {},
    shows: ({ entityId }) => digits.includes(Number(entityId.at(-1))),
  };
}

const id = (n: number): string => `019a0000-0000-7000-8000-${String(n).padStart(12, "0")}`;

test("what is shown is what the filter shows, whatever was asked for before", () => {
  const step = fc.record({
    /** Which of the directories, which filter, and an item of it that was written meanwhile. */
    directory: fc.nat(2),
    filter: fc.nat(3),
    written: fc.option(fc.nat(19)),
    length: fc.integer({ min: 1, max: 20 }),
  });
  const digits = fc.uniqueArray(fc.nat(9), { maxLength: 10 });
  const run = fc.property(
    fc.array(digits, { minLength: 4, maxLength: 4 }),
    fc.array(step, { minLength: 10, maxLength: 60 }),
    (of, steps) => {
      const store = newStore();
      const filters = of.map(filterOf);
      const directories = [0, 1, 2].map((at) =>
        Array.from({ length: 20 }, (_, i) => item(at * 100 + i, id(at * 100 + i))),
      );
      let written = 1_000;
      for (const { directory, filter: at, written: where, length } of steps) {
        const items = directories[directory] ?? [];
        // Another entity has the name now.
        if (where !== null) items[where] = item(directory * 100 + where, id(++written), 2n);
        const filter = filters[at] ?? filterOf([]);
        const page = items.slice(0, length);
        const plain = page.filter((one) => filter.shows(summaryOfItem(one)));
        expect(shownOf(store, page, filter)).toEqual(plain);
      }
    },
  );
  fc.assert(run);
});

test("a page that nobody wrote is judged once by each holder", () => {
  const store = newStore();
  const items = Array.from({ length: 30 }, (_, i) => item(i, id(i)));
  let asked = 0;
  const holders = [{}, {}];
  const look = (holder: object) =>
    shownOf(store, [...items], {
      holder,
      shows: ({ entityId }) => {
        asked++;
        return entityId.endsWith("3");
      },
    }).map(({ key }) => key);
  for (const holder of [...holders, ...holders]) {
    expect(look(holder)).toEqual(["names/3", "names/13", "names/23"]);
  }
  expect(asked).toBe(60);
  items[4] = item(4, id(93), 2n);
  for (const holder of holders) expect(look(holder)).toContain("names/4");
  expect(asked).toBe(120);
});
