import type { HookSettings } from "../schema/hook.ts";
import { isLooser, type PermissionPolicy } from "../schema/permission.ts";
import type { Config } from "./config.ts";
import { untrustedHosts } from "./host-choice.ts";
import { untrustedRuntimes } from "./resolve-runtime.ts";
import { refusal } from "./trust.ts";

/** What holds for sessions whose request says nothing of it. */
export interface EffectiveSettings {
  readonly model?: string;
  readonly permissions?: PermissionPolicy;
  readonly hooks: readonly HookSettings[];
  /** What a project wanted and does not get, with what to type for it. */
  readonly warnings: readonly string[];
}

/**
 * The project's settings before the user's, each key for itself. A project comes from anybody: one that the user does
 * not trust may be stricter than the user and never looser, and has no host and no hooks of its own.
 */
export function effectiveSettings(config: Config): EffectiveSettings {
  const { settings, userSettings } = config;
  const { model, permissions, hooks = [] } = settings?.value ?? {};
  const user = userSettings?.value ?? {};
  const isTrusted = settings?.isTrusted ?? false;
  const warnings = [...untrustedRuntimes(config), ...untrustedHosts(config)];
  const refuse = (what: string) => settings && warnings.push(refusal(settings, what));
  const own = user.permissions ?? "ask";
  const loosens = permissions !== undefined && isLooser(permissions, own);
  if (loosens && !isTrusted) refuse(`wants the permissions ${permissions}, and ${own} holds`);
  if (hooks.length > 0 && !isTrusted) refuse("has hooks, which are left out");
  const policy = loosens && !isTrusted ? own : (permissions ?? user.permissions);
  const chosenModel = model ?? user.model;
  return {
    ...(chosenModel !== undefined && { model: chosenModel }),
    ...(policy !== undefined && { permissions: policy }),
    hooks: [...(user.hooks ?? []), ...(isTrusted ? hooks : [])],
    warnings,
  };
}
