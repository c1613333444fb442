import { chmod, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { ScriptedModel } from "../../src/testing/scripted-model.ts";
import { smallAgent } from "../acp/small-agent.ts";
import { newUser, type User } from "./start-cli.ts";

/** A user with an ACP agent that calls a scripted model. */
export interface AgentUser extends User {
  /** The options of `halyard` that select the agent. They contain no spaces. */
  readonly agent: readonly string[];
}

/**
 * Creates a user with the small ACP agent, which starts in a tenth of the time that Pi needs. `create` creates the user, by
 * default one without a daemon.
 */
export async function newAgentUser(
  model: ScriptedModel,
  env: Readonly<Record<string, string>> = {},
  create: typeof newUser = newUser,
): Promise<AgentUser> {
  const user = await create(env);
  const { HOME = "" } = user.env;
  const { baseUrl, apiKey } = model.endpoint("openai-chat");
  const settings = {
    AGENT_VERSION: "1",
    AGENT_STATE: join(HOME, "agent-state"),
    AGENT_MODEL_URL: baseUrl,
    AGENT_MODEL_KEY: apiKey,
  };
  const variables = Object.entries(settings).map(([name, value]) => `${name}='${value}'`);
  const file = join(HOME, "agent");
  const command = smallAgent.map((word) => `'${word}'`).join(" ");
  await writeFile(file, `#!/bin/sh\n${variables.join(" ")} exec ${command}\n`);
  await chmod(file, 0o755);
  return { ...user, agent: ["--runtime", "acp", "--command", file] };
}
