import { z } from "zod";
import { HookSettings } from "../../schema/hook.ts";
import { PermissionPolicy } from "../../schema/permission.ts";
import { Retention } from "../../schema/retention.ts";
import { HostName, RuntimeName } from "../../schema/runtime.ts";
import { WorktreeSettings } from "../../schema/workspace/worktree-settings.ts";
import { Agents } from "./agents.ts";

/** Default settings of sessions: `halyard.json` of a project, or `config.json` of the user. */
export const SettingsFile = z.strictObject({
  $schema: z.string().optional(),
  /** The default runtime. */
  runtime: RuntimeName.optional(),
  /** The host of the sessions. */
  host: HostName.optional(),
  /** The name of a model in `models.json`, or a model id. */
  model: z.string().min(1).optional(),
  /** The permission policy: what an agent may do without asking. */
  permissions: PermissionPolicy.optional(),
  /** Settings by agent. */
  agents: Agents.optional(),
  /** Hooks to call on events of sessions. */
  hooks: z.array(HookSettings).optional(),
  /** How git worktrees of sessions are set up. */
  worktree: WorktreeSettings.optional(),
  /** Which ended sessions the daemon removes, once a day. Only in `config.json`. Defaults to none. */
  retention: Retention.optional(),
});
export type SettingsFile = z.infer<typeof SettingsFile>;
