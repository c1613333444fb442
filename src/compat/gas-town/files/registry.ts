import { z } from "zod";
import { RuntimeName } from "../../../schema/runtime.ts";
import { RuntimeEntry } from "../../../schema/runtimes/runtime-entry.ts";

/** `~/.gastown/runtimes.json`: the runtimes that the user has registered, and the default runtime. */
export const RegistryFile = z.strictObject({
  $schema: z.string().optional(),
  /** The runtime for sessions whose request and rig name none. */
  default: RuntimeName.optional(),
  /** The registered runtimes, by name. */
  runtimes: z.record(RuntimeName, RuntimeEntry).default({}),
});
export type RegistryFile = z.infer<typeof RegistryFile>;
