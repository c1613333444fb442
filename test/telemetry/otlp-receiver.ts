import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import { gunzipSync } from "node:zlib";
import definitions from "otlp-definitions/build/src/generated/root.js";

// The package declares no types for its definitions.
// biome-ignore lint/suspicious/noExplicitAny: see above
const { collector } = (definitions as any).opentelemetry.proto;
const messages = {
  "/v1/traces": collector.trace.v1.ExportTraceServiceRequest,
  "/v1/metrics": collector.metrics.v1.ExportMetricsServiceRequest,
  "/v1/logs": collector.logs.v1.ExportLogsServiceRequest,
} as const;

/** A span as the receiver decoded it, with its attributes as an object. */
export interface ReceivedSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string;
  readonly name: string;
  readonly kind: number;
  readonly startMs: number;
  readonly endMs: number;
  readonly status: { readonly code?: number; readonly message?: string };
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly resource: Readonly<Record<string, unknown>>;
  readonly scope: string;
  /** The contexts to which the span links, as `traceparent`. */
  readonly links: readonly string[];
}

/** A data point of a metric. */
export interface ReceivedPoint {
  readonly metric: string;
  readonly unit: string;
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly sum: number;
  readonly count: number;
}

/**
 * An OTLP receiver over HTTP. It decodes requests with the official protobuf definitions, and rejects traces and metrics with
 * fields that the definitions do not have.
 */
export class OtlpReceiver implements AsyncDisposable {
  readonly spans: ReceivedSpan[] = [];
  readonly points: ReceivedPoint[] = [];
  readonly headers: IncomingMessage["headers"][] = [];
  readonly problems: string[] = [];
  /** The HTTP status of the responses. Requests are decoded only if it is 200. */
  status = 200;
  readonly #server = createServer((request, response) => {
    void this.#receive(request).then(
      (status) => response.writeHead(status, { "content-type": "application/x-protobuf" }).end(),
      (error: unknown) => {
        this.problems.push(String(error));
        response.writeHead(400).end();
      },
    );
  });

  static async start(): Promise<OtlpReceiver> {
    const receiver = new OtlpReceiver();
    await new Promise<void>((resolve) => receiver.#server.listen(0, "127.0.0.1", resolve));
    return receiver;
  }

  get endpoint(): string {
    const { port } = this.#server.address() as AddressInfo;
    return `http://127.0.0.1:${port}`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #receive(request: IncomingMessage): Promise<number> {
    const path = request.url ?? "";
    if (request.method !== "POST" || !isKnown(path))
      throw new Error(`Unexpected request: ${request.method} ${path}`);
    const given = await buffer(request);
    const body = request.headers["content-encoding"] === "gzip" ? gunzipSync(given) : given;
    this.headers.push(request.headers);
    if (this.status !== 200) return this.status;
    const type = messages[path];
    const message = type.decode(body);
    // A round trip loses fields that the definitions do not have.
    const again = type.encode(message).finish();
    if (path !== "/v1/logs" && again.length !== body.length)
      throw new Error(`${path} has ${body.length - again.length} bytes of unknown fields.`);
    const decoded = type.toObject(message, { longs: Number, bytes: Buffer, arrays: true });
    if (path === "/v1/traces") this.spans.push(...spansIn(decoded));
    if (path === "/v1/metrics") this.points.push(...pointsIn(decoded));
    return 200;
  }
}

function isKnown(path: string): path is keyof typeof messages {
  return Object.hasOwn(messages, path);
}

// biome-ignore-start lint/suspicious/noExplicitAny: decoded messages have no types
function spansIn({ resourceSpans }: any): ReceivedSpan[] {
  return resourceSpans.flatMap(({ resource, scopeSpans }: any) =>
    scopeSpans.flatMap(({ scope, spans }: any) =>
      spans.map((span: any) => ({
        traceId: hex(span.traceId),
        spanId: hex(span.spanId),
        parentSpanId: hex(span.parentSpanId),
        name: span.name,
        kind: span.kind,
        startMs: span.startTimeUnixNano / 1e6,
        endMs: span.endTimeUnixNano / 1e6,
        status: span.status ?? {},
        attributes: toObject(span.attributes),
        resource: toObject(resource.attributes),
        scope: scope.name,
        links: span.links.map((link: any) => `00-${hex(link.traceId)}-${hex(link.spanId)}-01`),
      })),
    ),
  );
}

function pointsIn({ resourceMetrics }: any): ReceivedPoint[] {
  const metrics = resourceMetrics.flatMap(({ scopeMetrics }: any) =>
    scopeMetrics.flatMap((scope: any) => scope.metrics),
  );
  return metrics.flatMap(({ name, unit, histogram, sum }: any) =>
    (histogram ?? sum).dataPoints.map((point: any) => ({
      metric: name,
      unit,
      attributes: toObject(point.attributes),
      sum: point.sum ?? point.asDouble ?? point.asInt,
      count: point.count ?? 1,
    })),
  );
}

function toObject(attributes: any[]): Record<string, unknown> {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, toValue(value)]));
}

function toValue(value: any): unknown {
  if (value.arrayValue) return value.arrayValue.values.map(toValue);
  return value.stringValue ?? value.intValue ?? value.doubleValue ?? value.boolValue;
}
// biome-ignore-end lint/suspicious/noExplicitAny: see above

function hex(bytes: Uint8Array | undefined): string {
  return Buffer.from(bytes ?? []).toString("hex");
}
