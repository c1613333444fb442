import type { ProjectSetting } from "../../schema/project/project-setting.ts";

const ignoredBy = "OPENCODE_DISABLE_PROJECT_CONFIG=1";
const pluginKeys = ["plugin", "plugins"];

/**
 * Settings that do not run code, redirect the model key or loosen permissions. Also contains the plugin settings,
 * because `opencodeProjectSettings` has separate entries for them.
 */
const harmlessKeys = [
  ...pluginKeys,
  "$schema",
  "autoupdate",
  "keybinds",
  "model",
  "share", // the adapter disables uploads with OPENCODE_DISABLE_SHARE
  "small_model",
  "theme",
];

const configFiles = [
  "opencode.json",
  "opencode.jsonc",
  ".opencode/opencode.json",
  ".opencode/opencode.jsonc",
];

/**
 * OpenCode's project files that run code, redirect the key or loosen permissions. OpenCode loads a project's plugins
 * even if the project's configuration is disabled, so Halyard does not start OpenCode in an untrusted directory with
 * plugins.
 */
export const opencodeProjectSettings: readonly ProjectSetting[] = [
  ...configFiles.map((path) => ({ path, effect: "loads plugins", keys: pluginKeys })),
  { path: ".opencode/plugin/", effect: "is code that OpenCode loads" },
  { path: ".opencode/plugins/", effect: "is code that OpenCode loads" },
  ...configFiles.map((path) => ({
    path,
    effect: "can start MCP servers, set the endpoint and allow tools",
    harmlessKeys,
    ignoredBy,
  })),
  { path: ".opencode/tool/", effect: "is code that OpenCode loads", ignoredBy },
  { path: ".opencode/tools/", effect: "is code that OpenCode loads", ignoredBy },
  { path: ".opencode/agent/", effect: "defines agents with permissions", ignoredBy },
  { path: ".opencode/agents/", effect: "defines agents with permissions", ignoredBy },
  { path: ".opencode/mode/", effect: "defines agents with permissions", ignoredBy },
  { path: ".opencode/modes/", effect: "defines agents with permissions", ignoredBy },
  { path: ".opencode/command/", effect: "defines commands that run a shell", ignoredBy },
  { path: ".opencode/commands/", effect: "defines commands that run a shell", ignoredBy },
];
