import type { CompletionEvent, RequestEvent, StreamEvent } from "../schema/event.ts";
import type { HookEvent, HookPayload } from "../schema/hook.ts";
import type { SessionInfo } from "../schema/session.ts";

/**
 * Returns a function that maps the events of one session to hook payloads. Most events have no payload. If the runtime's
 * own hook also reports a start or stop, one payload contains the data of both. `isStarted` is true if an earlier event has
 * reported the start of the session: a session that is stopped before its start has no `SessionStop`.
 */
export function createPayloadMapper(
  isStarted: boolean,
): (event: StreamEvent, info: SessionInfo) => HookPayload | undefined {
  const native = new Map<HookEvent, Data>();
  let isOpen = isStarted;
  return (event, info) => {
    const reported = nativeReport(event);
    if (reported) native.set(...reported);
    const delivery = toDelivery(event, info);
    if (delivery === undefined) return undefined;
    const [name, data] = delivery;
    if (name === "SessionStop" && !isOpen && data.state === "stopped") return undefined;
    if (name === "SessionStart" || name === "SessionStop") isOpen = name === "SessionStart";
    const more = native.get(name) ?? {};
    native.delete(name);
    return toPayload(event, info, [name, { ...more, ...data }]);
  };
}

type Data = Readonly<Record<string, unknown>>;
type HookDelivery = readonly [HookEvent, Data];

function toPayload(event: StreamEvent, info: SessionInfo, [name, data]: HookDelivery): HookPayload {
  const { labels, runtime, id, cwd } = info;
  return {
    event: name,
    runtime,
    session_id: labels["gt.session"] ?? id,
    workdir: cwd,
    rig: labels["gt.rig"] ?? null,
    role: labels["gt.role"] ?? null,
    bead: labels["gt.bead"] ?? null,
    actor: labels["gt.actor"] ?? null,
    timestamp: event.at,
    data: { seq: event.seq, ...(event.turnId && { turn_id: event.turnId }), ...data },
  };
}

function toDelivery(event: StreamEvent, info: SessionInfo): HookDelivery | undefined {
  switch (event.type) {
    case "system":
      return systemDelivery(event, info);
    case "message":
      if (event.channel !== "text" || event.role !== "assistant") return undefined;
      return ["OnMessage", { role: event.role, message: event.text }];
    case "error": {
      const { code, message, retryable, phase } = event;
      return ["OnError", { code, message, retryable, ...(phase && { phase }) }];
    }
    case "request":
      if (event.verdict !== "ask") return undefined;
      return [event.kind === "budget" ? "OnBudget" : "OnRequest", requestData(event, info)];
    case "completion":
      return ["OnTurnEnd", turnData(event, info)];
    case "delta":
    case "tool_call":
    case "tool_result":
    case "response":
      return undefined;
  }
}

function requestData(event: RequestEvent, { name, about }: SessionInfo): Data {
  const { requestId, kind, text, tool, options, reason, expiresAt, budget } = event;
  return {
    session_name: name ?? about ?? null,
    request_id: requestId,
    kind,
    text,
    tool: tool?.name ?? null,
    options: options.map(({ id, label }) => ({ id, label })),
    ...(budget && { budget: snakeCase(budget) }),
    ...(reason !== undefined && { reason }),
    ...(expiresAt !== undefined && { expires_at: expiresAt }),
  };
}

function turnData({ outcome }: CompletionEvent, { name, about }: SessionInfo): Data {
  const { status, text, stopReason, durationMs, usage, error } = outcome;
  return {
    session_name: name ?? about ?? null,
    status,
    message: text,
    stop_reason: stopReason,
    duration_ms: durationMs,
    usage: snakeCase(usage),
    ...(error && { error }),
  };
}

function systemDelivery(
  event: Extract<StreamEvent, { type: "system" }>,
  { name, about }: SessionInfo,
): HookDelivery | undefined {
  const { subtype, text, data = {} } = event;
  // Only reports with an action are delivered. Other reports are frequent, and the session continues.
  if (subtype === "limit" && data.action !== undefined) {
    const { action, resetsAt = null, window = null } = data;
    const session_name = name ?? about ?? null;
    return ["OnLimit", { session_name, message: text ?? "", action, window, resets_at: resetsAt }];
  }
  if (subtype === "turn_started" || subtype === "turn_steered")
    return ["OnMessage", { role: "user", message: text ?? "" }];
  // Only the first session_started event has `opened`. A later one reports the runtime's session id.
  if (subtype === "session_started" && data.opened !== undefined)
    return ["SessionStart", snakeCase(data)];
  // A runtime that starts a new session within its process, as Claude does after a compaction, reports the new session
  // with its own hook.
  if (data.hook === "SessionStart" && !startSources.has(data.source))
    return ["SessionStart", nativeData(data)];
  if (data.hook === "Notification")
    return ["OnMessage", { role: "runtime", message: text ?? "", ...nativeData(data) }];
  if (subtype === "session_stopped")
    return ["SessionStop", { ...(text !== undefined && { reason: text }), ...snakeCase(data) }];
  return undefined;
}

/**
 * Returns the data that the runtime's own hook reports about a start or stop. The corresponding event follows later.
 */
function nativeReport(event: StreamEvent): HookDelivery | undefined {
  if (event.type !== "system" || event.data === undefined) return undefined;
  const { hook, source } = event.data;
  if (hook === "SessionStart" && startSources.has(source))
    return ["SessionStart", nativeData(event.data)];
  return hook === "SessionEnd" ? ["SessionStop", nativeData(event.data)] : undefined;
}

const startSources: ReadonlySet<unknown> = new Set(["startup", "resume"]);

function nativeData({ hook, ...data }: Data): Data {
  return snakeCase(data);
}

/** Converts keys to snake_case, the style of the payload. */
function snakeCase(data: Data): Record<string, unknown> {
  const pairs = Object.entries(data).map(([key, value]) => [
    key.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
    value,
  ]);
  return Object.fromEntries(pairs);
}
