import { realpath } from "node:fs/promises";
import type { Session } from "../../contracts/halyard.ts";
import { HalyardError } from "../../errors/error.ts";
import { liveStates } from "../../schema/session/session-state.ts";
import type { SessionInfo } from "../../schema/session.ts";
import type { SessionLocation } from "./conversations.ts";

/**
 * Starts a session with the client's MCP servers. If the runtime does not support MCP servers, starts the session without
 * them. Does not handle a runtime that rejects one of the servers after the start.
 */
export async function withServers(
  mcpServers: SessionLocation["mcpServers"],
  start: (options: Record<string, unknown>) => Promise<Session>,
): Promise<Session> {
  if (Object.keys(mcpServers).length === 0) return start({});
  try {
    return await start({ mcpServers });
  } catch (error) {
    if (!(error instanceof HalyardError && error.code === "unsupported")) throw error;
    return start({});
  }
}

/** True if a resume failed with this error because the session has had no turn. */
export function isUnused({ turns }: SessionInfo, error: unknown): boolean {
  return error instanceof HalyardError && error.code === "not_resumable" && turns === 0;
}

/** Returns the fields that identify and configure the session. */
export function sameAs(info: SessionInfo) {
  const { id, runtime, cwd, host, name, labels, permissions, plan, reasoning } = info;
  return {
    ...{ id, runtime, cwd, host, labels, permissions, plan },
    ...(name !== undefined && { name }),
    ...(reasoning !== undefined && { reasoning }),
  };
}

/** True if the session is live and not detached, so that a Halyard process owns it. */
export function isHeld({ state }: SessionInfo): boolean {
  return state !== "detached" && liveStates.includes(state);
}

/** Rejects a different working directory. The protocol allows opening a session only in its own directory. */
export async function requireSame(cwd: string, info: SessionInfo): Promise<void> {
  if (cwd === info.cwd) return;
  const [requested, known] = await Promise.all(
    [cwd, info.cwd].map((path) => realpath(path).catch(() => path)),
  );
  if (requested === known) return;
  throw new HalyardError(
    "invalid_input",
    `Session ${info.id} works in ${info.cwd}, not in ${cwd}. Pass its own directory as cwd.`,
  );
}
