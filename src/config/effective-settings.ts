import type { BudgetSettings } from "../schema/budget.ts";
import type { HookSettings } from "../schema/hook.ts";
import { isLooser, type PermissionPolicy } from "../schema/permission.ts";
import type { OnLimit } from "../schema/usage-limit.ts";
import type { WorktreeSettings } from "../schema/workspace/worktree-settings.ts";
import type { Config } from "./config.ts";
import { untrustedHosts } from "./host-choice.ts";
import { mergeBudgets } from "./merge-budgets.ts";
import { untrustedRuntimes } from "./resolve-runtime.ts";
import { refusal } from "./trust/is-trusted.ts";

/** The default settings of sessions. A request can override them. */
export interface EffectiveSettings {
  readonly model?: string;
  readonly permissions?: PermissionPolicy;
  readonly onLimit?: OnLimit;
  /** The budgets. An untrusted project can lower a user's budget but not raise it. */
  readonly budget?: BudgetSettings;
  readonly hooks: readonly HookSettings[];
  /** How worktrees are set up. The worktree settings of an untrusted project are ignored. */
  readonly worktree?: WorktreeSettings;
  /**
   * Warnings about ignored settings of the project, with the next step: the command that trusts the project, or the file
   * to move the setting to.
   */
  readonly warnings: readonly string[];
}

/**
 * Merges the project's and the user's settings, key by key. The project takes precedence. An untrusted project may
 * restrict permissions and budgets but not loosen them, and its hooks, `worktree` and `onLimit` are ignored. The warnings
 * also cover its host, and its runtime if that is not one of `seedRuntimes`.
 */
export function effectiveSettings(config: Config): EffectiveSettings {
  const { settings, userSettings } = config;
  const { model, permissions, hooks = [], worktree, onLimit, budget } = settings?.value ?? {};
  const user = userSettings?.value ?? {};
  const isTrusted = settings?.isTrusted ?? false;
  const warnings = [...untrustedRuntimes(config), ...untrustedHosts(config)];
  const refuse = (what: string) => settings && warnings.push(refusal(settings, what));
  const own = user.permissions ?? "ask";
  const loosens = permissions !== undefined && isLooser(permissions, own);
  if (loosens && !isTrusted)
    refuse(`sets the permissions ${permissions}, which are ignored in favor of ${own}`);
  if (hooks.length > 0 && !isTrusted) refuse("has hooks, which are ignored");
  if (onLimit && !isTrusted) refuse("sets onLimit, which is ignored");
  if (worktree && !isTrusted) refuse("has worktree settings, which are ignored");
  for (const key of ["retention", "telemetry"] as const)
    if (settings?.value?.[key])
      warnings.push(
        `${settings.path}: ${key} is ignored, because only the user's settings can contain it. Move it to ${userSettings?.path}.`,
      );
  const policy = loosens && !isTrusted ? own : (permissions ?? user.permissions);
  const chosenModel = model ?? user.model;
  const atLimit = (isTrusted ? onLimit : undefined) ?? user.onLimit;
  return {
    ...(chosenModel !== undefined && { model: chosenModel }),
    ...(policy !== undefined && { permissions: policy }),
    ...(atLimit !== undefined && { onLimit: atLimit }),
    ...((budget ?? user.budget) && { budget: mergeBudgets(budget, user.budget, isTrusted) }),
    hooks: [...(user.hooks ?? []), ...(isTrusted ? hooks : [])],
    ...((user.worktree ?? worktree) && {
      worktree: { ...user.worktree, ...(isTrusted && worktree) },
    }),
    warnings,
  };
}
