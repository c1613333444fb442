import type { AgentSettings } from "./files/agents.ts";

/** What an agent's `ccsdk` settings add to a session: options of the SDK, and variables of Claude Code. */
export function ccsdkAdditions({ ccsdk }: AgentSettings): {
  options: Record<string, unknown>;
  env: Record<string, string>;
} {
  const { hooksEnabled, models = {} } = ccsdk ?? {};
  const env = Object.entries(models).flatMap(([size, model]) =>
    model === undefined ? [] : [[`ANTHROPIC_DEFAULT_${size.toUpperCase()}_MODEL`, model] as const],
  );
  return {
    options: hooksEnabled === undefined ? {} : { hooksEnabled },
    env: Object.fromEntries(env),
  };
}
