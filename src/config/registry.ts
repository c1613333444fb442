import { z } from "zod";
import { HostName, RuntimeName } from "../schema/runtime.ts";
import { RuntimeEntry } from "../schema/runtime-entry.ts";

/** `~/.gastown/runtimes.json`: the runtimes of a user, and the one for where nothing else decides. */
export const RegistryFile = z.strictObject({
  $schema: z.string().optional(),
  /** The runtime for where nothing else decides. */
  default: RuntimeName.optional(),
  /** Runtimes by name. */
  runtimes: z.record(RuntimeName, RuntimeEntry).default({}),
});
export type RegistryFile = z.infer<typeof RegistryFile>;

/** `.gastown/runtime.json` of a rig: the runtime for all that works there. */
export const RigFile = z.strictObject({
  $schema: z.string().optional(),
  /** The runtime's name. */
  runtime: RuntimeName.optional(),
  /** Where it runs. */
  host: HostName.optional(),
});
export type RigFile = z.infer<typeof RigFile>;
