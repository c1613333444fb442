import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import type { ConnectRequest } from "../../contracts/adapter.ts";
import type { Command } from "../../contracts/host.ts";
import { parseInput } from "../../errors/parse-input.ts";
import { allowedEnvironment } from "../../programs/environment.ts";
import { PiOptions } from "../../schema/runtimes/runtime-options.ts";
import type { FoundPi } from "./find.ts";
import { type ModelSource, PROVIDER, thinkingLevels } from "./model/model.ts";
import { keysIn } from "./model/provider-keys.ts";
import { enabledTools } from "./policy.ts";
import { KEY_REFERENCE, KEY_VARIABLE, type RpcFiles } from "./rpc/files.ts";
import { sessionsDir } from "./session-file.ts";

/** The parts of the command line that do not come from the request. */
export interface CommandParts {
  readonly pi: Pick<FoundPi, "program" | "node">;
  readonly source: ModelSource;
  readonly files: RpcFiles;
  /**
   * The session file that Pi uses, which may not exist yet. If the host has its own files, the id of the session to
   * resume. Undefined if Pi creates a new file.
   */
  readonly sessionFile: string | undefined;
  /** The file that contains the conversation to fork. Defaults to none. */
  readonly forkFile?: string | undefined;
  /** The environment of this process. Pi receives only a part of it. */
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** Builds the command line and environment of the Pi process for a session. */
export function toCommand(request: ConnectRequest, parts: CommandParts): Command {
  const { cwd, stateDir, reasoning } = request;
  const { pi, source, files, sessionFile, forkFile } = parts;
  const tools = enabledTools(request);
  const args = ["--mode", "rpc", "--offline", "--session-dir", sessionsDir(stateDir)];
  args.push("--extension", files.extension, "--no-themes");
  if (source.kind !== "own") args.push("--no-extensions", "--no-skills", "--no-prompt-templates");
  else if (request.trusted !== true) args.push("--no-extensions", ...userExtensions(files));
  if (sessionFile !== undefined) args.push("--session", sessionFile);
  if (forkFile !== undefined) args.push("--fork", forkFile);
  args.push(...modelArgs(source, parseInput(PiOptions, request.options)));
  if (reasoning !== undefined) args.push("--thinking", thinkingLevels[reasoning]);
  if (tools !== undefined) args.push("--tools", tools.join(","));
  const env = allowedEnvironment(parts.env, {
    ...keyEnvironment(source, parts.env),
    ...request.env,
    PI_CODING_AGENT_DIR: files.agentDir,
    PI_OFFLINE: "1",
  });
  if (pi.node === undefined) return { file: pi.program, args, cwd, env };
  return { file: pi.node, args: [pi.program, ...args], cwd, env };
}

/** Returns the names of the variables to hide from Pi's tools, except variables that the request sets. */
export function hiddenVariables(
  request: ConnectRequest,
  parts: Pick<CommandParts, "source" | "env">,
) {
  const keys = Object.keys(keyEnvironment(parts.source, parts.env));
  const own = [...keys, "PI_CODING_AGENT_DIR", "PI_OFFLINE", "PI_SKIP_VERSION_CHECK"];
  return own.filter((name) => !Object.hasOwn(request.env, name));
}

/** Returns the options that load the user's extensions, because `--no-extensions` disables these extensions too. */
function userExtensions({ agentDir }: RpcFiles): string[] {
  const directory = join(agentDir, "extensions");
  const names = existsSync(directory) ? readdirSync(directory) : [];
  return names.flatMap((name) => ["--extension", join(directory, name)]);
}

function modelArgs(source: ModelSource, { provider }: PiOptions): string[] {
  if (source.kind === "endpoint") return ["--provider", PROVIDER, "--model", source.endpoint.id];
  if (source.id === undefined) return [];
  if (source.kind === "vendor") return ["--provider", source.provider, "--model", source.id];
  if (provider === undefined) return ["--model", source.id];
  const id = source.id.startsWith(`${provider}/`)
    ? source.id.slice(provider.length + 1)
    : source.id;
  return ["--provider", provider, "--model", id];
}

function keyEnvironment(source: ModelSource, env: CommandParts["env"]): Record<string, string> {
  switch (source.kind) {
    case "endpoint":
      return {
        [KEY_VARIABLE]: source.endpoint.apiKey,
        [KEY_REFERENCE]: source.endpoint.apiKey,
      };
    case "vendor":
      return {
        [source.provider === "anthropic" ? "ANTHROPIC_API_KEY" : "OPENAI_API_KEY"]: source.apiKey,
      };
    case "own":
      return keysIn(env);
  }
}
