import { basename, isAbsolute, resolve } from "node:path";
import type { ConnectRequest } from "../../../contracts/adapter.ts";
import type { Command } from "../../../contracts/host.ts";
import { HalyardError } from "../../../errors/error.ts";
import { allowedEnvironment, type Environment } from "../../../programs/environment.ts";
import { type ProgramSearch, probeProgram } from "../../../programs/program.ts";
import { acpBridge } from "../../acp-bridge.ts";
import { type GivenOptions, readOptions } from "../options.ts";
import { splitCommand } from "./command-line.ts";
import { type Preset, presets } from "./presets.ts";

/** An agent's default command line, and the environment of this process. */
export interface AgentPaths {
  readonly env: Environment;
  /** The default command line. A session can override it. */
  readonly command?: readonly string[] | undefined;
}

/** Describes how to find the program that a command line starts. */
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

const NO_HINT = "install it, or specify its full path";

/**
 * Builds a session's command. On a resume, the options contain the command that Halyard stored at the first start, unless
 * the command contained a key. Throws `invalid_input` if there is no command, and `runtime_unavailable` if the program is
 * not installed.
 */
export async function toCommand(
  request: ConnectRequest,
  { env, command }: AgentPaths,
): Promise<Command> {
  const { cwd } = request;
  const options = readOptions(request);
  const given = commandIn(options) ?? command;
  if (given === undefined && request.resume !== undefined)
    throw new HalyardError("invalid_input", NOT_RECORDED);
  const commandLine = requireCommand(given);
  const [name, ...args] = commandLine;
  const all = { ...env, ...request.env };
  const bin = programFile(name, cwd);
  const found = await probeProgram({ ...programSearch(commandLine, all), bin });
  if (!found.available)
    throw new HalyardError(
      "runtime_unavailable",
      `The agent cannot be started: ${found.reason}. To correct this, ${found.hint}.`,
    );
  const isRemote = commandLine[1] === acpBridge;
  const own = agentEnvironment(commandLine, env, [
    ...options.passEnv,
    ...(isRemote ? [TOKEN_VARIABLE] : []),
  ]);
  return { file: found.program ?? bin, args, cwd, env: { ...own, ...request.env } };
}

/** Resolves the relative path of a program against `cwd`. Returns a name or an absolute path unchanged. */
export function programFile(name: string, cwd: string): string {
  return name.includes("/") && !isAbsolute(name) ? resolve(cwd, name) : name;
}

const NOT_RECORDED =
  "Halyard did not store this session's command, because it contains a key. Start a new session, or resume this session in the library or over HTTP with options.command or options.url.";

/**
 * Returns the command line in a session's options: the agent's, or the bridge's if the agent is remote. Returns undefined
 * if the options contain neither `command` nor `url`. Throws `invalid_input` if they contain both, or if the value is
 * invalid.
 */
export function commandIn({ command, url }: GivenOptions): readonly string[] | undefined {
  if (url === undefined) return typeof command === "string" ? splitCommand(command) : command;
  if (command === undefined) return [process.execPath, acpBridge, webSocketUrl(url)];
  throw new HalyardError(
    "invalid_input",
    "command: cannot be combined with url. Remove one of them.",
  );
}

/**
 * Returns the WebSocket URL of a remote agent. Throws `invalid_input` for an unencrypted connection to another machine,
 * because the token would be readable on the network.
 */
function webSocketUrl(address: string): string {
  const url = new URL(address.replace(/^http/i, "ws"));
  const isLoopback = ["localhost", "[::1]"].includes(url.hostname) || /^127\./.test(url.hostname);
  if (url.protocol === "wss:" || (url.protocol === "ws:" && isLoopback)) return url.href;
  throw new HalyardError(
    "invalid_input",
    `url: ${address} is not encrypted. Use wss://, or ws:// for an agent on this machine.`,
  );
}

/** Returns the command line. Throws `invalid_input` if it is missing or empty. */
export function requireCommand(
  commandLine: readonly string[] = [],
): readonly [string, ...string[]] {
  const [name = "", ...args] = commandLine;
  if (name !== "") return [name, ...args];
  const message =
    'The runtime acp needs a command or an address. Pass --command "agent acp" or --url wss://host/acp, or set options.command or options.url.';
  throw new HalyardError("invalid_input", message);
}

/**
 * Returns the variables that an agent receives: the allow-listed variables, the variables in `names`, and the variables
 * with which the agent's preset signs in.
 */
export function agentEnvironment(
  command: readonly string[],
  env: Environment,
  names: readonly string[],
): Record<string, string> {
  return allowedEnvironment(env, passed(env, [...names, ...(presetOf(command)?.passEnv ?? [])]));
}

/** The variable that contains a remote agent's token. */
export const TOKEN_VARIABLE = "ACP_TOKEN";

/** Returns the preset whose program has the same file name. The program's directory is ignored. */
function presetOf(commandLine: readonly string[]): Preset | undefined {
  const name = basename(commandLine[0] ?? "");
  return presets.find(({ command }) => command[0] === name);
}

/** Returns the named variables. An asterisk at the end of a name matches any suffix. */
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
