import { basename, isAbsolute, resolve } from "node:path";
import { z } from "zod";
import type { ConnectRequest } from "../../core/adapter.ts";
import { readAgentFile, writeAgentFile } from "../../core/agent-writable.ts";
import { allowedEnvironment, type Environment } from "../../core/environment.ts";
import { HalyardError } from "../../core/error.ts";
import type { Command } from "../../core/host.ts";
import { type ProgramSearch, probeProgram } from "../../core/program.ts";
import { splitCommand } from "./command-line.ts";
import { type GivenOptions, readOptions } from "./options.ts";
import { type Preset, presets } from "./presets.ts";

/** An agent's command line, and what goes with it. */
export interface AgentPlaces {
  readonly env: Environment;
  /** The command line unless the session names another. */
  readonly command?: readonly string[] | undefined;
}

/** How a program is looked for that was named by its command line. */
export function programSearch(
  command: readonly string[],
  env: Environment,
  hint = NO_HINT,
): ProgramSearch {
  const [file = ""] = command;
  return {
    displayName: file,
    command: file,
    env,
    describe: async (found) => ({ file: found }),
    installed: async () => undefined,
    hint,
  };
}

const NO_HINT = "install it, or name it by its path";

/** What to start for a session. A session that is gone on with is started as it was. */
export async function toCommand(
  request: ConnectRequest,
  { env, command }: AgentPlaces,
): Promise<Command> {
  const { cwd, stateDir } = request;
  const options = readOptions(request);
  const words = requireCommand(commandIn(options) ?? command ?? recall(stateDir));
  const [name, ...args] = words;
  const all = { ...env, ...request.env };
  const bin = name.includes("/") && !isAbsolute(name) ? resolve(cwd, name) : name;
  const found = await probeProgram({ ...programSearch(words, all), bin });
  if (!found.available)
    throw new HalyardError("runtime_unavailable", `${found.reason}: ${found.hint}`);
  remember(stateDir, [bin, ...args]);
  const own = agentEnvironment(words, env, options.passEnv);
  return { file: found.program ?? bin, args, cwd, env: { ...own, ...request.env } };
}

/** The command line that a session names. */
export function commandIn({ command }: GivenOptions): readonly string[] | undefined {
  return typeof command === "string" ? splitCommand(command) : command;
}

/** The same, where there is one. */
export function requireCommand(words: readonly string[] = []): readonly [string, ...string[]] {
  const [name = "", ...args] = words;
  if (name !== "") return [name, ...args];
  const message = 'the runtime acp needs a command: --command "agent acp", or options.command';
  throw new HalyardError("invalid_input", message);
}

/** What an agent may see of an environment: what every program may, and what it signs in with. */
export function agentEnvironment(
  command: readonly string[],
  env: Environment,
  names: readonly string[],
): Record<string, string> {
  return allowedEnvironment(env, passed(env, [...names, ...(presetOf(command)?.passEnv ?? [])]));
}

/** An agent that is known keeps its keys, by whatever path it was called. */
function presetOf(words: readonly string[]): Preset | undefined {
  const name = basename(words[0] ?? "");
  return presets.find(({ command }) => command[0] === name);
}

/** The variables of those names; a name may end in an asterisk. */
function passed(env: Environment, names: readonly string[]): Record<string, string> {
  const isMeant = (variable: string) =>
    names.some((name) =>
      name.endsWith("*") ? variable.startsWith(name.slice(0, -1)) : variable === name,
    );
  const found = Object.entries(env).filter(
    (entry): entry is [string, string] => entry[1] !== undefined,
  );
  return Object.fromEntries(found.filter(([variable]) => isMeant(variable)));
}

const COMMAND_FILE = "acp-command.json";

function remember(stateDir: string, command: readonly string[]): void {
  writeAgentFile(stateDir, COMMAND_FILE, JSON.stringify(command));
}

function recall(stateDir: string): string[] | undefined {
  try {
    return z.array(z.string()).parse(JSON.parse(readAgentFile(stateDir, COMMAND_FILE) ?? ""));
  } catch {
    return undefined; // nobody has named one before
  }
}
