import { Registry } from "prom-client";

/** A registry of its own for each `Firn`, so that several live side by side in one process. */
export type Metrics = Registry;

/** An empty registry; whoever owns a figure registers it. Printed at `/metrics`. */
export function createMetrics(): Metrics {
  return new Registry();
}

/** Buckets of a store's latency: a hash map's time to a request that is given up, 10 µs to 10 s. */
export const STORE_LATENCY_BUCKETS_S: number[] = [
  0.000_01, 0.000_1, 0.000_5, 0.001, 0.002_5, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5,
  10,
];
