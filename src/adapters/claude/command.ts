import type { ConnectRequest } from "../../contracts/adapter.ts";
import type { Command } from "../../contracts/host.ts";
import { effortLevels } from "./model.ts";
import { claudeOptions } from "./options.ts";
import { permissionMode } from "./policy.ts";
import { claudeEnvironment, type EnvironmentParts } from "./settings/environment.ts";
import { mcpArguments } from "./settings/run-files.ts";
import { untrustedArguments } from "./settings/untrusted.ts";

/** The parts of the command line that do not come from the request. */
export interface CommandParts extends EnvironmentParts {
  /** The path of the Claude Code executable. */
  readonly file: string;
}

/** Builds the command line and environment of the Claude Code process for a session. */
export function toCommand(request: ConnectRequest, parts: CommandParts): Command {
  const { cwd, resume, fork, reasoning, tools } = request;
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
    ...(fork ? ["--resume", fork.runtimeSessionId, "--fork-session"] : []),
    ...(resume === undefined ? ["--session-id", sessionId] : ["--resume", resume]),
    ...(source.id === undefined ? [] : ["--model", source.id]),
    ...(effort === undefined ? [] : ["--effort", effort]),
    ...(tools?.enabled ? ["--tools", tools.enabled.join(",")] : []),
    ...(disabled.length > 0 ? ["--disallowedTools", disabled.join(",")] : []),
  ];
  return { file, args, cwd, env: claudeEnvironment(request, parts) };
}

/** Returns the names of the tools that are disabled in a session. */
export function disabledTools({ plan, tools }: ConnectRequest): string[] {
  return [...(plan ? [] : [ENTER_PLAN_TOOL]), ...(tools?.disabled ?? [])];
}

/**
 * A tool that is disabled outside planning sessions, because in an unattended session no user could approve leaving
 * plan mode.
 */
const ENTER_PLAN_TOOL = "EnterPlanMode";
