import { basename, isAbsolute, resolve } from "node:path";
import { z } from "zod";
import type { ConnectRequest } from "../../../contracts/adapter.ts";
import type { Command } from "../../../contracts/host.ts";
import { HalyardError } from "../../../errors/error.ts";
import { readAgentFile, writeAgentFile } from "../../../permissions/agent-writable.ts";
import { allowedEnvironment, type Environment } from "../../../programs/environment.ts";
import { type ProgramSearch, probeProgram } from "../../../programs/program.ts";
import { type GivenOptions, readOptions } from "../options.ts";
import { splitCommand } from "./command-line.ts";
import { type Preset, presets } from "./presets.ts";

/** The default command line of an agent and the environment of this process. */
export interface AgentPaths {
  readonly env: Environment;
  /** The default command line. A session can set another one. */
  readonly command?: readonly string[] | undefined;
}

/** Describes how to find the program of a command line. */
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

/** Builds the command of a session. A resumed session uses the command of its first start by default. */
export async function toCommand(
  request: ConnectRequest,
  { env, command }: AgentPaths,
): Promise<Command> {
  const { cwd, stateDir } = request;
  const options = readOptions(request);
  const commandLine = requireCommand(commandIn(options) ?? command ?? readCommand(stateDir));
  const [name, ...args] = commandLine;
  const all = { ...env, ...request.env };
  const bin = name.includes("/") && !isAbsolute(name) ? resolve(cwd, name) : name;
  const found = await probeProgram({ ...programSearch(commandLine, all), bin });
  if (!found.available)
    throw new HalyardError("runtime_unavailable", `${found.reason}: ${found.hint}`);
  writeCommand(stateDir, [bin, ...args]);
  const own = agentEnvironment(commandLine, env, options.passEnv);
  return { file: found.program ?? bin, args, cwd, env: { ...own, ...request.env } };
}

/** Returns the command line in the options of a session. */
export function commandIn({ command }: GivenOptions): readonly string[] | undefined {
  return typeof command === "string" ? splitCommand(command) : command;
}

/** Throws `invalid_input` if there is no command line. */
export function requireCommand(
  commandLine: readonly string[] = [],
): readonly [string, ...string[]] {
  const [name = "", ...args] = commandLine;
  if (name !== "") return [name, ...args];
  const message = 'The runtime acp needs a command. Set --command "agent acp", or options.command.';
  throw new HalyardError("invalid_input", message);
}

/** Returns the variables that an agent receives: the allowed ones, the named ones, and those with which it signs in. */
export function agentEnvironment(
  command: readonly string[],
  env: Environment,
  names: readonly string[],
): Record<string, string> {
  return allowedEnvironment(env, passed(env, [...names, ...(presetOf(command)?.passEnv ?? [])]));
}

/** Finds the preset by the name of the program, in any directory. */
function presetOf(commandLine: readonly string[]): Preset | undefined {
  const name = basename(commandLine[0] ?? "");
  return presets.find(({ command }) => command[0] === name);
}

/** Returns the named variables. A name may end in an asterisk. */
function passed(env: Environment, names: readonly string[]): Record<string, string> {
  const isNamed = (variable: string) =>
    names.some((name) =>
      name.endsWith("*") ? variable.startsWith(name.slice(0, -1)) : variable === name,
    );
  const found = Object.entries(env).filter(
    (entry): entry is [string, string] => entry[1] !== undefined,
  );
  return Object.fromEntries(found.filter(([variable]) => isNamed(variable)));
}

const COMMAND_FILE = "acp-command.json";

function writeCommand(stateDir: string, command: readonly string[]): void {
  writeAgentFile(stateDir, COMMAND_FILE, JSON.stringify(command));
}

function readCommand(stateDir: string): string[] | undefined {
  try {
    return z.array(z.string()).parse(JSON.parse(readAgentFile(stateDir, COMMAND_FILE) ?? ""));
  } catch {
    return undefined; // the session has not been started before
  }
}
