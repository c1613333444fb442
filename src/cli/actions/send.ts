import { exitCodeOf } from "../../core/error.ts";
import { findSession } from "../../core/find-session.ts";
import { requireTaken } from "../../core/turn-results.ts";
import type { Delivery } from "../../schema/delivery.ts";
import { liveStates } from "../../schema/session-state.ts";
import type { Format } from "../choices.ts";
import { requireSendable } from "../message-size.ts";
import { openDaemon } from "../open-daemon.ts";
import { readPrompt } from "../prompt-text.ts";
import { readResumeOptions } from "../start-request.ts";
import { openTerminal } from "../terminal.ts";
import { watchTurn } from "../watch-turn.ts";

export interface SendOptions {
  readonly format: Format;
  readonly steer?: boolean;
  readonly interrupt?: boolean;
  readonly wait?: boolean;
  /** False with --no-resume. */
  readonly resume: boolean;
  readonly plain?: boolean;
}

export async function send(session: string, prompt: string, options: SendOptions): Promise<number> {
  const terminal = openTerminal(options);
  const { format, wait = false } = options;
  const text = await readPrompt(prompt, terminal);
  requireSendable(text);
  await using halyard = await openDaemon(terminal);
  const info = await findSession(halyard, session);
  const { id } = info;
  const live =
    options.resume && !liveStates.includes(info.state)
      ? await halyard.resume(id, await readResumeOptions({}, info, terminal))
      : await halyard.session(id);
  const turn = live.send(text, { delivery: deliveryOf(options) });
  const status = await requireTaken(turn);
  if (wait) return exitCodeOf(await watchTurn(live, turn, terminal, { format }));
  const receipt = { sessionId: id, turnId: turn.id, status };
  if (format !== "quiet")
    await terminal.out.write(
      format === "json" ? `${JSON.stringify(receipt)}\n` : `${words[status]}\n`,
    );
  return 0;
}

const words = {
  queued: "queued: it waits for the turn under way",
  submitted: "sent",
  confirmed: "sent, and taken up",
  failed: "failed",
};

function deliveryOf({ steer, interrupt }: SendOptions): Delivery {
  if (steer) return "steer";
  return interrupt ? "interrupt" : "queue";
}
