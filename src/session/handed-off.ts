import { join } from "node:path";
import type { Adapter } from "../contracts/adapter.ts";
import type { Halyard } from "../contracts/halyard.ts";
import type { HalyardParts } from "../contracts/halyard-parts.ts";
import type { SessionRequest } from "../contracts/session-request.ts";
import { follow } from "../log/follow.ts";
import { storeSource } from "../log/store-source.ts";
import { writeAgentFile } from "../permissions/agent-writable.ts";
import type { SessionId } from "../schema/id.ts";
import type { RuntimeName } from "../schema/runtime.ts";
import type { Handoff, SessionInfo } from "../schema/session.ts";

/**
 * Hands a session off to another runtime at a usage limit. `id` is the id of the new session. Has no effect if an
 * earlier process has already sent the brief to the new session.
 */
export async function handOff(
  halyard: Halyard,
  from: SessionId,
  to: RuntimeName,
  id: SessionId,
): Promise<void> {
  const known = await halyard.find(id);
  if (known && (known.turns > 0 || known.turn || known.queue.length > 0)) return;
  // loaded on demand, because most sessions reach no limit
  const { handoff } = await import("../halyard/handoff/handoff.ts");
  await handoff(halyard, from, to, { request: { id } });
}

/**
 * Adds to the info of a new session which session was handed off to it, and how its agent reads the log of that
 * session.
 */
export function handedOff(
  parts: HalyardParts,
  info: SessionInfo,
  { id: from }: SessionInfo,
  { capabilities }: Adapter,
): SessionInfo {
  const { state } = parts.directories(info.id, info);
  // The MCP server cannot run in a container, which contains neither this program nor the store.
  const canServe = capabilities.includes("mcp") && info.host !== "container";
  const log: Handoff["log"] =
    canServe && parts.logServer?.(from)
      ? { server: SERVER, tool: LOG_TOOL }
      : { file: join(state, TRANSCRIPT) };
  return { ...info, handoff: { from, log } };
}

/**
 * Adds the MCP server that reads the log of the earlier session to the request of the session that continues its work.
 * Returns the request unchanged if the session continues no other session, or if its agent reads the log from a file.
 */
export function withLogServer(
  { logServer }: HalyardParts,
  request: SessionRequest,
  { handoff }: SessionInfo,
): SessionRequest {
  const server = handoff && "server" in handoff.log && logServer?.(handoff.from);
  if (!server) return request;
  const { options } = request;
  const mcpServers = { ...Object(options.mcpServers), [SERVER]: server };
  return { ...request, options: { ...options, mcpServers } };
}

/**
 * Writes the log of the earlier session to the new session's state directory. Has no effect if the agent does not read
 * the log from a file, or if the earlier session was removed.
 */
export async function writeTranscript(parts: HalyardParts, session: SessionInfo): Promise<void> {
  const { handoff } = session;
  if (!handoff || !("file" in handoff.log)) return;
  const old = await parts.store.find(handoff.from);
  if (!old) return; // the old session has been removed since the new one was recorded
  const { transcriptOf } = await import("../halyard/handoff/transcript.ts");
  const events = follow(storeSource(parts.store, handoff.from), { follow: false });
  const { state } = parts.directories(session.id, session);
  writeAgentFile(state, TRANSCRIPT, await transcriptOf(old.info, events));
}

/** The name of the tool that `halyard mcp --log` serves. */
const LOG_TOOL = "session_log";
const SERVER = "halyard_log";
const TRANSCRIPT = "handoff.md";
