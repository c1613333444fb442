import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { acpAdapter } from "../../src/adapters/acp/index.ts";
import type { Adapter } from "../../src/contracts/adapter.ts";

/** The command line of the small agent. */
export const smallAgent = [
  process.execPath,
  fileURLToPath(new URL("./agent/main.mjs", import.meta.url)),
];

/** The options of the small agent. */
export interface SmallAgentOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly version?: 1 | 2;
  /** A deviation from the usual behavior of agents. */
  readonly quirk?: string;
  /** The directory with the conversations of the agent. Defaults to one for each session. */
  readonly state?: string;
}

/** Creates the ACP adapter for the small agent, which reads its model from environment variables. */
export function smallAgentAdapter({
  env = {},
  version = 2,
  quirk = "",
  state,
}: SmallAgentOptions = {}): Adapter {
  return {
    ...acpAdapter({ env }),
    async connect({ model, ...request }) {
      const own = {
        AGENT_VERSION: String(version),
        AGENT_QUIRK: quirk,
        AGENT_STATE: state ?? join(request.stateDir, "small-agent"),
        AGENT_MODEL_URL: model?.baseUrl ?? "",
        AGENT_MODEL_KEY: model?.apiKey ?? "",
      };
      const options = { command: smallAgent, passEnv: ["AGENT_*"], ...request.options };
      return acpAdapter({ env: { ...env, ...own } }).connect({ ...request, options });
    },
  };
}
