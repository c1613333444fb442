import { z } from "zod";
import { RuntimeName } from "../../schema/runtime.ts";
import { RuntimeEntry } from "../../schema/runtime-entry.ts";

/** `~/.gastown/runtimes.json`: the runtimes of a user, and the one for where nothing else decides. */
export const RegistryFile = z.strictObject({
  $schema: z.string().optional(),
  /** The runtime for where nothing else decides. */
  default: RuntimeName.optional(),
  /** Runtimes by name. */
  runtimes: z.record(RuntimeName, RuntimeEntry).default({}),
});
export type RegistryFile = z.infer<typeof RegistryFile>;
