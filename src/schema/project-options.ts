import { z } from "zod";
import { ModelApi } from "./model.ts";
import { ProjectLimits } from "./project.ts";
import { RuntimeName } from "./runtime.ts";

/** What a project can be made with here. Holds no keys. */
export const ProjectOptions = z.strictObject({
  agent_runtimes: z.strictObject({
    /** `droid`, `opencode`, the server's default and added runtimes that can run here. `details` lists all. */
    available: z.array(RuntimeName),
    /** As configured: a name, or `auto`. */
    default: z.string(),
    /** The runtime that a project gets that names none. */
    resolved: RuntimeName,
    details: z.array(
      z.strictObject({
        name: RuntimeName,
        description: z.string(),
        available: z.boolean(),
        version: z.string().exactOptional(),
        /** Why it cannot run here, and what to do about it. */
        reason: z.string().exactOptional(),
        hint: z.string().exactOptional(),
      }),
    ),
  }),
  /** What holds for a project that names none of its own. */
  limits: ProjectLimits,
  models: z.strictObject({
    available: z.array(
      z.strictObject({
        name: z.string(),
        model: z.string(),
        display_name: z.string().exactOptional(),
        api: ModelApi.exactOptional(),
      }),
    ),
    default: z.string().exactOptional(),
  }),
});
export type ProjectOptions = z.infer<typeof ProjectOptions>;
