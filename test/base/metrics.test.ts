import fc from "fast-check";
import { Counter, Histogram } from "prom-client";
import { expect, test } from "vitest";
import { Counts, createMetrics, Times } from "../../src/base/metrics.ts";

const BOUNDS = [0.001, 0.01, 0.5, 1];
const label = fc.constantFrom("a", "b", 'with "quotes"\n', "");
const seconds = fc.oneof(
  fc.constantFrom(0, 0.001, 0.01, 1, 1.000_1),
  fc.double({ min: 0, max: 3, noNaN: true }),
);
const event = fc.record({ route: label, method: label, seconds, by: fc.nat(1_000) });

test("what is counted here prints as what the registry counts itself", async () => {
  const figure = { help: "Something \\ that is\ncounted", labels: ["route", "method"] };
  await fc.assert(
    fc.asyncProperty(fc.array(event, { maxLength: 40 }), async (events) => {
      const ours = createMetrics();
      const counts = new Counts(ours, { ...figure, name: "events_total" });
      const times = new Times(ours, { ...figure, name: "event_seconds" }, BOUNDS);
      const theirs = createMetrics();
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
      expect(await ours.metrics()).toBe(printed);
      // Printing changes nothing.
      expect(await ours.metrics()).toBe(printed);
    }),
    { numRuns: 200 },
  );
});
