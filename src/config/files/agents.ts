import { z } from "zod";
import { HostName } from "../../schema/host.ts";
import { RuntimeName } from "../../schema/runtime.ts";

/** The settings of one agent, or the defaults of all agents. */
const AgentSettings = z.strictObject({
  /** The runtime of the agent. */
  runtime: RuntimeName.optional(),
  /** The host of the sessions. */
  host: HostName.optional(),
  /** The provider of the agent's models. */
  provider: z.string().min(1).optional(),
  /** The name of a model in `models.json`, or a model id. */
  model: z.string().min(1).optional(),
  /** Settings for the Claude Agent SDK. */
  ccsdk: z
    .strictObject({
      /** False to run none of Claude Code's hooks. Defaults to true. */
      hooksEnabled: z.boolean().optional(),
      /** The model to use for each Claude model size: `haiku`, `sonnet`, `opus`. */
      models: z
        .strictObject({
          /** The model for small tasks. */
          haiku: z.string().min(1).optional(),
          /** The model for most work. */
          sonnet: z.string().min(1).optional(),
          /** The model for difficult work. */
          opus: z.string().min(1).optional(),
        })
        .optional(),
    })
    .optional(),
});
export type AgentSettings = z.infer<typeof AgentSettings>;

const AgentEntry = AgentSettings.extend({
  /** The id of the agent. */
  id: z.string().min(1),
});

/** `agents`: the runtime, provider and model of each agent, and the defaults for all agents. */
export const Agents = z
  .strictObject({
    defaults: AgentSettings.optional(),
    list: z.array(AgentEntry).optional(),
  })
  .superRefine(({ defaults, list = [] }, context) => {
    const refuse = (agent: AgentSettings, path: (string | number)[]) => {
      const { runtime, provider } = { ...defaults, ...agent };
      if (runtime !== "ccsdk" || provider === undefined || ccsdkProviders.includes(provider))
        return;
      const message = `ccsdk works with ${ccsdkProviders.join(", ")}. Choose one of them, or another runtime`;
      context.addIssue({ code: "custom", message, path: [...path, "provider"] });
    };
    if (defaults) refuse(defaults, ["defaults"]);
    for (const [index, agent] of list.entries()) refuse(agent, ["list", index]);
  });
export type Agents = z.infer<typeof Agents>;

/** Providers whose API the Claude Agent SDK supports. */
const ccsdkProviders: readonly string[] = ["anthropic", "zai", "openrouter"];
