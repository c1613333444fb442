import { z } from "zod";

/** Where the traces and metrics of sessions are sent, and what they contain. */
export const TelemetrySettings = z.strictObject({
  /**
   * The base URL of an OTLP receiver that accepts protobuf over HTTP, such as `http://127.0.0.1:4318`. Defaults to
   * `OTEL_EXPORTER_OTLP_ENDPOINT`; if neither is set, nothing is sent.
   */
  endpoint: z.url({ protocol: /^https?$/ }).exactOptional(),
  /** Headers of the requests. A value can contain `${NAME}` to read an environment variable. Defaults to none. */
  headers: z.record(z.string(), z.string()).exactOptional(),
  /** True to include messages, tool inputs and tool outputs. Defaults to false. */
  content: z.boolean().exactOptional(),
  /**
   * True to let agents send their own telemetry to the same receiver, in the same trace. The agent decides what its
   * telemetry contains. Defaults to false.
   */
  joinAgents: z.boolean().exactOptional(),
});
export type TelemetrySettings = z.infer<typeof TelemetrySettings>;
