import { z } from "zod";
import { BudgetSettings } from "../../schema/budget.ts";
import { HookSettings } from "../../schema/hook.ts";
import { HostName } from "../../schema/host.ts";
import { PermissionPolicy } from "../../schema/permission.ts";
import { RuntimeName } from "../../schema/runtime.ts";
import { Retention } from "../../schema/session/retention.ts";
import { TelemetrySettings } from "../../schema/telemetry.ts";
import { OnLimit } from "../../schema/usage-limit.ts";
import { WorktreeSettings } from "../../schema/workspace/worktree-settings.ts";
import { Agents } from "./agents.ts";

/** Default settings of sessions: a project's `halyard.json`, or the user's `config.json`. */
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
  /**
   * How a session reacts to a usage limit: `fail`, `wait`, or `{ handoff: runtime }` to continue on another runtime.
   */
  onLimit: OnLimit.optional(),
  /** The budget of each session, each project and each day. Halyard asks for approval when a budget is used up. */
  budget: BudgetSettings.optional(),
  /** Settings by agent. */
  agents: Agents.optional(),
  /** Hooks to call on session events. */
  hooks: z.array(HookSettings).optional(),
  /** How git worktrees of sessions are set up. */
  worktree: WorktreeSettings.optional(),
  /** Which ended sessions the daemon removes, once a day. Only in `config.json`. Defaults to none. */
  retention: Retention.optional(),
  /**
   * The receiver of traces and metrics. Only in `config.json`. Defaults to the `OTEL_` variables. If they are not set
   * either, nothing is sent.
   */
  telemetry: TelemetrySettings.optional(),
});
export type SettingsFile = z.infer<typeof SettingsFile>;
