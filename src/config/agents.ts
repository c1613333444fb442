import type { Config } from "./config.ts";
import type { AgentSettings } from "./files/agents.ts";

/** The label that contains the session's agent: an `id` from `agents.list`. */
export const AGENT_LABEL = "agent";

/**
 * Merges the settings of an agent. Order of precedence: the agent's entry, the project's defaults, the user's defaults.
 * The entry in the user file applies only if the project file has no entry for the agent.
 */
export function settingsOfAgent(
  { settings, userSettings }: Pick<Config, "settings" | "userSettings">,
  agentId: string | undefined,
): AgentSettings {
  const all = [settings, userSettings].map((file) => file?.value?.agents ?? {});
  const entry = all
    .flatMap(({ list = [] }) => list)
    .find(({ id }) => agentId !== undefined && id === agentId);
  const { id: _, ...own } = entry ?? {};
  const [project, user] = all.map(({ defaults }) => defaults);
  return { ...user, ...project, ...own };
}
