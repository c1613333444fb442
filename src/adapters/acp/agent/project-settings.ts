import type { ProjectSetting } from "../../../schema/project-setting.ts";

/** Project files that can run programs or allow tools, by the program of the ACP agent. */
const files: Readonly<Record<string, readonly string[]>> = {
  "amp-acp": [".amp/settings.json"],
  auggie: [".augment/settings.json"],
  "claude-agent-acp": [".claude/settings.json", ".claude/settings.local.json", ".mcp.json"],
  codebuddy: [".codebuddy/settings.json", ".mcp.json"],
  "codex-acp": [".codex/config.toml", ".codex/hooks.json", ".codex/rules/"],
  copilot: [".github/hooks/", ".mcp.json"],
  "cursor-agent": [".cursor/mcp.json", ".cursor/hooks.json", ".cursor/cli.json"],
  gemini: [".gemini/settings.json", ".gemini/extensions/"],
  iflow: [".iflow/settings.json"],
  junie: [".junie/mcp/"],
  kilo: ["kilo.json", "kilo.jsonc", ".kilo/", ".kilocode/mcp.json", "opencode.json", ".opencode/"],
  "kiro-cli": [".kiro/settings/", ".kiro/agents/", ".kiro/hooks/"],
  opencode: ["opencode.json", "opencode.jsonc", ".opencode/"],
  qodercli: [".qoder/settings.json", ".mcp.json"],
  qwen: [".qwen/settings.json", ".qwen/extensions/"],
  "vibe-acp": [".vibe/config.toml"],
};

/** Returns the project files of an agent. It does not start in an untrusted directory that has one: it cannot ignore them. */
export function acpProjectSettings(program: string): readonly ProjectSetting[] {
  const known = Object.hasOwn(files, program) ? (files[program] ?? []) : [];
  return known.map((path) => ({
    path,
    effect: "can run programs or allow tools",
    harmlessKeys: ["$schema", "model"],
  }));
}
