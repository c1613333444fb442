import { basename } from "node:path";
import type { Adapter } from "../../contracts/adapter.ts";
import { probeProgram } from "../../programs/program.ts";
import type { Capability } from "../../schema/runtime.ts";
import { commandIn, programSearch, requireCommand } from "./agent/agent-command.ts";
import type { Preset } from "./agent/presets.ts";
import { acpProjectSettings } from "./agent/project-settings.ts";
import { PRESET_GREETING_MS, readOptions } from "./options.ts";

export interface AcpAdapterOptions {
  /** Environment of this process. The agent and its tools receive only the allowed variables. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The program to run instead of the default one: a path, or a name on the PATH. */
  readonly bin?: string | undefined;
}

/** The capabilities of the protocol. A request fails if the agent lacks the capability. */
const capabilities: readonly Capability[] = [
  "deltas",
  "reasoning",
  "tools",
  "usage",
  "cancel",
  "permissions",
  "plan",
  "resume",
  "attach",
  "mcp",
  "images",
];

/** Creates the adapter for any ACP agent. The option `command` of a session names the program. */
export function acpAdapter({ env }: AcpAdapterOptions): Adapter {
  return {
    name: "acp",
    displayName: "Any ACP agent, by its command",
    capabilities,
    protocol: "ACP",
    inputs: ["stdin"],
    inputAliases: { rpc: "stdin" }, // JSON-RPC
    probe: async () => ({ available: true }),
    checkOptions: (options) => void requireCommand(commandIn(readOptions({ options }))),
    async createMapper() {
      const { AcpMapper } = await import("./events/events.ts");
      return new AcpMapper();
    },
    async findProcess(location) {
      const { findWithTerminals } = await import("./client/terminals.ts");
      return findWithTerminals(location);
    },
    async connect(request) {
      const { connectAcp } = await import("./connect.ts");
      return connectAcp(request, { env, runtime: "acp" });
    },
  };
}

/** Creates the adapter of an ACP agent that is registered by name. */
export function presetAdapter(
  preset: Pick<Preset, "name" | "displayName" | "command" | "hint">,
  { env, bin }: AcpAdapterOptions,
): Adapter {
  const { name, displayName, hint } = preset;
  const [program, ...args] = preset.command;
  const command = [bin ?? program, ...args];
  return {
    ...acpAdapter({ env }),
    name,
    displayName,
    projectSettings: acpProjectSettings(basename(program)),
    probe: () => probeProgram({ ...programSearch(command, env, hint), bin }),
    checkOptions: (options) => void readOptions({ options }),
    async greet(host) {
      const { probeAgent } = await import("./handshake/probe-agent.ts");
      return probeAgent({ name, command, env }, host);
    },
    async connect(request) {
      const { connectAcp } = await import("./connect.ts");
      const options = { greetingMs: PRESET_GREETING_MS, ...request.options };
      return connectAcp({ ...request, options }, { env, runtime: name, command });
    },
  };
}
