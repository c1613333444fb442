import type { ModelApi, ReasoningLevel } from "../schema/model.ts";
import type { PermissionPolicy } from "../schema/permission.ts";
import type { SessionState } from "../schema/session/session-state.ts";

/*
 * The values that options accept, for help and completion. The schemas define the same values, but loading the schemas
 * takes longer than printing the help. The types guarantee that these lists are complete.
 */

export type Format = "text" | "json" | "quiet";

export const formats = namesOf<Format>({ text: 1, json: 1, quiet: 1 });

export const listFormats = namesOf<"text" | "json">({ text: 1, json: 1 });

export const permissionPolicies = namesOf<PermissionPolicy>({
  "allow-all": 1,
  "allow-edits": 1,
  ask: 1,
  deny: 1,
});

export const modelApis = namesOf<ModelApi>({
  anthropic: 1,
  "openai-chat": 1,
  "openai-responses": 1,
});

export const reasoningLevels = namesOf<ReasoningLevel>({
  off: 1,
  minimal: 1,
  low: 1,
  medium: 1,
  high: 1,
  max: 1,
});

export const sessionStateNames = namesOf<SessionState>({
  starting: 1,
  idle: 1,
  running: 1,
  waiting: 1,
  detached: 1,
  stopped: 1,
  failed: 1,
  lost: 1,
});

export type Until = "idle" | "done" | "request" | "ended";

export const untils = namesOf<Until>({ idle: 1, done: 1, request: 1, ended: 1 });

export const shells = namesOf<"bash" | "zsh" | "fish">({ bash: 1, zsh: 1, fish: 1 });

function namesOf<Name extends string>(names: Record<Name, 1>): string[] {
  return Object.keys(names);
}

/** How the user is notified: `auto` selects a method that the console supports, and omits turns shorter than 10 s. */
export const notifyModes = ["auto", "bell", "osc9", "osc777", "off"] as const;
export type NotifyMode = (typeof notifyModes)[number];
