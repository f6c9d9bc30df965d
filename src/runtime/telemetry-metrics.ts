import type { Resource } from "@opentelemetry/resources";
import type { CollectionResult, MetricData, MetricProducer } from "@opentelemetry/sdk-metrics";
import type { Metrics, Sample } from "../base/metrics.ts";

/** How OTLP is spoken over HTTP. */
export type OtlpProtocol = "http/json" | "http/protobuf";

/**
 * Sends the figures of `/metrics` under their names, every minute unless the environment says
 * otherwise (`OTEL_METRIC_EXPORT_INTERVAL`).
 *
 * @returns what sends them a last time and ends it.
 */
export async function sendMetrics(
  metrics: Metrics,
  resource: Resource,
  version: string,
  protocol: OtlpProtocol,
): Promise<() => Promise<void>> {
  const { ValueType } = await import("@opentelemetry/api");
  const { MeterProvider, PeriodicExportingMetricReader, DataPointType, AggregationTemporality } =
    await import("@opentelemetry/sdk-metrics");
  const { OTLPMetricExporter } =
    protocol === "http/json"
      ? await import("@opentelemetry/exporter-metrics-otlp-http")
      : await import("@opentelemetry/exporter-metrics-otlp-proto");
  const startMs = Date.now();
  const producer: MetricProducer = {
    async collect(): Promise<CollectionResult> {
      const span = { startTime: hrTime(startMs), endTime: hrTime(Date.now()) };
      const all = metrics.figures().map(({ type, name, help, samples }): MetricData => {
        const descriptor = { name, description: help, unit: "", valueType: ValueType.DOUBLE };
        const cumulative = AggregationTemporality.CUMULATIVE;
        const base = { descriptor, aggregationTemporality: cumulative } as const;
        if (type === "histogram") {
          const dataPoints = histogramsOf(name, samples).map(({ labels, value }) => ({
            ...span,
            attributes: labels,
            value,
          }));
          return { ...base, dataPointType: DataPointType.HISTOGRAM, dataPoints } as MetricData;
        }
        const dataPoints = samples.map(({ labels, value }) => ({
          ...span,
          attributes: labels,
          value,
        }));
        return type === "counter"
          ? ({
              ...base,
              dataPointType: DataPointType.SUM,
              isMonotonic: true,
              dataPoints,
            } as MetricData)
          : ({ ...base, dataPointType: DataPointType.GAUGE, dataPoints } as MetricData);
      });
      const scopeMetrics = [{ scope: { name: "firn", version }, metrics: all }];
      return { resourceMetrics: { resource, scopeMetrics }, errors: [] };
    },
  };
  const exporter = new OTLPMetricExporter();
  const exportIntervalMillis = Number(process.env["OTEL_METRIC_EXPORT_INTERVAL"] ?? 60_000);
  const exportTimeoutMillis = Math.min(30_000, exportIntervalMillis);
  const reader = new PeriodicExportingMetricReader({
    exporter,
    exportIntervalMillis,
    exportTimeoutMillis,
    metricProducers: [producer],
  });
  const provider = new MeterProvider({ resource, readers: [reader] });
  return () => provider.shutdown();
}

function hrTime(ms: number): [number, number] {
  return [Math.floor(ms / 1_000), (ms % 1_000) * 1_000_000];
}

interface HistogramPoint {
  readonly labels: Readonly<Record<string, string>>;
  readonly value: {
    readonly buckets: { readonly boundaries: number[]; readonly counts: number[] };
    readonly sum: number;
    readonly count: number;
  };
}

/** Series of a histogram from the lines that Prometheus gets: their buckets are cumulative. */
function histogramsOf(name: string, samples: readonly Sample[]): readonly HistogramPoint[] {
  const points: HistogramPoint[] = [];
  let boundaries: number[] = [];
  let counts: number[] = [];
  let below = 0;
  let sum = 0;
  for (const { name: part, labels, value } of samples) {
    if (part === `${name}_bucket`) {
      counts.push(value - below);
      below = value;
      if (labels["le"] !== "+Inf") boundaries.push(Number(labels["le"]));
    } else if (part === `${name}_sum`) sum = value;
    else {
      points.push({ labels, value: { buckets: { boundaries, counts }, sum, count: value } });
      [boundaries, counts, below] = [[], [], 0];
    }
  }
  return points;
}
