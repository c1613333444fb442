import type { ProjectSetting } from "../../schema/project/project-setting.ts";

const ignoredBy = 'trust_level = "untrusted" in the session\'s config.toml';

/** Codex's project files that run code or loosen permissions. */
export const codexProjectSettings: readonly ProjectSetting[] = [
  {
    path: ".codex/config.toml",
    effect: "can start MCP servers and a notify program, and set the sandbox and the provider",
    harmlessKeys: ["model", "model_reasoning_effort", "model_reasoning_summary", "model_verbosity"],
    ignoredBy,
  },
  { path: ".codex/hooks.json", effect: "runs hooks", ignoredBy },
  { path: ".codex/hooks/", effect: "contains programs that hooks run", ignoredBy },
  { path: ".codex/rules/", effect: "allows commands without a permission request", ignoredBy },
  { path: ".codex/agents/", effect: "defines subagents with MCP servers and a sandbox", ignoredBy },
];
