import fc from "fast-check";
import { Counter, Gauge, Histogram, Registry } from "prom-client";
import { expect, test } from "vitest";
import { Counts, createMetrics, readWhenPrinted, Times } from "../../src/base/metrics.ts";

const BOUNDS = [0.001, 0.01, 0.5, 1];
const label = fc.constantFrom("a", "b", 'with "quotes"\n', "");
const seconds = fc.oneof(
  fc.constantFrom(0, 0.001, 0.01, 1, 1.000_1),
  fc.double({ min: 0, max: 3, noNaN: true }),
);
const event = fc.record({ route: label, method: label, seconds, by: fc.nat(1_000) });

test("what is read when it is printed, and figures without labels, too", async () => {
  const [ours, theirs] = [createMetrics(), new Registry()];
  const bare = { name: "bare_total", help: "Counted once it is there" };
  const read = { name: "read", help: "Read", labels: ["part"] };
  const values = [1e21, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, Number.NaN, 0.1];
  new Counts(ours, bare);
  new Times(ours, { name: "empty_seconds", help: "None yet" }, BOUNDS);
  readWhenPrinted(ours, "gauge", read, () => values.map((value, i) => [value, `${i}`]));
  readWhenPrinted(ours, "gauge", { ...read, name: "none" }, () => []);
  new Counter({ ...bare, registers: [theirs] });
  new Histogram({ name: "empty_seconds", help: "None yet", buckets: BOUNDS, registers: [theirs] });
  const common = { help: "Read", labelNames: ["part"], registers: [theirs] };
  const gauge = new Gauge({ ...common, name: "read" });
  values.forEach((value, i) => void gauge.set({ part: `${i}` }, value));
  new Gauge({ ...common, name: "none" });
  expect(ours.print()).toBe(await theirs.metrics());
  expect(ours.contentType).toBe(theirs.contentType);
  expect(() => new Counts(ours, bare)).toThrow("a figure is registered once");
});

test("figures are printed as prom-client prints them", async () => {
  const figure = { help: "Something \\ that is\ncounted", labels: ["route", "method"] };
  await fc.assert(
    fc.asyncProperty(fc.array(event, { maxLength: 40 }), async (events) => {
      const ours = createMetrics();
      const counts = new Counts(ours, { ...figure, name: "events_total" });
      const times = new Times(ours, { ...figure, name: "event_seconds" }, BOUNDS);
      const theirs = new Registry();
      const common = { help: figure.help, labelNames: figure.labels, registers: [theirs] };
      const counter = new Counter({ ...common, name: "events_total" });
      const histogram = new Histogram({ ...common, name: "event_seconds", buckets: BOUNDS });
      for (const { route, method, seconds, by } of events) {
        counts.add(by, route, method);
        times.observe(seconds, route, method);
        counter.inc({ route, method }, by);
        histogram.observe({ route, method }, seconds);
      }
      const printed = await theirs.metrics();
      expect(ours.print()).toBe(printed);
      // Printing changes nothing.
      expect(ours.print()).toBe(printed);
    }),
    { numRuns: 200 },
  );
});
