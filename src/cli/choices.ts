import type { ModelApi, ReasoningLevel } from "../schema/model.ts";
import type { PermissionPolicy } from "../schema/permission.ts";
import type { SessionState } from "../schema/session-state.ts";

/*
 * The words an option takes, for help and completion. The schemas have them too, but loading those takes longer
 * than printing the help; the types see to it that nothing is missing here.
 */

export type Format = "text" | "json" | "quiet";

export const formats = words<Format>({ text: 1, json: 1, quiet: 1 });

export const listFormats = words<"text" | "json">({ text: 1, json: 1 });

export const permissionPolicies = words<PermissionPolicy>({
  "allow-all": 1,
  "allow-edits": 1,
  ask: 1,
  deny: 1,
});

export const modelApis = words<ModelApi>({
  anthropic: 1,
  "openai-chat": 1,
  "openai-responses": 1,
});

export const reasoningLevels = words<ReasoningLevel>({
  off: 1,
  minimal: 1,
  low: 1,
  medium: 1,
  high: 1,
  max: 1,
});

export const sessionStates = words<SessionState>({
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

export const untils = words<Until>({ idle: 1, done: 1, request: 1, ended: 1 });

export const shells = words<"bash" | "zsh" | "fish">({ bash: 1, zsh: 1, fish: 1 });

function words<Word extends string>(all: Record<Word, 1>): string[] {
  return Object.keys(all);
}
