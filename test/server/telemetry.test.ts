import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { json } from "node:stream/consumers";
import { expect, onTestFinished, test } from "vitest";
import { startServer } from "../clients/server-process.ts";
import { scratchDirectory } from "../support/open-iceberg.ts";

/** A span as OTLP has it in JSON. */
interface OtlpSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: number;
  readonly attributes: readonly { readonly key: string; readonly value: Record<string, unknown> }[];
  readonly status: { readonly code?: number };
}

interface OtlpMetric {
  readonly name: string;
  readonly sum?: { readonly isMonotonic: boolean; readonly dataPoints: readonly unknown[] };
  readonly gauge?: object;
  readonly histogram?: {
    readonly dataPoints: readonly {
      readonly count: number;
      readonly bucketCounts: readonly number[];
      readonly explicitBounds: readonly number[];
    }[];
  };
}

interface Resource {
  readonly attributes: OtlpSpan["attributes"];
}

interface TraceRequest {
  readonly resourceSpans: readonly {
    readonly resource: Resource;
    readonly scopeSpans: readonly { readonly spans: readonly OtlpSpan[] }[];
  }[];
}

interface MetricsRequest {
  readonly resourceMetrics: readonly {
    readonly scopeMetrics: readonly { readonly metrics: readonly OtlpMetric[] }[];
  }[];
}

/** A collector: what it was sent by OTLP over HTTP. */
async function collector() {
  const spans: OtlpSpan[] = [];
  const services = new Set<unknown>();
  const metrics = new Map<string, OtlpMetric>();
  const server = createServer(async (request, response) => {
    expect(request.headers["content-type"]).toBe("application/json");
    const body: unknown = await json(request);
    if (request.url === "/v1/traces") {
      for (const { resource, scopeSpans } of (body as TraceRequest).resourceSpans) {
        services.add(attribute(resource, "service.name"));
        for (const scope of scopeSpans) spans.push(...scope.spans);
      }
    } else if (request.url === "/v1/metrics") {
      for (const { scopeMetrics } of (body as MetricsRequest).resourceMetrics) {
        for (const scope of scopeMetrics) {
          for (const metric of scope.metrics) metrics.set(metric.name, metric);
        }
      }
    }
    response.writeHead(200, { "Content-Type": "application/json" }).end("{}");
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { spans, services, metrics, url };
}

function attribute({ attributes }: Resource, name: string): unknown {
  const value = attributes.find(({ key }) => key === name)?.value;
  return value?.["stringValue"] ?? value?.["intValue"];
}

const TRACE = "0af7651916cd43dd8448eb211c80319c";
const CALLER = "b7ad6b7169203331";

async function serve(env: Readonly<Record<string, string>>) {
  const directory = scratchDirectory();
  const server = await startServer(directory, ["--profile", "memory", "--log-level", "error"], env);
  onTestFinished(() => void server.stop());
  return server;
}

test("spans and figures reach a collector, within the trace of the client", async () => {
  const { spans, services, metrics, url } = await collector();
  const server = await serve({
    OTEL_EXPORTER_OTLP_ENDPOINT: url,
    OTEL_BSP_SCHEDULE_DELAY: "50",
    OTEL_METRIC_EXPORT_INTERVAL: "200",
  });
  const headers = { traceparent: `00-${TRACE}-${CALLER}-01` };
  await (await fetch(`${server.url}/api/v1/catalogs/default`, { headers })).text();
  await (await fetch(`${server.url}/iceberg/v1/namespaces/none/tables/none`, { headers })).text();
  const ours = () => spans.filter(({ traceId }) => traceId === TRACE);
  await expect
    .poll(() => ours().filter(({ kind }) => kind === 2).length, { timeout: 20_000 })
    .toBe(2);
  const [got, refused] = ours().filter(({ kind }) => kind === 2);
  if (got === undefined || refused === undefined) throw new Error("two spans of requests");
  expect([...services]).toEqual(["firn"]);
  expect(got).toMatchObject({ name: "GET /api/v1/catalogs/{catalog}", parentSpanId: CALLER });
  expect(attribute(got, "http.request.method")).toBe("GET");
  expect(attribute(got, "http.route")).toBe("/api/v1/catalogs/{catalog}");
  expect(Number(attribute(got, "http.response.status_code"))).toBe(200);
  expect(Number(attribute(refused, "http.response.status_code"))).toBe(404);
  expect(attribute(refused, "error.type")).toBe("TABLE_NOT_FOUND");
  // A refusal is the client's fault, and no error of the server.
  expect(refused.status.code ?? 0).toBe(0);
  const useCase = ours().find(({ parentSpanId }) => parentSpanId === got.spanId);
  expect(useCase).toMatchObject({ kind: 1, name: expect.stringMatching(/^catalog \w+\.\w+$/) });
  const store = ours().find(({ parentSpanId }) => parentSpanId === useCase?.spanId);
  expect(store).toMatchObject({ kind: 3, name: expect.stringMatching(/^pointer get/) });
  await expect
    .poll(() => metrics.get("firn_http_requests_total"), { timeout: 20_000 })
    .toBeDefined();
  expect(metrics.get("firn_http_requests_total")?.sum?.isMonotonic).toBe(true);
  expect(metrics.get("firn_http_connections")?.gauge).toBeDefined();
  const points = metrics.get("firn_http_request_duration_seconds")?.histogram?.dataPoints ?? [];
  expect(points.length).toBeGreaterThan(0);
  for (const { count, bucketCounts, explicitBounds } of points) {
    expect(bucketCounts.length).toBe(explicitBounds.length + 1);
    expect(bucketCounts.reduce((sum, each) => sum + Number(each), 0)).toBe(Number(count));
  }
});

test("a stop sends what waits, and a collector that is away does not keep it", async () => {
  const { spans, url } = await collector();
  const server = await serve({ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${url}/v1/traces` });
  await (await fetch(`${server.url}/api/v1/info`)).text();
  expect(await server.stop()).toBe(0);
  expect(spans.map(({ name }) => name)).toContain("GET /api/v1/info");
  const alone = await serve({ OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:9" });
  expect((await fetch(`${alone.url}/api/v1/info`)).status).toBe(200);
  expect(await alone.stop()).toBe(0);
});

test("nothing is sent where the variables do not ask for it", async () => {
  const { spans, metrics, url } = await collector();
  const server = await serve({ OTEL_EXPORTER_OTLP_ENDPOINT: url, OTEL_SDK_DISABLED: "true" });
  await (await fetch(`${server.url}/api/v1/info`)).text();
  await server.stop();
  expect([spans.length, metrics.size]).toEqual([0, 0]);
});
