import { findSession } from "../../core/find-session.ts";
import type { Format } from "../choices.ts";
import { openDaemon } from "../open-daemon.ts";
import { whileSpinning } from "../output/spinner.ts";
import { readResumeOptions, type SessionFlags } from "../start-request.ts";
import { openTerminal } from "../terminal.ts";

export interface ResumeCommandOptions
  extends Pick<
    SessionFlags,
    "model" | "baseUrl" | "api" | "apiKeyEnv" | "permissions" | "reasoning"
  > {
  readonly format: Format;
}

export async function resume(session: string, options: ResumeCommandOptions): Promise<number> {
  const terminal = openTerminal();
  const { out } = terminal;
  const { format } = options;
  await using halyard = await openDaemon(terminal);
  const info = await findSession(halyard, session);
  const given = await readResumeOptions(options, info, terminal);
  const work = () => halyard.resume(info.id, given);
  const resumed = await whileSpinning("resuming", work, terminal, format);
  const { opened, id } = resumed;
  if (format === "json") await out.write(`${JSON.stringify({ ...resumed.info, opened })}\n`);
  else await out.write(format === "quiet" ? `${id}\n` : `${id} ${meanings[opened]}\n`);
  return 0;
}

const meanings = {
  started: "runs",
  resumed: "was continued by its agent from its own record",
  attached: "still ran, and is held again",
};
