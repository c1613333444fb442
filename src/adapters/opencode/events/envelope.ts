import { isRecord } from "../../../wire/is-record.ts";

/** Returns the event without its envelope. Only the stream for all directories wraps events in envelopes. */
export function unwrapEvent(native: unknown): unknown {
  return isRecord(native) && isRecord(native.payload) ? native.payload : native;
}

/** Returns an event's session id, whose position depends on the event type. */
export function sessionOf(event: unknown): string | undefined {
  if (!isRecord(event) || !isRecord(event.properties)) return undefined;
  const { sessionID, part, info } = event.properties;
  if (typeof sessionID === "string") return sessionID;
  for (const holder of [part, info]) {
    if (isRecord(holder) && typeof holder.sessionID === "string") return holder.sessionID;
  }
  return isRecord(info) && isSessionEvent(event) && typeof info.id === "string"
    ? info.id
    : undefined;
}

/** Returns the id of the parent session if the event describes a subagent's session. Otherwise returns undefined. */
export function parentOf(event: unknown): string | undefined {
  if (!isRecord(event) || !isSessionEvent(event) || !isRecord(event.properties)) return undefined;
  const { info } = event.properties;
  return isRecord(info) && typeof info.parentID === "string" ? info.parentID : undefined;
}

/** True for known events that are not mapped: events about the server, files or screens, and redundant events. */
export function isIgnored(event: unknown): boolean {
  if (!isRecord(event) || typeof event.type !== "string") return false;
  const [family = ""] = event.type.split(".");
  return ignoredFamilies.has(family) || ignoredTypes.has(event.type);
}

const ignoredFamilies: ReadonlySet<string> = new Set([
  "catalog",
  "command",
  "file",
  "global",
  "ide",
  "installation",
  "integration",
  "lsp",
  "mcp",
  "plugin",
  "project",
  "pty",
  "reference",
  "server",
  "storage",
  "sync",
  "tui",
  "vcs",
  "workspace",
  "worktree",
]);

const ignoredTypes: ReadonlySet<string> = new Set([
  "message.removed",
  "message.part.removed",
  "session.deleted",
  "session.diff",
]);

function isSessionEvent(event: Readonly<Record<string, unknown>>): boolean {
  return typeof event.type === "string" && event.type.startsWith("session.");
}
