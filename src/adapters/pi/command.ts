import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import type { ConnectRequest } from "../../core/adapter.ts";
import { allowedEnvironment } from "../../core/environment.ts";
import type { Command } from "../../core/host.ts";
import { type ModelSource, PROVIDER, thinkingLevels } from "./model.ts";
import { enabledTools } from "./policy.ts";
import { keysIn } from "./provider-keys.ts";
import { KEY_VARIABLE, type RpcFiles } from "./rpc-files.ts";
import { sessionsDir } from "./session-file.ts";

export interface CommandParts {
  /** Pi's program: a script that Node runs, or one that runs by itself. */
  readonly program: string;
  readonly runsItself?: boolean;
  readonly source: ModelSource;
  readonly files: RpcFiles;
  /** The record of the session to be resumed. */
  readonly sessionFile: string | undefined;
  /** Ours, of which only a part is passed on. */
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** Pi's command line for a session of its own process. */
export function toCommand(request: ConnectRequest, parts: CommandParts): Command {
  const { cwd, stateDir, reasoning } = request;
  const { program, source, files, sessionFile } = parts;
  const tools = enabledTools(request);
  const args = ["--mode", "rpc", "--offline", "--session-dir", sessionsDir(stateDir)];
  args.push("--extension", files.extension, "--no-themes");
  if (source.kind !== "own") args.push("--no-extensions", "--no-skills", "--no-prompt-templates");
  else if (request.trusted !== true) args.push("--no-extensions", ...userExtensions(files));
  if (sessionFile !== undefined) args.push("--session", sessionFile);
  args.push(...modelArgs(source));
  if (reasoning !== undefined) args.push("--thinking", thinkingLevels[reasoning]);
  if (tools !== undefined) args.push("--tools", tools.join(","));
  const env = allowedEnvironment(parts.env, {
    ...keyEnvironment(source, parts.env),
    ...request.env,
    PI_CODING_AGENT_DIR: files.agentDir,
    PI_OFFLINE: "1",
  });
  if (parts.runsItself === true) return { file: program, args, cwd, env };
  return { file: process.execPath, args: [program, ...args], cwd, env };
}

/** The variables that are Pi's own business and not its tools'; what the session was given by name is for both. */
export function hiddenVariables(
  request: ConnectRequest,
  parts: Pick<CommandParts, "source" | "env">,
) {
  const keys = Object.keys(keyEnvironment(parts.source, parts.env));
  const own = [...keys, "PI_CODING_AGENT_DIR", "PI_OFFLINE", "PI_SKIP_VERSION_CHECK"];
  return own.filter((name) => !Object.hasOwn(request.env, name));
}

/** `--no-extensions` also leaves out the user's own, which are therefore named one by one. */
function userExtensions({ agentDir }: RpcFiles): string[] {
  const directory = join(agentDir, "extensions");
  const names = existsSync(directory) ? readdirSync(directory) : [];
  return names.flatMap((name) => ["--extension", join(directory, name)]);
}

function modelArgs(source: ModelSource): string[] {
  if (source.kind === "endpoint") return ["--provider", PROVIDER, "--model", source.endpoint.id];
  if (source.id === undefined) return [];
  if (source.kind === "vendor") return ["--provider", source.provider, "--model", source.id];
  return ["--model", source.id];
}

function keyEnvironment(source: ModelSource, env: CommandParts["env"]): Record<string, string> {
  switch (source.kind) {
    case "endpoint":
      return { [KEY_VARIABLE]: source.endpoint.apiKey };
    case "vendor":
      return {
        [source.provider === "anthropic" ? "ANTHROPIC_API_KEY" : "OPENAI_API_KEY"]: source.apiKey,
      };
    case "own":
      return keysIn(env);
  }
}
