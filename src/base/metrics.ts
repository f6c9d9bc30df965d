import { Registry } from "prom-client";

/** A registry of its own for each `Firn`, so that several live side by side in one process. */
export type Metrics = Registry;

/** An empty registry; whoever owns a figure registers it. Printed at `/metrics`. */
export function createMetrics(): Metrics {
  return new Registry();
}
