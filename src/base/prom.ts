import { createRequire } from "node:module";
import type * as prom from "prom-client";

/*
 * The parts of prom-client that Firn uses, by their files: its index loads the push gateway,
 * summaries, the figures of a process and OpenTelemetry behind them, a sixth of all the modules of
 * a start.
 */
const require = createRequire(import.meta.url);

export type Counter<T extends string = string> = prom.Counter<T>;
export type Gauge<T extends string = string> = prom.Gauge<T>;
export type Histogram<T extends string = string> = prom.Histogram<T>;
export type Registry = prom.Registry;

export const Counter: typeof prom.Counter = require("prom-client/lib/counter");
export const Gauge: typeof prom.Gauge = require("prom-client/lib/gauge");
export const Histogram: typeof prom.Histogram = require("prom-client/lib/histogram");
export const Registry: typeof prom.Registry = require("prom-client/lib/registry");
