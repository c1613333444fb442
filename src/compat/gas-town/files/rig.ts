import { z } from "zod";
import { HostName, RuntimeName } from "../../../schema/runtime.ts";

/** `.gastown/runtime.json` of a rig: the runtime of all sessions below that directory. */
export const RigFile = z.strictObject({
  $schema: z.string().optional(),
  /** The name of the runtime. */
  runtime: RuntimeName.optional(),
  /** The host of the sessions. */
  host: HostName.optional(),
});
export type RigFile = z.infer<typeof RigFile>;
