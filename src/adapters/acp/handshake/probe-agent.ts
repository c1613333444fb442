import type { Host } from "../../../contracts/host.ts";
import type { Greeting } from "../../../schema/runtimes/runtime-info.ts";
import { PRESET_GREETING_MS } from "../options.ts";
import { type BriefAgent, withBriefAgent } from "./brief-agent.ts";

/** Starts an agent, returns the data of its handshake, and terminates the agent. */
export async function probeAgent(
  agent: Pick<BriefAgent, "name" | "command" | "env">,
  host: Host,
): Promise<Greeting> {
  const probed = { ...agent, greetingMs: PRESET_GREETING_MS };
  return withBriefAgent(probed, host, async ({ version, agent, signIn, capabilities }) => {
    const methods = signIn.map(({ id, name }) => `${name} (${id})`);
    return { protocol: "ACP", version, agent, signIn: methods, capabilities };
  });
}
