import { z } from "zod";
import { HookSettings } from "../../schema/hook.ts";
import { PermissionPolicy } from "../../schema/permission.ts";
import { HostName, RuntimeName } from "../../schema/runtime.ts";
import { Agents } from "./agents.ts";

/** What holds where a request does not say otherwise: `halyard.json` of a project, `config.json` of the user. */
export const SettingsFile = z.strictObject({
  $schema: z.string().optional(),
  /** The runtime for all that is run here. */
  runtime: RuntimeName.optional(),
  /** Where it runs. */
  host: HostName.optional(),
  /** A name out of `models.json`, or a model's own. */
  model: z.string().min(1).optional(),
  /** What an agent may do by itself. */
  permissions: PermissionPolicy.optional(),
  /** Runtimes by agent. */
  agents: Agents.optional(),
  /** Whom to tell of what happens in sessions. */
  hooks: z.array(HookSettings).optional(),
});
export type SettingsFile = z.infer<typeof SettingsFile>;
