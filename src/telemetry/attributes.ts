import type {
  RequestEvent,
  ResponseEvent,
  ToolCallEvent,
  ToolResultEvent,
} from "../schema/event.ts";
import type { Outcome } from "../schema/outcome.ts";
import type { SessionInfo } from "../schema/session.ts";
import type { AttributeValue, Span } from "./span.ts";

type Attributes = Record<string, AttributeValue>;

interface ContentOptions {
  readonly content: boolean;
}

/** Returns the attributes of a session that all its agent spans have. */
export function sessionAttributes(
  info: SessionInfo,
  operation: "create_agent" | "invoke_agent",
): Attributes {
  const { id, runtime, model, name, project, parent, host, depth } = info;
  return defined({
    "gen_ai.operation.name": operation,
    "gen_ai.provider.name": providerOf(info),
    "gen_ai.agent.name": runtime,
    "gen_ai.conversation.id": id,
    "gen_ai.request.model": model?.id,
    "halyard.session.name": name,
    "halyard.session.host": host,
    "halyard.session.parent": parent,
    "halyard.session.depth": depth > 0 ? depth : undefined,
    "halyard.project": project,
  });
}

/** Returns the attributes of a turn. Input tokens include cached tokens, as the GenAI conventions require. */
export function turnAttributes(
  info: SessionInfo,
  outcome: Outcome,
  { id, toolCalls }: { readonly id: string; readonly toolCalls: number },
): Attributes {
  const { usage, status, stopReason, durationMs } = outcome;
  const { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens, costUsd } = usage;
  return defined({
    ...sessionAttributes(info, "invoke_agent"),
    "gen_ai.response.finish_reasons": [stopReason],
    "gen_ai.usage.input_tokens": inputTokens + (cacheReadTokens ?? 0) + (cacheWriteTokens ?? 0),
    "gen_ai.usage.output_tokens": outputTokens,
    "gen_ai.usage.cache_read.input_tokens": cacheReadTokens,
    "gen_ai.usage.cache_creation.input_tokens": cacheWriteTokens,
    "halyard.usage.cost_usd": costUsd,
    "halyard.turn.id": id,
    "halyard.turn.status": status,
    "halyard.turn.duration_ms": durationMs,
    "halyard.turn.tool_calls": toolCalls,
  });
}

/** Returns the attributes of a tool call. Includes the input and the output only if `content` is true. */
export function toolAttributes(
  { name, callId, kind, input }: ToolCallEvent,
  result: ToolResultEvent | undefined,
  { content }: ContentOptions,
): Attributes {
  return defined({
    "gen_ai.operation.name": "execute_tool",
    "gen_ai.tool.name": name,
    "gen_ai.tool.call.id": callId,
    "gen_ai.tool.type": "function",
    "halyard.tool.kind": kind,
    "halyard.tool.exit_code": result?.exitCode,
    ...(content && {
      "gen_ai.tool.call.arguments": bound(JSON.stringify(input) ?? ""),
      "gen_ai.tool.call.result": result && bound(result.output),
    }),
  });
}

/**
 * Returns the attributes of a request that the policy asks about or denies. The conventions define none for requests.
 */
export function requestAttributes(
  { requestId, kind, tool, verdict, text }: RequestEvent,
  response: ResponseEvent | undefined,
  { content }: ContentOptions,
): Attributes {
  return defined({
    "halyard.request.id": requestId,
    "halyard.request.kind": kind,
    "halyard.request.verdict": verdict,
    "halyard.request.decision": response?.decision,
    "halyard.request.answered_by": response?.by,
    "gen_ai.tool.name": tool?.name,
    ...(content && { "halyard.request.text": bound(text) }),
  });
}

/** Returns the attributes of a span during which a turn waits for a usage limit or a budget. */
export function waitAttributes(data: Readonly<Record<string, unknown>>): Attributes {
  const text = (value: unknown) => (typeof value === "string" ? value : undefined);
  return defined({
    "halyard.wait.reason": text(data.reason) ?? "limit",
    "halyard.limit.window": text(data.window),
    "halyard.limit.resets_at": text(data.resetsAt),
  });
}

/** Returns the user's message in the format that the conventions define. */
export function inputMessages(text: string): Attributes {
  const message = { role: "user", parts: [{ type: "text", content: bound(text) }] };
  return { "gen_ai.input.messages": JSON.stringify([message]) };
}

/** Returns the agent's last message in the format that the conventions define. */
export function outputMessages(text: string, finishReason: string): Attributes {
  const parts = [{ type: "text", content: bound(text) }];
  const message = { role: "assistant", parts, finish_reason: finishReason };
  return { "gen_ai.output.messages": JSON.stringify([message]) };
}

/** Returns the attributes by which metrics are grouped. Each has only a few possible values. */
export function metricAttributes({ attributes, error }: Span): Attributes {
  const names = [
    "gen_ai.operation.name",
    "gen_ai.provider.name",
    "gen_ai.agent.name",
    "gen_ai.request.model",
    "gen_ai.tool.name",
    "halyard.project",
  ];
  const kept = names.map((name) => [name, attributes[name]] as const);
  return defined({ ...Object.fromEntries(kept), "error.type": error?.type });
}

/**
 * Returns the provider: the vendor of the API if the session's model names an API, otherwise the runtime, which chooses
 * the provider.
 */
function providerOf({ runtime, model }: SessionInfo): string {
  return model?.api?.replace(/-.*/, "") ?? runtime;
}

function defined(values: Readonly<Record<string, AttributeValue | undefined>>): Attributes {
  const kept: Attributes = {};
  for (const [name, value] of Object.entries(values)) if (value !== undefined) kept[name] = value;
  return kept;
}

/** The maximum length of content, in characters. Backends reject or truncate longer values. */
const MAX_CONTENT = 32 * 1024;

function bound(text: string): string {
  return text.length <= MAX_CONTENT ? text : `${text.slice(0, MAX_CONTENT - 1)}…`;
}
