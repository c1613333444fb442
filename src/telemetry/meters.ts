import type { Meter } from "@opentelemetry/api";
import { metricAttributes } from "./attributes.ts";
import type { Span } from "./span.ts";

/** The metrics of sessions. They follow the GenAI conventions if these define the metric. */
export interface Meters {
  count(spans: readonly Span[]): void;
}

/** Creates the metrics. All of them are derived from spans, so that spans and metrics agree. */
export function createMeters(meter: Meter): Meters {
  const seconds = { unit: "s", advice: { explicitBucketBoundaries: durationBounds } };
  const turns = meter.createHistogram("gen_ai.invoke_agent.duration", {
    description: "Duration of agent turns",
    ...seconds,
  });
  const tools = meter.createHistogram("gen_ai.execute_tool.duration", {
    description: "Duration of tool calls",
    ...seconds,
  });
  const requests = meter.createHistogram("halyard.request.duration", {
    description: "Time until an agent's request was answered",
    ...seconds,
  });
  const waits = meter.createHistogram("halyard.wait.duration", {
    description: "Time that turns waited for a usage limit or a budget",
    ...seconds,
  });
  const tokens = meter.createHistogram("gen_ai.client.token.usage", {
    description: "Tokens of a turn",
    unit: "{token}",
    advice: { explicitBucketBoundaries: tokenBounds },
  });
  const toolCalls = meter.createHistogram("gen_ai.invoke_agent.tool_calls", {
    description: "Tool calls of a turn",
    unit: "{call}",
  });
  const sessions = meter.createCounter("halyard.sessions", {
    description: "Sessions that were started",
    unit: "{session}",
  });
  const cost = meter.createCounter("halyard.usage.cost", {
    description: "Cost of turns, as reported by the agent",
    unit: "USD",
  });
  const count = (span: Span) => {
    const { attributes } = span;
    const group = metricAttributes(span);
    const elapsed = Math.max(0, Date.parse(span.endAt) - Date.parse(span.startAt)) / 1000;
    const number = (name: string) => {
      const value = attributes[name];
      return typeof value === "number" ? value : 0;
    };
    switch (attributes["gen_ai.operation.name"]) {
      case "create_agent":
        return sessions.add(1, group);
      case "execute_tool":
        return tools.record(elapsed, group);
      case "invoke_agent":
        turns.record(elapsed, group);
        toolCalls.record(number("halyard.turn.tool_calls"), group);
        for (const type of ["input", "output"]) {
          const used = number(`gen_ai.usage.${type}_tokens`);
          tokens.record(used, { ...group, "gen_ai.token.type": type });
        }
        return cost.add(number("halyard.usage.cost_usd"), group);
    }
    if (attributes["halyard.request.id"] !== undefined) requests.record(elapsed, group);
    else waits.record(elapsed, group);
  };
  return { count: (spans) => spans.forEach(count) };
}

/** The bucket bounds in seconds, up to one day: turns take minutes, and a request may wait overnight for an answer. */
const durationBounds = [
  0.01, 0.05, 0.1, 0.5, 1, 5, 10, 30, 60, 120, 300, 600, 1800, 3600, 14_400, 86_400,
];
/** The bucket bounds that the conventions define. */
const tokenBounds = [
  1, 4, 16, 64, 256, 1024, 4096, 16_384, 65_536, 262_144, 1_048_576, 4_194_304, 16_777_216,
  67_108_864,
];
