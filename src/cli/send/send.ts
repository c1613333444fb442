import { exitCodeOf } from "../../errors/error.ts";
import { findSession } from "../../halyard/find-session.ts";
import { requireTaken } from "../../halyard/turn-results.ts";
import type { Delivery } from "../../schema/delivery.ts";
import { type AttachmentFlags, attach } from "../attachments.ts";
import type { Format } from "../choices.ts";
import { openConsole } from "../console/console.ts";
import { openDaemon } from "../open-daemon.ts";
import { readPromptAndInput } from "../prompt-text.ts";
import { requireSendable } from "./message-size.ts";
import { openForMessage } from "./open-for-message.ts";
import { printTurn } from "./print-turn.ts";

export interface SendFlags extends AttachmentFlags {
  readonly format: Format;
  readonly steer?: boolean;
  readonly interrupt?: boolean;
  readonly wait?: boolean;
  /** False for `--no-resume`. */
  readonly resume: boolean;
  readonly plain?: boolean;
}

export async function send(session: string, prompt: string, options: SendFlags): Promise<number> {
  const console = openConsole(options);
  const { format, wait = false } = options;
  const text = await readPromptAndInput(prompt, console);
  requireSendable(text);
  const message = await attach(text, options);
  await using halyard = await openDaemon(console, { hosts: true });
  const info = await findSession(halyard, session);
  const { id } = info;
  const live = await (options.resume
    ? openForMessage(halyard, info, console)
    : halyard.session(id));
  const turn = live.send(message, { delivery: deliveryOf(options) });
  const status = await requireTaken(turn);
  if (wait) return exitCodeOf(await printTurn(live, turn, console, { format }));
  const receipt = { sessionId: id, turnId: turn.id, status };
  if (format !== "quiet")
    await console.out.write(
      format === "json" ? `${JSON.stringify(receipt)}\n` : `${statusTexts[status]}\n`,
    );
  return 0;
}

const statusTexts = {
  queued: "queued behind the running turn",
  submitted: "sent",
  confirmed: "sent, and accepted by the agent",
  failed: "failed",
};

function deliveryOf({ steer, interrupt }: SendFlags): Delivery {
  if (steer) return "steer";
  return interrupt ? "interrupt" : "queue";
}
