import type { AgentSettings } from "../files/agents.ts";

/** Maps the `ccsdk` settings of an agent to options of the SDK and environment variables of Claude Code. */
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
