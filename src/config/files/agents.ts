import { z } from "zod";
import { HostName, RuntimeName } from "../../schema/runtime.ts";

/** What can be said of one agent, and of all that say nothing. */
const AgentSettings = z.strictObject({
  /** What it runs on. */
  runtime: RuntimeName.optional(),
  /** Where it runs. */
  host: HostName.optional(),
  /** Whose models it uses. */
  provider: z.string().min(1).optional(),
  /** A name out of `models.json`, or a model's own. */
  model: z.string().min(1).optional(),
  /** What only the Claude Agent SDK understands. */
  ccsdk: z
    .strictObject({
      /** Whether Claude Code's own hooks run. */
      hooksEnabled: z.boolean().optional(),
      /** The model for each of Claude's sizes: `haiku`, `sonnet`, `opus`. */
      models: z
        .strictObject({
          /** The model for small errands. */
          haiku: z.string().min(1).optional(),
          /** The model for most of the work. */
          sonnet: z.string().min(1).optional(),
          /** The model for hard work. */
          opus: z.string().min(1).optional(),
        })
        .optional(),
    })
    .optional(),
});
export type AgentSettings = z.infer<typeof AgentSettings>;

const AgentEntry = AgentSettings.extend({
  /** What the agent is called. */
  id: z.string().min(1),
});

/** `agents`: the runtime, provider and model by agent, and for those that have none of their own. */
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
      const message = `ccsdk works with ${ccsdkProviders.join(", ")}; choose one of them or another runtime`;
      context.addIssue({ code: "custom", message, path: [...path, "provider"] });
    };
    if (defaults) refuse(defaults, ["defaults"]);
    for (const [index, agent] of list.entries()) refuse(agent, ["list", index]);
  });
export type Agents = z.infer<typeof Agents>;

/** Whose models speak as the Claude Agent SDK expects it. */
const ccsdkProviders: readonly string[] = ["anthropic", "zai", "openrouter"];
