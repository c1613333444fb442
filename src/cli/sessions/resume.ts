import { findSession } from "../../halyard/find-session.ts";
import { resumeAnywhere } from "../../halyard/resume-anywhere.ts";
import type { Format } from "../choices.ts";
import { openConsole } from "../console/console.ts";
import { openDaemon } from "../open-daemon.ts";
import { whileSpinning } from "../output/spinner.ts";
import { readResumeOptions, type SessionFlags } from "../start-request.ts";

export interface ResumeCommandOptions
  extends Pick<
    SessionFlags,
    "model" | "baseUrl" | "api" | "apiKeyEnv" | "permissions" | "reasoning"
  > {
  readonly format: Format;
  /** The cluster machine that continues the session: its name, or one of its labels. */
  readonly on?: string;
}

export async function resume(session: string, options: ResumeCommandOptions): Promise<number> {
  const console = openConsole();
  const { out } = console;
  const { format } = options;
  await using halyard = await openDaemon(console, { hosts: true });
  const info = await findSession(halyard, session);
  const { on } = options;
  const given = {
    ...(await readResumeOptions(options, info, console)),
    ...(on !== undefined && { on }),
  };
  const work = () => resumeAnywhere(halyard, info.id, given);
  const resumed = await whileSpinning("resuming", work, console, format);
  const { opened, id } = resumed;
  if (format === "json") await out.write(`${JSON.stringify({ ...resumed.info, opened })}\n`);
  else await out.write(format === "quiet" ? `${id}\n` : `${id} ${meanings[opened]}\n`);
  return 0;
}

const meanings = {
  started: "is running",
  resumed: "resumed from the agent's own session",
  attached: "was still running; attached",
};
