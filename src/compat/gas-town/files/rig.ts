import { z } from "zod";
import { HostName } from "../../../schema/host.ts";
import { RuntimeName } from "../../../schema/runtime.ts";

/** A rig's `.gastown/runtime.json`: the runtime and the host of the rig's sessions. */
export const RigFile = z.strictObject({
  $schema: z.string().optional(),
  /** The runtime for the rig's sessions. */
  runtime: RuntimeName.optional(),
  /** The host on which the sessions run. */
  host: HostName.optional(),
});
export type RigFile = z.infer<typeof RigFile>;
