import type { Adapter, ConnectRequest } from "../../contracts/adapter.ts";
import { probeProgram } from "../../programs/program.ts";
import type { ProjectSetting } from "../../schema/project/project-setting.ts";
import type { Capability } from "../../schema/runtime.ts";
import { commandIn, programSearch, requireCommand } from "./agent/agent-command.ts";
import type { Preset } from "./agent/presets.ts";
import { acpProjectSettings } from "./agent/project-settings.ts";
import { PRESET_GREETING_MS, readOptions } from "./options.ts";

/** Options for `acpAdapter` and `presetAdapter`. */
export interface AcpAdapterOptions {
  /** The environment of this process. The agent and its tools receive only the allow-listed variables. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The program to run instead of the preset's: a path, or a name on the PATH. `acpAdapter` ignores it. */
  readonly bin?: string | undefined;
  /** Returns the project files that a program reads. Defaults to the files of the agents that this adapter knows. */
  readonly settingsOf?: ((program: string) => readonly ProjectSetting[]) | undefined;
}

/** The capabilities of the protocol. A request fails if it needs a capability that the agent lacks. */
const capabilities: readonly Capability[] = [
  "deltas",
  "reasoning",
  "tools",
  "usage",
  "cancel",
  "permissions",
  "questions",
  "plan",
  "resume",
  "attach",
  "endpoints",
  "mcp",
  "images",
  "fork",
  "native-sessions",
];

/** Creates the adapter for any ACP agent. A session's `command` or `url` option selects the agent. */
export function acpAdapter({ env, settingsOf = acpProjectSettings }: AcpAdapterOptions): Adapter {
  return {
    name: "acp",
    displayName: "Any ACP agent, by its command",
    capabilities,
    ignoresModelVariables: true, // most agents reject a model endpoint, so the session would not start
    protocol: "ACP",
    inputs: ["stdin"],
    inputAliases: { rpc: "stdin" }, // JSON-RPC messages are written to standard input
    probe: async () => ({ available: true }),
    projectSettings: (options) => readBy(options, "", settingsOf),
    mayDropGitSettings: (options) => readOptions({ options }).url === undefined,
    lastingOptions: ({ command, url, additionalDirectories }) => ({
      ...(command !== undefined && { command }),
      ...(url !== undefined && { url }),
      ...(additionalDirectories !== undefined && { additionalDirectories }),
    }),
    checkOptions: (options) => void requireCommand(commandIn(readOptions({ options }))),
    async createMapper() {
      const { AcpMapper } = await import("./events/events.ts");
      return new AcpMapper();
    },
    async findProcess(location) {
      const { findWithTerminals } = await import("./client/terminals.ts");
      return findWithTerminals(location);
    },
    async nativeSessions(request) {
      const { listSessions } = await import("./handshake/list-sessions.ts");
      return listSessions(request, { env, runtime: "acp" });
    },
    async connect(request) {
      const { connectAcp } = await import("./connect.ts");
      return connectAcp(request, { env, runtime: "acp" });
    },
  };
}

/** Returns the project files that a session's agent reads. Returns none for a remote agent, which checks its own files. */
function readBy(
  options: ConnectRequest["options"],
  usual: string,
  settingsOf: (program: string) => readonly ProjectSetting[],
): readonly ProjectSetting[] {
  const given = readOptions({ options });
  if (given.url !== undefined) return [];
  const [program = usual] = commandIn(given) ?? [];
  return settingsOf(program);
}

/** Creates the adapter for an ACP agent that is registered by name. */
export function presetAdapter(
  preset: Pick<Preset, "name" | "displayName" | "command" | "hint" | "setsProviders">,
  { env, bin, settingsOf = acpProjectSettings }: AcpAdapterOptions,
): Adapter {
  const { name, displayName, hint } = preset;
  const [program, ...args] = preset.command;
  const command = [bin ?? program, ...args];
  return {
    ...acpAdapter({ env, settingsOf }),
    name,
    displayName,
    capabilities: capabilities.filter((one) => one !== "endpoints" || preset.setsProviders),
    ignoresModelVariables: !preset.setsProviders,
    projectSettings: (options) => readBy(options, program, settingsOf),
    probe: () => probeProgram({ ...programSearch(command, env, hint), bin }),
    checkOptions: (options) => void readOptions({ options }),
    async greet(host) {
      const { probeAgent } = await import("./handshake/probe-agent.ts");
      return probeAgent({ name, command, env }, host);
    },
    async nativeSessions(request) {
      const { listSessions } = await import("./handshake/list-sessions.ts");
      const options = { greetingMs: PRESET_GREETING_MS, ...request.options };
      return listSessions({ ...request, options }, { env, runtime: name, command });
    },
    async connect(request) {
      const { connectAcp } = await import("./connect.ts");
      const options = { greetingMs: PRESET_GREETING_MS, ...request.options };
      return connectAcp({ ...request, options }, { env, runtime: name, command });
    },
  };
}
