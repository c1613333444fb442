import type { Config } from "./config.ts";
import type { AgentSettings } from "./files/agents.ts";

/** The label that names the agent of `agents.list` a session runs as. */
export const AGENT_LABEL = "agent";

/** What is said of an agent: its own entry in the project's file or the user's, then the defaults of each. */
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
