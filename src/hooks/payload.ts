import type { StreamEvent } from "../schema/event.ts";
import type { HookEvent, HookPayload } from "../schema/hook.ts";
import type { SessionInfo } from "../schema/session.ts";

/** Tells hooks of the events of one session, from its beginning on: nothing of most, and of none twice. */
export function createPayloads(): (
  event: StreamEvent,
  info: SessionInfo,
) => HookPayload | undefined {
  let native: Data = {};
  return (event, info) => {
    const known = nativeBeginning(event);
    if (known) native = known;
    const told = tell(event);
    if (told === undefined) return undefined;
    const [name, data] = told;
    return toPayload(event, info, [name, name === "SessionStart" ? { ...native, ...data } : data]);
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
  // One that begins anew within its process, as Claude does after a compaction, says so by its own hook.
  if (isNativeStart(event) && !beginnings.has(data.source))
    return ["SessionStart", nativeData(data)];
  if (subtype === "session_stopped")
    return ["SessionStop", { ...(text !== undefined && { reason: text }), ...snakeCase(data) }];
  return undefined;
}

/** What the runtime's own hook knows of a beginning that the session's start is about to tell of. */
function nativeBeginning(event: StreamEvent): Data | undefined {
  if (!isNativeStart(event) || !beginnings.has(event.data?.source)) return undefined;
  return nativeData(event.data ?? {});
}

const beginnings: ReadonlySet<unknown> = new Set(["startup", "resume"]);

function isNativeStart(event: StreamEvent): event is Extract<StreamEvent, { type: "system" }> {
  return event.type === "system" && event.data?.hook === ("SessionStart" satisfies HookEvent);
}

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
