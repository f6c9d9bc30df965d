import { Counts, type Metrics, Times } from "../base/metrics.ts";

/** Methods that get a label of their own; a client can invent any other. */
const METHODS: ReadonlySet<string> = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"]);
const SECONDS = [
  0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30,
];

/** One finished request. `route` is a template, never a path. */
export interface Observation {
  readonly route: string;
  readonly method: string;
  readonly status: number;
  /** Absent: only counted. */
  readonly durationMs?: number;
}

/** Counts requests and their time by route. Labels are bounded: templates, methods, statuses. */
export function createHttpMetrics(registry: Metrics): (observation: Observation) => void {
  const requests = new Counts(registry, {
    name: "firn_http_requests_total",
    help: "HTTP requests answered",
    labels: ["route", "method", "status"],
  });
  const duration = {
    name: "firn_http_request_duration_seconds",
    help: "Time from a request's head to the end of its answer",
    labels: ["route", "method"],
  };
  const times = new Times(registry, duration, SECONDS);
  return ({ route, method: sent, status, durationMs }) => {
    const method = METHODS.has(sent) ? sent : "other";
    requests.add(1, route, method, String(status));
    if (durationMs !== undefined) times.observe(durationMs / 1_000, route, method);
  };
}
