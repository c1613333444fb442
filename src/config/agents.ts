import type { Config } from "./config.ts";
import type { AgentSettings } from "./files/agents.ts";

/** The label that contains the session's agent: an `id` from `agents.list`. */
export const AGENT_LABEL = "agent";

/**
 * Merges the settings of an agent, in this order of precedence: its entry in the project file, or in the user file if
 * the project file has none, then the project's defaults, then the user's defaults.
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
