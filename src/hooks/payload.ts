import type { StreamEvent } from "../schema/event.ts";
import type { HookEvent, HookPayload } from "../schema/hook.ts";
import type { SessionInfo } from "../schema/session.ts";

/** Tells hooks of the events of one session, from its beginning on: nothing of most, and of none twice. */
export function createPayloads(): (
  event: StreamEvent,
  info: SessionInfo,
) => HookPayload | undefined {
  const native = new Map<HookEvent, Data>();
  return (event, info) => {
    const reported = nativeReport(event);
    if (reported) native.set(...reported);
    const told = tell(event);
    if (told === undefined) return undefined;
    const [name, data] = told;
    const more = native.get(name) ?? {};
    native.delete(name);
    return toPayload(event, info, [name, { ...more, ...data }]);
  };
}

type Data = Readonly<Record<string, unknown>>;
type Told = readonly [HookEvent, Data];

function toPayload(event: StreamEvent, info: SessionInfo, [name, data]: Told): HookPayload {
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

function tell(event: StreamEvent): Told | undefined {
  switch (event.type) {
    case "system":
      return tellSystem(event);
    case "message":
      if (event.channel !== "text" || event.role !== "assistant") return undefined;
      return ["OnMessage", { role: event.role, message: event.text }];
    case "error": {
      const { code, message, retryable, phase } = event;
      return ["OnError", { code, message, retryable, ...(phase && { phase }) }];
    }
    case "delta":
    case "tool_call":
    case "tool_result":
    case "request":
    case "response":
    case "completion":
      return undefined;
  }
}

function tellSystem(event: Extract<StreamEvent, { type: "system" }>): Told | undefined {
  const { subtype, text, data = {} } = event;
  if (subtype === "turn_started" || subtype === "turn_steered")
    return ["OnMessage", { role: "user", message: text ?? "" }];
  // A runtime may say later what its own id is: the session has started only once.
  if (subtype === "session_started" && data.opened !== undefined)
    return ["SessionStart", snakeCase(data)];
  // A runtime that begins anew within its process, as Claude does after a compaction, reports it by its own hook.
  if (data.hook === "SessionStart" && !beginnings.has(data.source))
    return ["SessionStart", nativeData(data)];
  if (data.hook === "Notification")
    return ["OnMessage", { role: "runtime", message: text ?? "", ...nativeData(data) }];
  if (subtype === "session_stopped")
    return ["SessionStop", { ...(text !== undefined && { reason: text }), ...snakeCase(data) }];
  return undefined;
}

/** What a runtime's own hook reports of a start or a stop, whose event follows. */
function nativeReport(event: StreamEvent): Told | undefined {
  if (event.type !== "system" || event.data === undefined) return undefined;
  const { hook, source } = event.data;
  if (hook === "SessionStart" && beginnings.has(source))
    return ["SessionStart", nativeData(event.data)];
  return hook === "SessionEnd" ? ["SessionStop", nativeData(event.data)] : undefined;
}

const beginnings: ReadonlySet<unknown> = new Set(["startup", "resume"]);

function nativeData({ hook, ...data }: Data): Data {
  return snakeCase(data);
}

/** As Gas Town writes its keys. */
function snakeCase(data: Data): Record<string, unknown> {
  const pairs = Object.entries(data).map(([key, value]) => [
    key.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
    value,
  ]);
  return Object.fromEntries(pairs);
}
