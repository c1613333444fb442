import { z } from "zod";
import { HostName, RuntimeName } from "../../schema/runtime.ts";

/** `.gastown/runtime.json` of a rig: the runtime for all that works there. */
export const RigFile = z.strictObject({
  $schema: z.string().optional(),
  /** The runtime's name. */
  runtime: RuntimeName.optional(),
  /** Where it runs. */
  host: HostName.optional(),
});
export type RigFile = z.infer<typeof RigFile>;
