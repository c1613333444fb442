import { HalyardError } from "../../core/error.ts";
import { findSession } from "../../core/find-session.ts";
import type { SessionInfo } from "../../schema/session.ts";
import { openDaemon } from "../open-daemon.ts";
import { tilde } from "../output/words.ts";
import { openTerminal, type Terminal } from "../terminal.ts";
import { viewScreen } from "../view-screen.ts";
import { firstShown, viewSession } from "../view-session.ts";

export async function attach(name: string, { all = false }: { all?: boolean }): Promise<number> {
  const terminal = openTerminal();
  const { out, err } = terminal;
  if (!terminal.isAttended || !out.isTerminal)
    throw new HalyardError(
      "invalid_input",
      `attach needs a terminal; \`halyard events ${name} --follow\` shows the same to a program`,
    );
  await using halyard = await openDaemon(terminal);
  const info = await findSession(halyard, name);
  if (info.host === "tmux") {
    await viewScreen(info, terminal);
    return 0;
  }
  const session = await halyard.session(info.id);
  await out.write(heading(info, terminal));
  const end = await viewSession(session, terminal, { after: all ? 0 : firstShown(info) });
  const words = end === "left" ? `it goes on; come back: halyard attach ${name}` : "it has ended";
  await err.write(`\n${err.colors.dim(words)}\n`);
  return 0;
}

function heading({ id, name, runtime, cwd, state }: SessionInfo, { out }: Terminal): string {
  const who = name === undefined ? id : `${name} (${id})`;
  const keys = "Enter sends · Ctrl-C interrupts · Ctrl-D leaves, and it goes on";
  return `${out.colors.dim(`${runtime} · ${tilde(cwd)} · ${who} · ${state}\n${keys}`)}\n\n`;
}
