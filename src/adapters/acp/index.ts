import { basename } from "node:path";
import type { Adapter } from "../../core/adapter.ts";
import { probeProgram } from "../../core/program.ts";
import type { Capability } from "../../schema/runtime.ts";
import { commandIn, programSearch, requireCommand } from "./agent-command.ts";
import { KNOWN_GREETING_MS, readOptions } from "./options.ts";
import type { Preset } from "./presets.ts";
import { acpProjectSettings } from "./project-settings.ts";

export interface AcpAdapterOptions {
  /** What an agent and its tools may be told of the machine. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The program to run in place of the usual one: a path, or a name on the PATH. */
  readonly bin?: string | undefined;
}

/** What the protocol has words for. What an agent lacks of it is refused when it is asked for. */
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
];

/** Any agent that speaks ACP; the session says which, by option `command`. */
export function acpAdapter({ env }: AcpAdapterOptions): Adapter {
  return {
    name: "acp",
    displayName: "Any ACP agent, by its command",
    capabilities,
    protocol: "ACP",
    inputs: ["stdin"],
    probe: async () => ({ available: true }),
    checkOptions: (options) => void requireCommand(commandIn(readOptions({ options }))),
    async createMapper() {
      const { AcpMapper } = await import("./events.ts");
      return new AcpMapper();
    },
    async findProcess(place) {
      const { findWithTerminals } = await import("./client-terminals.ts");
      return findWithTerminals(place);
    },
    async connect(request) {
      const { connectAcp } = await import("./connect.ts");
      return connectAcp(request, { env, runtime: "acp" });
    },
  };
}

/** An ACP agent that goes by a name of its own. */
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
      const { greetAgent } = await import("./greet-agent.ts");
      return greetAgent({ name, command, env }, host);
    },
    async connect(request) {
      const { connectAcp } = await import("./connect.ts");
      const options = { greetingMs: KNOWN_GREETING_MS, ...request.options };
      return connectAcp({ ...request, options }, { env, runtime: name, command });
    },
  };
}
