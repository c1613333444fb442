import type { HalyardParts } from "../contracts/halyard-parts.ts";
import { HalyardError } from "../errors/error.ts";
import { requireSessionId } from "../errors/require-id.ts";
import { createRedactor } from "../log/redaction/redaction.ts";
import type { SessionScreen } from "../schema/page/screen.ts";
import { requireRecord } from "../session/recovery/claim.ts";
import { secretsOfRunning } from "../session/session-secrets.ts";

/**
 * Reads the screen of a session in tmux and redacts its keys. Works in any process of the user, not only in the owner of
 * the session. Rejects with `unsupported` on another host, and with `session_stopped` if the program has ended.
 */
export async function readScreen(parts: HalyardParts, text: string): Promise<SessionScreen> {
  const { info } = await requireRecord(parts, requireSessionId(text));
  const host = parts.hosts.get(info.host);
  if (!host?.attachTerminal)
    throw new HalyardError(
      "unsupported",
      `Session ${info.id} has no screen: its host is ${info.host}. Start a session with the host tmux (--host tmux).`,
    );
  const terminal = await host.attachTerminal(parts.directories(info.id, info).run);
  if (terminal === undefined)
    throw new HalyardError(
      "session_stopped",
      `Session ${info.id} has no screen: its program has ended. Run "halyard events ${info.id}" to read its log.`,
    );
  try {
    const { known, sealed } = await secretsOfRunning(parts, info);
    const { redact } = createRedactor([...parts.secrets, ...known], sealed);
    const { lines, title, cursor } = await terminal.look({ styles: true });
    // The rows are redacted as one text, because a key may wrap at the edge of the screen.
    const shown = redact(lines.join("\n")).split("\n");
    const viewCommand = [...terminal.viewCommand];
    return { lines: shown, title: redact(title), cursor, viewCommand };
  } finally {
    await terminal.detach();
  }
}
