import { isRecord } from "../../wire/is-record.ts";
/** An event as it is on the stream of one directory; that of all directories wraps it. */
export function unwrapEvent(native: unknown): unknown {
  return isRecord(native) && isRecord(native.payload) ? native.payload : native;
}

/** The session an event belongs to, wherever it is said. */
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

/** The session whose subagent works in the one that the event tells of. */
export function parentOf(event: unknown): string | undefined {
  if (!isRecord(event) || !isSessionEvent(event) || !isRecord(event.properties)) return undefined;
  const { info } = event.properties;
  return isRecord(info) && typeof info.parentID === "string" ? info.parentID : undefined;
}

/** Whether it is known and of no interest: about the server, its files, its screens, or told otherwise as well. */
export function isNoise(event: unknown): boolean {
  if (!isRecord(event) || typeof event.type !== "string") return false;
  const [family = ""] = event.type.split(".");
  return noisyFamilies.has(family) || noise.has(event.type);
}

const noisyFamilies: ReadonlySet<string> = new Set([
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

const noise: ReadonlySet<string> = new Set([
  "message.removed",
  "message.part.removed",
  "session.deleted",
  "session.diff",
]);

function isSessionEvent(event: Readonly<Record<string, unknown>>): boolean {
  return typeof event.type === "string" && event.type.startsWith("session.");
}
