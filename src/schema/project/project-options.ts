import { z } from "zod";
import { ModelApi } from "../model.ts";
import { RuntimeName } from "../runtime.ts";
import { ProjectLimits } from "./project.ts";

/** The options for new projects on this server. Contains no keys. */
export const ProjectOptions = z.strictObject({
  agent_runtimes: z.strictObject({
    /**
     * `droid`, `opencode`, the server's default and added runtimes, if they can run on this machine. See `details` for
     * all runtimes.
     */
    available: z.array(RuntimeName),
    /** The configured value: a name, or `auto`. */
    default: z.string(),
    /** The runtime of projects that do not set one. */
    resolved: RuntimeName,
    details: z.array(
      z.strictObject({
        name: RuntimeName,
        description: z.string(),
        available: z.boolean(),
        version: z.string().exactOptional(),
        /** Why the runtime cannot run on this machine. `hint` states how to make it available. */
        reason: z.string().exactOptional(),
        hint: z.string().exactOptional(),
      }),
    ),
  }),
  /** The limits of projects that do not set their own. */
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
