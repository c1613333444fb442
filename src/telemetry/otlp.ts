import { HalyardError } from "../errors/error.ts";
import { createMeters, type Meters } from "./meters.ts";
import type { Span } from "./span.ts";
import type { TelemetryTarget } from "./target.ts";

/** Sends spans and metrics to an OTLP receiver. */
export interface OtlpConnection extends AsyncDisposable {
  /** Sends spans, if the target has a URL for spans. Rejects with the reason if the receiver does not accept them. */
  send(spans: readonly Span[]): Promise<void>;
  /** Adds spans to the metrics. */
  count(spans: readonly Span[]): void;
}

/** Opens a connection to an OTLP receiver. Rejects with `unsupported` if the OpenTelemetry packages are not installed. */
export async function openOtlp(target: TelemetryTarget): Promise<OtlpConnection> {
  const { traces, metrics, sdkMetrics, resources } = await loadPackages();
  const { headers, tracesUrl, metricsUrl } = target;
  const resource = resources.resourceFromAttributes(target.resource);
  const exporter = tracesUrl && new traces.OTLPTraceExporter({ url: tracesUrl, headers });
  let meters: Meters | undefined;
  let provider: InstanceType<typeof sdkMetrics.MeterProvider> | undefined;
  if (metricsUrl !== undefined) {
    const reader = new sdkMetrics.PeriodicExportingMetricReader({
      exporter: new metrics.OTLPMetricExporter({ url: metricsUrl, headers }),
      exportIntervalMillis: target.metricsIntervalMs,
      exportTimeoutMillis: Math.min(target.metricsIntervalMs, EXPORT_MS),
    });
    provider = new sdkMetrics.MeterProvider({ resource, readers: [reader] });
    meters = createMeters(provider.getMeter(SCOPE.name));
  }
  return {
    count: (spans) => meters?.count(spans),
    send: (spans) =>
      new Promise((resolve, reject) => {
        if (!exporter) return resolve();
        const readable = spans.map((span) => ({ ...toReadable(span), resource }));
        exporter.export(readable, ({ code, error }) => {
          if (code === SUCCESS) resolve();
          else reject(error ?? new Error("the OTLP exporter reported no reason"));
        });
      }),
    async [Symbol.asyncDispose]() {
      await provider?.shutdown();
      if (exporter) await exporter.shutdown();
    },
  };
}

/**
 * Constants of the official packages: the success code of `ExportResult`, the status of a failed span, and the flag of
 * a recorded span.
 */
const SUCCESS = 0;
const FAILED = 2;
const SAMPLED = 1;
const kinds = { internal: 0, client: 2 } as const;
const SCOPE = { name: "halyard" };
const EXPORT_MS = 10_000;

/**
 * Converts a span to the interface that exporters read. The SDK's own tracer cannot create spans with given ids and
 * past times.
 */
function toReadable(span: Span) {
  const contextOf = (spanId: string) => ({ traceId: span.traceId, spanId, traceFlags: SAMPLED });
  const [start, end] = [
    Date.parse(span.startAt),
    Math.max(...[span.startAt, span.endAt].map((at) => Date.parse(at))),
  ];
  const { parentSpanId, error } = span;
  const attributes = { ...span.attributes, ...(error && { "error.type": error.type }) };
  return {
    name: span.name,
    kind: kinds[span.kind],
    spanContext: () => contextOf(span.spanId),
    ...(parentSpanId !== undefined && { parentSpanContext: contextOf(parentSpanId) }),
    startTime: toHrTime(start),
    endTime: toHrTime(end),
    duration: toHrTime(end - start),
    status: error ? { code: FAILED, message: error.message ?? error.type } : { code: 0 },
    attributes: Object.fromEntries(
      Object.entries(attributes).map(([name, value]) => [
        name,
        typeof value === "object" ? [...value] : value,
      ]),
    ),
    links: span.link === undefined ? [] : [toLink(span.link)],
    events: [],
    ended: true,
    instrumentationScope: SCOPE,
    droppedAttributesCount: 0,
    droppedEventsCount: 0,
    droppedLinksCount: 0,
  };
}

/** Converts a W3C trace context to a link. */
function toLink(traceparent: string) {
  const [, traceId = "", spanId = "", flags = ""] = traceparent.split("-");
  const context = { traceId, spanId, traceFlags: Number.parseInt(flags, 16), isRemote: true };
  return { context, attributes: {} };
}

function toHrTime(ms: number): [number, number] {
  return [Math.floor(ms / 1000), (ms % 1000) * 1_000_000];
}

const packages = [
  "@opentelemetry/exporter-trace-otlp-proto",
  "@opentelemetry/exporter-metrics-otlp-proto",
  "@opentelemetry/sdk-metrics",
  "@opentelemetry/resources",
  "@opentelemetry/api",
] as const;

async function loadPackages() {
  try {
    const [traces, metrics, sdkMetrics, resources] = await Promise.all([
      import("@opentelemetry/exporter-trace-otlp-proto"),
      import("@opentelemetry/exporter-metrics-otlp-proto"),
      import("@opentelemetry/sdk-metrics"),
      import("@opentelemetry/resources"),
    ]);
    return { traces, metrics, sdkMetrics, resources };
  } catch (cause) {
    const names = packages.map((name) => `${name}@${versions[name]}`).join(" ");
    throw new HalyardError(
      "unsupported",
      `Telemetry needs the OpenTelemetry packages, which are not installed. Run "npm install ${names}", with -g if Halyard is installed globally.`,
      { cause },
    );
  }
}

/** The newest versions of the packages that run on Node 20.19. */
const versions = {
  "@opentelemetry/exporter-trace-otlp-proto": "0.223",
  "@opentelemetry/exporter-metrics-otlp-proto": "0.223",
  "@opentelemetry/sdk-metrics": "2",
  "@opentelemetry/resources": "2",
  "@opentelemetry/api": "1.9",
} as const;
