import type { ConnectRequest } from "../../core/adapter.ts";
import type { Command } from "../../core/host.ts";
import { claudeEnvironment, type EnvironmentParts, permissionMode } from "./environment.ts";
import { effortLevels } from "./model.ts";

export interface CommandParts extends EnvironmentParts {
  /** Claude Code's program. */
  readonly file: string;
  /** The session's name, as a UUID, where it is not resumed. */
  readonly sessionId: string;
}

/** Claude Code's command line for a session. */
export function toCommand(request: ConnectRequest, parts: CommandParts): Command {
  const { cwd, resume, reasoning } = request;
  const { file, sessionId, source, files } = parts;
  const effort = reasoning && effortLevels[reasoning];
  const args = [
    ...["-p", "--verbose", "--input-format", "stream-json", "--output-format", "stream-json"],
    "--include-partial-messages",
    ...["--permission-prompt-tool", "stdio", "--permission-mode", permissionMode(request)],
    ...["--settings", files.settings],
    ...(resume === undefined ? ["--session-id", sessionId] : ["--resume", resume]),
    ...(source.id === undefined ? [] : ["--model", source.id]),
    ...(effort === undefined ? [] : ["--effort", effort]),
    ...(request.plan ? [] : ["--disallowedTools", NO_UNASKED_PLANS]),
  ];
  return { file, args, cwd, env: claudeEnvironment(request, parts) };
}

/** Whether to plan first is for the session to say: nobody may be there to let Claude out of it again. */
export const NO_UNASKED_PLANS = "EnterPlanMode";
