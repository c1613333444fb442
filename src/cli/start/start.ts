import type { Halyard } from "../../contracts/halyard.ts";
import { HalyardError } from "../../errors/error.ts";
import { liveStates } from "../../schema/session/session-state.ts";
import { type AttachmentFlags, attach } from "../attachments.ts";
import type { Format } from "../choices.ts";
import { openConsole } from "../console/console.ts";
import { openDaemon } from "../open-daemon.ts";
import { whileSpinning } from "../output/spinner.ts";
import { readOptionalPrompt } from "../prompt-text.ts";
import { withContinuedSession } from "../runtime/continued-session.ts";
import { requireSendable } from "../send/message-size.ts";
import { readStartRequest, type SessionFlags } from "../start-request.ts";
import { askAboutDirectory } from "../trust/ask-about-directory.ts";
import { sendFirst } from "./send-first.ts";

export interface StartOptions extends SessionFlags, AttachmentFlags {
  readonly format: Format;
}

export async function start(prompt: string | undefined, options: StartOptions): Promise<number> {
  const console = openConsole();
  const { out, err } = console;
  const { format, name } = options;
  const text = await readOptionalPrompt(prompt, console);
  if (text !== undefined) requireSendable(text);
  const message = text === undefined ? requireNoAttachments(options) : await attach(text, options);
  await askAboutDirectory(options, console);
  const request = await readStartRequest(options, console);
  const startInDaemon = async () => {
    const halyard = await openDaemon(console, { hosts: true });
    if (name !== undefined) await requireUnusedName(halyard, name);
    const continued = await withContinuedSession(halyard, request, options);
    return { halyard, session: await halyard.start(continued) };
  };
  const { halyard, session } = await whileSpinning("starting", startInDaemon, console, format);
  await using _ = halyard;
  const { id } = session;
  await out.write(format === "json" ? `${JSON.stringify(session.info)}\n` : `${id}\n`);
  if (message !== undefined) await sendFirst(halyard, session, message);
  if (format === "text" && err.isTTY)
    await err.write(err.colors.dim(`To watch it: halyard attach ${name ?? id}\n`));
  return 0;
}

function requireNoAttachments({ image, file, schema }: AttachmentFlags): undefined {
  if ((image ?? file ?? schema) === undefined) return undefined;
  const message = "--image, --file and --schema need a prompt. Add a prompt.";
  throw new HalyardError("invalid_input", message);
}

/** Throws if a live session has this name, because a name must identify one session. */
async function requireUnusedName(halyard: Halyard, name: string): Promise<void> {
  const taken = (await halyard.sessions({ states: liveStates })).find((info) => info.name === name);
  if (taken === undefined) return;
  throw new HalyardError(
    "invalid_input",
    `The name "${name}" is used by the live session ${taken.id}. Choose another name, or run "halyard stop ${name}".`,
  );
}
