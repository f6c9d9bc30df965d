import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer, json } from "node:stream/consumers";
import { parse } from "protobufjs";
import { expect, onTestFinished, test, vi } from "vitest";
import { Firn } from "../../src/index.ts";
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
  // An export between the requests and their end has the instruments without a point.
  const points = () =>
    metrics.get("firn_http_request_duration_seconds")?.histogram?.dataPoints ?? [];
  await expect.poll(() => points().length, { timeout: 20_000 }).toBeGreaterThan(0);
  expect(metrics.get("firn_http_requests_total")?.sum?.isMonotonic).toBe(true);
  expect(metrics.get("firn_http_connections")?.gauge).toBeDefined();
  for (const { count, bucketCounts, explicitBounds } of points()) {
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

test("an embedded Firn sends what its program asks for, and nothing otherwise", async () => {
  const { spans, services, metrics, url } = await collector();
  vi.stubEnv("OTEL_EXPORTER_OTLP_ENDPOINT", url);
  onTestFinished(() => void vi.unstubAllEnvs());
  const ask = async (telemetry: boolean | undefined) => {
    const firn = await Firn.open({
      logLevel: "silent",
      ...(telemetry !== undefined && { telemetry }),
    });
    const headers = { traceparent: `00-${TRACE}-${CALLER}-01` };
    const request = new Request("http://firn/api/v1/catalogs/default", { headers });
    expect((await firn.fetch(request)).status).toBe(200);
    await firn.close();
  };
  await ask(undefined);
  await ask(false);
  expect([spans.length, metrics.size]).toEqual([0, 0]);
  await ask(true);
  const request = spans.find(({ kind, traceId }) => kind === 2 && traceId === TRACE);
  expect(request).toMatchObject({
    name: "GET /api/v1/catalogs/{catalog}",
    parentSpanId: CALLER,
  });
  expect(spans.some(({ parentSpanId }) => parentSpanId === request?.spanId)).toBe(true);
  expect([...services]).toEqual(["firn"]);
  expect(metrics.get("firn_http_requests_total")?.sum?.isMonotonic).toBe(true);
});

/** As much of OTLP's messages as the test reads: opentelemetry-proto 1.x, common and trace. */
const OTLP = parse(`
  syntax = "proto3";
  message Value { oneof value { string string_value = 1; int64 int_value = 3; } }
  message Attribute { string key = 1; Value value = 2; }
  message Resource { repeated Attribute attributes = 1; }
  message Span {
    bytes trace_id = 1; bytes span_id = 2; bytes parent_span_id = 4; string name = 5;
    repeated Attribute attributes = 9;
  }
  message ScopeSpans { repeated Span spans = 2; }
  message ResourceSpans { Resource resource = 1; repeated ScopeSpans scope_spans = 2; }
  message Traces { repeated ResourceSpans resource_spans = 1; }
  message Metric { string name = 1; }
  message ScopeMetrics { repeated Metric metrics = 2; }
  message ResourceMetrics { Resource resource = 1; repeated ScopeMetrics scope_metrics = 2; }
  message Metrics { repeated ResourceMetrics resource_metrics = 1; }
`).root;

interface SentSpan {
  readonly name: string;
  readonly traceId: string;
  readonly parentSpanId: string;
}

test("spans and figures are sent in protobuf where that is asked for", async () => {
  const spans: SentSpan[] = [];
  const services = new Set<string>();
  const metrics = new Set<string>();
  const decode = (type: string, body: Buffer) => {
    const message = OTLP.lookupType(type);
    return message.toObject(message.decode(body), { bytes: Array, longs: Number, arrays: true });
  };
  const server = createServer(async (request, response) => {
    expect(request.headers["content-type"]).toBe("application/x-protobuf");
    const body = await buffer(request);
    if (request.url === "/v1/traces") {
      for (const { resource, scopeSpans } of decode("Traces", body)["resourceSpans"]) {
        services.add(attribute(resource, "service.name") as string);
        for (const span of scopeSpans.flatMap((scope: { spans: unknown[] }) => scope.spans)) {
          const hex = (bytes: number[] = []) => Buffer.from(bytes).toString("hex");
          const { name } = span;
          spans.push({ name, traceId: hex(span.traceId), parentSpanId: hex(span.parentSpanId) });
        }
      }
    } else {
      for (const { scopeMetrics } of decode("Metrics", body)["resourceMetrics"]) {
        for (const { metrics: sent } of scopeMetrics) {
          for (const { name } of sent) metrics.add(name);
        }
      }
    }
    response.writeHead(200, { "Content-Type": "application/x-protobuf" }).end();
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const firn = await serve({
    OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}`,
    OTEL_EXPORTER_OTLP_PROTOCOL: "http/protobuf",
  });
  const headers = { traceparent: `00-${TRACE}-${CALLER}-01` };
  await (await fetch(`${firn.url}/api/v1/info`, { headers })).text();
  expect(await firn.stop()).toBe(0);
  const own = spans.find(({ name }) => name === "GET /api/v1/info");
  expect(own).toMatchObject({ traceId: TRACE, parentSpanId: CALLER });
  expect([...services]).toEqual(["firn"]);
  expect(metrics).toContain("firn_http_requests_total");
});

test("a protocol that is not spoken is refused at the start", async () => {
  vi.stubEnv("OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:9");
  vi.stubEnv("OTEL_EXPORTER_OTLP_METRICS_PROTOCOL", "grpc");
  onTestFinished(() => void vi.unstubAllEnvs());
  await expect(Firn.open({ logLevel: "silent", telemetry: true })).rejects.toMatchObject({
    kind: "Invalid",
    code: "TELEMETRY_PROTOCOL_UNSUPPORTED",
  });
  vi.stubEnv("OTEL_METRICS_EXPORTER", "none");
  await (await Firn.open({ logLevel: "silent", telemetry: true })).close();
});
