import { z } from "zod";
import { HostName, RuntimeName } from "../../schema/runtime.ts";

/** What decides of a project's `metadata.json` how its sessions are run; the rest is the project's own. */
export const ProjectFile = z.looseObject({
  /** Goes before the server's choice. */
  agent_runtime: RuntimeName.optional(),
  /** Where its sessions run. */
  host: HostName.optional(),
  /** A name out of `models.json`, or a model's own. */
  model: z.string().min(1).optional(),
});
export type ProjectFile = z.infer<typeof ProjectFile>;
