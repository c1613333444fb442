import type { ProjectSetting } from "../../schema/project-setting.ts";

const effect = "can run hooks, allow commands, load plugins and set the endpoint of a model";

/** Settings that change only the appearance or the writing style of Droid. */
const harmlessKeys = [
  "$schema",
  "cloudSessionSync",
  "completionSound",
  "diffMode",
  "includeCoAuthoredByDroid",
  "model",
  "reasoningEffort",
  "showThinkingInMainView",
  "theme",
];

/**
 * The project files of Droid that run code, redirect the key or loosen permissions. Droid merges them with the user's and
 * has no switch against them, so it does not start in an untrusted directory that has one.
 */
export const droidProjectSettings: readonly ProjectSetting[] = [
  { path: ".factory/settings.json", effect, harmlessKeys },
  { path: ".factory/settings.local.json", effect, harmlessKeys },
  { path: ".factory/config.json", effect: "sets the endpoint of a model", harmlessKeys },
  { path: ".factory/hooks.json", effect: "runs hooks" },
  { path: ".factory/hooks/", effect: "runs hooks" },
  { path: ".factory/mcp.json", effect: "starts MCP servers" },
  { path: ".factory/plugins/", effect: "loads plugins" },
  { path: ".factory/droids/", effect: "defines subagents with models and tools" },
  { path: ".factory/commands/", effect: "defines commands that run programs" },
];
