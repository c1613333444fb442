import type { ProjectSetting } from "../../schema/project/project-setting.ts";

const ignoredBy = "--setting-sources user";

/** Settings that cannot run code, redirect the key or loosen permissions. */
const harmlessKeys = [
  "$schema",
  "attribution",
  "autoCompactEnabled",
  "cleanupPeriodDays",
  "companyAnnouncements",
  "includeCoAuthoredBy",
  "language",
  "model",
  "respectGitignore",
  "spinnerTipsEnabled",
];

/** Claude Code's project files that run code, redirect the key or loosen permissions. */
export const claudeProjectSettings: readonly ProjectSetting[] = [
  {
    path: ".claude/settings.json",
    effect: "can run hooks and key helpers, set the endpoint and allow tools",
    harmlessKeys,
    ignoredBy,
  },
  {
    path: ".claude/settings.local.json",
    effect: "can run hooks and key helpers, set the endpoint and allow tools",
    harmlessKeys,
    ignoredBy,
  },
  { path: ".mcp.json", effect: "starts MCP servers", harmlessKeys: ["$schema"], ignoredBy },
  { path: ".claude/agents/", effect: "defines subagents with tools and hooks", ignoredBy },
  { path: ".claude/commands/", effect: "defines commands that run a shell", ignoredBy },
  { path: ".claude/skills/", effect: "defines skills with hooks and allowed tools", ignoredBy },
  { path: ".claude/workflows/", effect: "defines workflows that run code", ignoredBy },
  { path: ".claude/output-styles/", effect: "replaces the system prompt", ignoredBy },
];
