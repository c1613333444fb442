import type { ProjectSetting } from "../../schema/project/project-setting.ts";

const effect =
  "can run hooks, allow commands, load plugins, set a model endpoint and upload sessions to Factory";

/** Settings that neither run code, nor redirect the key, nor loosen permissions, nor upload sessions. */
const harmlessKeys = [
  "$schema",
  "completionSound",
  "diffMode",
  "includeCoAuthoredByDroid",
  "model",
  "reasoningEffort",
  "showThinkingInMainView",
  "theme",
];

/**
 * Droid's project files that run code, redirect the key, loosen permissions or upload sessions. Droid merges them with
 * the user's files and has no option to disable them, so Halyard does not start Droid in an untrusted directory that
 * contains one of them.
 */
export const droidProjectSettings: readonly ProjectSetting[] = [
  { path: ".factory/settings.json", effect, harmlessKeys },
  { path: ".factory/settings.local.json", effect, harmlessKeys },
  { path: ".factory/config.json", effect: "sets a model endpoint", harmlessKeys },
  { path: ".factory/hooks.json", effect: "runs hooks" },
  { path: ".factory/hooks/", effect: "runs hooks" },
  { path: ".factory/mcp.json", effect: "starts MCP servers" },
  { path: ".factory/plugins/", effect: "loads plugins" },
  { path: ".factory/droids/", effect: "defines subagents with models and tools" },
  ...[".factory/commands/", ".agents/commands/", ".agent/commands/"].map((path) => ({
    path,
    effect: "defines commands that run programs",
  })),
];
