import type { ConnectRequest } from "../../core/adapter.ts";
import type { Command } from "../../core/host.ts";
import { claudeEnvironment, type EnvironmentParts } from "./environment.ts";
import { effortLevels } from "./model.ts";
import { claudeOptions } from "./options.ts";
import { permissionMode } from "./policy.ts";
import { mcpArguments } from "./run-files.ts";
import { untrustedArguments } from "./untrusted.ts";

export interface CommandParts extends EnvironmentParts {
  /** Claude Code's program. */
  readonly file: string;
}

/** Claude Code's command line for a session. */
export function toCommand(request: ConnectRequest, parts: CommandParts): Command {
  const { cwd, resume, reasoning, tools } = request;
  const { file, sessionId, source, files } = parts;
  const effort = reasoning && effortLevels[reasoning];
  const disabled = disabledTools(request);
  const args = [
    ...["-p", "--verbose", "--input-format", "stream-json", "--output-format", "stream-json"],
    "--include-partial-messages",
    ...["--permission-prompt-tool", "stdio", "--permission-mode", permissionMode(request)],
    ...["--settings", files.settings],
    ...mcpArguments(files, claudeOptions(request).mcpServers),
    ...untrustedArguments(request),
    ...(resume === undefined ? ["--session-id", sessionId] : ["--resume", resume]),
    ...(source.id === undefined ? [] : ["--model", source.id]),
    ...(effort === undefined ? [] : ["--effort", effort]),
    ...(tools?.enabled ? ["--tools", tools.enabled.join(",")] : []),
    ...(disabled.length > 0 ? ["--disallowedTools", disabled.join(",")] : []),
  ];
  return { file, args, cwd, env: claudeEnvironment(request, parts) };
}

/** The tools that Claude is to do without. */
export function disabledTools({ plan, tools }: ConnectRequest): string[] {
  return [...(plan ? [] : [NO_UNASKED_PLANS]), ...(tools?.disabled ?? [])];
}

/** Whether to plan first is for the session to say: nobody may be there to let Claude out of it again. */
const NO_UNASKED_PLANS = "EnterPlanMode";
