import { unlessAborted } from "../async/unless-aborted.ts";
import { within } from "../async/watchdog.ts";
import type { SlashCommand } from "../schema/conversation/slash-command.ts";
import { unsupported } from "./change-session.ts";
import type { SessionParts } from "./session-parts.ts";

type QueryParts = Pick<SessionParts, "connection" | "log">;

/**
 * Resolves when the runtime responds, or immediately if the connection has no `ping`. Rejects after 10 s, or if the session
 * ends first.
 */
export async function pingRuntime(
  { connection, log }: QueryParts,
  gone: AbortSignal,
): Promise<void> {
  const answer = unlessAborted(Promise.resolve(connection.ping?.()), gone);
  await within("ping", 10_000, `waiting for ${log.info.runtime} to respond`, answer);
}

/**
 * Lists the slash commands of the runtime. Rejects with `unsupported` if the connection cannot list them, and with the
 * session's error if the session ends first.
 */
export async function listCommands(
  { connection, log }: QueryParts,
  gone: AbortSignal,
): Promise<SlashCommand[]> {
  if (!connection.commands) throw unsupported(log.info, "commands");
  await unlessAborted(connection.ready(), gone);
  return [...(await unlessAborted(connection.commands(), gone))];
}
