import { HalyardError } from "../../core/error.ts";
import type { Halyard } from "../../core/halyard.ts";
import { liveStates } from "../../schema/session-state.ts";
import { askAboutDirectory } from "../ask-about-directory.ts";
import type { Format } from "../choices.ts";
import { requireSendable } from "../message-size.ts";
import { openDaemon } from "../open-daemon.ts";
import { whileSpinning } from "../output/spinner.ts";
import { readPromptAndInput } from "../prompt-text.ts";
import { sendFirst } from "../send-first.ts";
import { readStartRequest, type SessionFlags } from "../start-request.ts";
import { openTerminal } from "../terminal.ts";

export interface StartOptions extends SessionFlags {
  readonly format: Format;
}

export async function start(prompt: string | undefined, options: StartOptions): Promise<number> {
  const terminal = openTerminal();
  const { out, err } = terminal;
  const { format, name } = options;
  const text = prompt === undefined ? undefined : await readPromptAndInput(prompt, terminal);
  if (text !== undefined) requireSendable(text);
  await askAboutDirectory(options, terminal);
  const request = await readStartRequest(options, terminal);
  const begin = async () => {
    const halyard = await openDaemon(terminal);
    if (name !== undefined) await requireFree(halyard, name);
    return { halyard, session: await halyard.start(request) };
  };
  const { halyard, session } = await whileSpinning("starting", begin, terminal, format);
  await using _ = halyard;
  const { id } = session;
  await out.write(format === "json" ? `${JSON.stringify(session.info)}\n` : `${id}\n`);
  if (text !== undefined) await sendFirst(halyard, session, text);
  if (format === "text" && err.isTerminal)
    await err.write(err.colors.dim(`watch it: halyard attach ${name ?? id}\n`));
  return 0;
}

/** Of two sessions with one name that live, nobody could say which is meant. */
async function requireFree(halyard: Halyard, name: string): Promise<void> {
  const taken = (await halyard.sessions({ states: liveStates })).find((info) => info.name === name);
  if (taken === undefined) return;
  throw new HalyardError(
    "invalid_input",
    `${taken.id} is called ${name} and lives; \`halyard stop ${name}\` ends it, or choose another name`,
  );
}
