import { AsyncLocalStorage } from "node:async_hooks";
import type { Context, Span } from "@opentelemetry/api";
import { FirnError } from "../base/error.ts";
import type { Metrics } from "../base/metrics.ts";
import type { SpanOf, TracedEnd, TracedRequest, Tracing } from "../base/tracing.ts";
import { settlesWithin } from "./clock.ts";
import type { OtlpProtocol } from "./telemetry-metrics.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/** Spans and figures on their way to a collector. */
export interface Telemetry {
  /** Absent where traces are not asked for. */
  readonly tracing: Tracing | undefined;
  /** Sends what waits. Never fails: a collector that is away must not keep a stop waiting long. */
  close(): Promise<void>;
}

/** How long a stop waits for the collector. */
const CLOSE_MS = 3_000;
/** How long a span waits for others to be sent with it. */
const SEND_MS = 5_000;
const ENDPOINT = "OTEL_EXPORTER_OTLP_ENDPOINT";

/** Whether the variables of OpenTelemetry ask for a signal to be sent. */
function isAsked(env: Environment, signal: "TRACES" | "METRICS"): boolean {
  if (env["OTEL_SDK_DISABLED"]?.toLowerCase() === "true") return false;
  if (env[`OTEL_${signal}_EXPORTER`] === "none") return false;
  return Boolean(env[`OTEL_EXPORTER_OTLP_${signal}_ENDPOINT`] ?? env[ENDPOINT]);
}

/**
 * The protocol of a signal; JSON without a word of it, which every collector takes.
 *
 * @throws FirnError `Invalid` `TELEMETRY_PROTOCOL_UNSUPPORTED`.
 */
function protocolOf(env: Environment, signal: "TRACES" | "METRICS"): OtlpProtocol {
  const own = `OTEL_EXPORTER_OTLP_${signal}_PROTOCOL`;
  const name = env[own] ? own : "OTEL_EXPORTER_OTLP_PROTOCOL";
  const protocol = env[name] || "http/json";
  if (protocol === "http/json" || protocol === "http/protobuf") return protocol;
  const message = `${name} must be http/json or http/protobuf`;
  throw new FirnError("Invalid", "TELEMETRY_PROTOCOL_UNSUPPORTED", message, { protocol });
}

/**
 * OpenTelemetry by OTLP over HTTP, as the standard variables say; undefined where they do not ask
 * for it. Its packages are loaded then alone: a start without it does not pay for them.
 */
export async function openTelemetry(
  { metrics, version }: { readonly metrics: Metrics; readonly version: string },
  env: Environment = process.env,
): Promise<Telemetry | undefined> {
  const [traces, figures] = [isAsked(env, "TRACES"), isAsked(env, "METRICS")];
  if (!traces && !figures) return undefined;
  const ofTraces = traces ? protocolOf(env, "TRACES") : undefined;
  const ofFigures = figures ? protocolOf(env, "METRICS") : undefined;
  const { defaultResource, detectResources, envDetector, resourceFromAttributes } = await import(
    "@opentelemetry/resources"
  );
  const resource = defaultResource()
    .merge(resourceFromAttributes({ "service.name": "firn", "service.version": version }))
    .merge(detectResources({ detectors: [envDetector] }));
  const closing: (() => Promise<void>)[] = [];
  let tracing: Tracing | undefined;
  if (ofTraces !== undefined) {
    const sdk = await import("@opentelemetry/sdk-trace");
    const { OTLPTraceExporter } =
      ofTraces === "http/json"
        ? await import("@opentelemetry/exporter-trace-otlp-http")
        : await import("@opentelemetry/exporter-trace-otlp-proto");
    const { W3CTraceContextPropagator } = await import("@opentelemetry/core");
    const api = await import("@opentelemetry/api");
    const processor = new sdk.BatchSpanProcessor({
      exporter: new OTLPTraceExporter(),
      scheduledDelayMillis: Number(env["OTEL_BSP_SCHEDULE_DELAY"] ?? SEND_MS),
    });
    const sampler = samplerOf(sdk, env);
    const provider = new sdk.TracerProvider({ resource, sampler, spanProcessors: [processor] });
    tracing = new Spans(api, provider.getTracer("firn", version), new W3CTraceContextPropagator());
    closing.push(() => provider.shutdown());
  }
  if (ofFigures !== undefined) {
    const { sendMetrics } = await import("./telemetry-metrics.ts");
    closing.push(await sendMetrics(metrics, resource, version, ofFigures));
  }
  return {
    tracing,
    close: async () => {
      const closed = Promise.all(closing.map((close) => close().catch(() => undefined)));
      await settlesWithin(closed, CLOSE_MS);
    },
  };
}

type Sdk = typeof import("@opentelemetry/sdk-trace");

/** As `OTEL_TRACES_SAMPLER` says; every trace, or what the client has decided, without it. */
function samplerOf(sdk: Sdk, env: Environment): InstanceType<Sdk["ParentBasedSampler"]> {
  const ratio = new sdk.TraceIdRatioBasedSampler(Number(env["OTEL_TRACES_SAMPLER_ARG"] ?? 1));
  const name = env["OTEL_TRACES_SAMPLER"] ?? "";
  const root = name.endsWith("traceidratio")
    ? ratio
    : name.endsWith("always_off")
      ? new sdk.AlwaysOffSampler()
      : new sdk.AlwaysOnSampler();
  return new sdk.ParentBasedSampler({ root });
}

type Api = typeof import("@opentelemetry/api");
type Tracer = import("@opentelemetry/api").Tracer;
type Propagator = import("@opentelemetry/api").TextMapPropagator;

class Spans implements Tracing {
  readonly #api: Api;
  readonly #tracer: Tracer;
  readonly #propagator: Propagator;
  readonly #contexts = new AsyncLocalStorage<Context>();

  constructor(api: Api, tracer: Tracer, propagator: Propagator) {
    this.#api = api;
    this.#tracer = tracer;
    this.#propagator = propagator;
  }

  request<T>(
    { method, route, operation, requestId, traceparent, tracestate }: TracedRequest,
    work: () => Promise<T>,
    endOf: (answer: T | undefined, thrown: unknown) => TracedEnd,
  ): Promise<T> {
    const { ROOT_CONTEXT, SpanKind, SpanStatusCode, defaultTextMapGetter } = this.#api;
    const carrier = { traceparent, tracestate };
    const parent = this.#propagator.extract(ROOT_CONTEXT, carrier, defaultTextMapGetter);
    const attributes = {
      "http.request.method": method,
      "http.route": route,
      "url.scheme": "http",
      "firn.operation": operation,
      "firn.request.id": requestId,
    };
    const options = { kind: SpanKind.SERVER, attributes };
    const span = this.#tracer.startSpan(`${method} ${route}`, options, parent);
    return this.#within(span, parent, work, (answer, thrown) => {
      const { status, code } = endOf(answer as T | undefined, thrown);
      span.setAttribute("http.response.status_code", status);
      if (code !== undefined) span.setAttribute("error.type", code);
      if (status >= 500) span.setStatus({ code: SpanStatusCode.ERROR });
    });
  }

  around<T>(of: SpanOf, name: string, work: () => T): T {
    const parent = this.#contexts.getStore();
    // What no request waits for has no trace: a span for each step of a job would tell nothing.
    if (parent === undefined) return work();
    const { SpanKind, SpanStatusCode } = this.#api;
    const options =
      of === "catalog"
        ? { kind: SpanKind.INTERNAL, attributes: { "firn.use_case": name } }
        : {
            kind: SpanKind.CLIENT,
            attributes: { "db.system.name": `firn.${of}`, "db.operation.name": name },
          };
    const span = this.#tracer.startSpan(`${of} ${name}`, options, parent);
    return this.#within(span, parent, work, (_answer, thrown) => {
      if (thrown !== undefined) {
        span.setAttribute("error.type", codeOf(thrown));
        span.setStatus({ code: SpanStatusCode.ERROR });
      }
    });
  }

  /** Runs work as a span, which ends with it. */
  #within<T>(
    span: Span,
    parent: Context,
    work: () => T,
    tell: (answer: Awaited<T> | undefined, thrown: unknown) => void,
  ): T {
    const end = (answer: Awaited<T> | undefined, thrown: unknown): void => {
      tell(answer, thrown);
      span.end();
    };
    const done = (answer: Awaited<T>): Awaited<T> => {
      end(answer, undefined);
      return answer;
    };
    const failed = (thrown: unknown): never => {
      end(undefined, thrown);
      throw thrown;
    };
    let result: T;
    try {
      result = this.#contexts.run(this.#api.trace.setSpan(parent, span), work);
    } catch (thrown) {
      return failed(thrown);
    }
    if (result instanceof Promise) return result.then(done, failed) as T;
    end(result as Awaited<T>, undefined);
    return result;
  }
}

function codeOf(thrown: unknown): string {
  const code = thrown instanceof Error && "code" in thrown ? thrown.code : undefined;
  return typeof code === "string" ? code : "_OTHER";
}
