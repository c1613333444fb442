import { basename } from "node:path";
import type { ProjectSetting } from "../../../schema/project/project-setting.ts";

/**
 * Project files that can run programs or allow tools, by the program that reads them. Some agents also read other
 * agents' files.
 */
const files: Readonly<Record<string, readonly string[]>> = {
  aider: [".aider.conf.yml", ".env"],
  amp: [".amp/settings.json", ".amp/plugins/"],
  "amp-acp": [".amp/settings.json", ".amp/plugins/"],
  auggie: [".augment/settings.json"],
  cline: [...[".cline/", ".clinerules/hooks/", ".clinerules/workflows/"]],
  codebuddy: [".codebuddy/settings.json", ".mcp.json"],
  copilot: [".github/hooks/", ".mcp.json"],
  "cursor-agent": [".cursor/mcp.json", ".cursor/hooks.json", ".cursor/cli.json"],
  devin: [
    ...[".devin/config.json", ".devin/config.local.json", ".devin/hooks.v1.json", ".devin/hooks/"],
    ...[".devin/skills/", ".devin/agents/", ".devin/plugins/", ".cursor/", ".windsurf/"],
    ...[".claude/settings.json", ".claude/settings.local.json", ".mcp.json"],
  ],
  gemini: [".gemini/settings.json", ".gemini/extensions/", ".gemini/.env", ".env"],
  goose: [".agents/plugins/", ".goose/"],
  grok: [
    ...[".grok/config.toml", ".grok/hooks/", ".grok/plugins/", ".grok/workflows/", ".grok/agents/"],
    ...[".grok/skills/", ".grok/lsp.json", ".cursor/hooks.json", ".cursor/mcp.json", ".mcp.json"],
    ...[".claude/settings.json", ".claude/settings.local.json"],
  ],
  iflow: [".iflow/settings.json"],
  junie: [".junie/mcp/"],
  kilo: ["kilo.json", "kilo.jsonc", ".kilo/", ".kilocode/mcp.json", "opencode.json", ".opencode/"],
  kimi: [
    ...[".kimi-code/", ".kimi/mcp.json", ".kimi/config.toml", ".kimi/hooks/", ".kimi/plugins/"],
    ".mcp.json",
  ],
  "kiro-cli": [".kiro/settings/", ".kiro/agents/", ".kiro/hooks/"],
  qodercli: [".qoder/settings.json", ".mcp.json"],
  qwen: [".qwen/settings.json", ".qwen/extensions/", ".qwen/.env", ".env"],
  "vibe-acp": [".vibe/config.toml"],
};

/** The programs whose project files are known. */
export const agentsWithSettings: readonly string[] = Object.keys(files);

/**
 * Returns the project files that an agent reads, or none if the program is unknown. The agents have no option to ignore
 * these files. Halyard therefore does not start the agent in an untrusted directory that contains such a file, unless
 * all settings in the file are harmless.
 */
export function acpProjectSettings(program: string): readonly ProjectSetting[] {
  const name = basename(program);
  const known = Object.hasOwn(files, name) ? (files[name] ?? []) : [];
  return known.map((path) =>
    path.endsWith(".env")
      ? { path, effect: "can redirect keys or run programs", keys: redirectingVariables }
      : {
          path,
          effect: "can run programs or allow tools",
          harmlessKeys: ["$schema", "model"],
        },
  );
}

/**
 * Variables in an environment file that redirect a key or select programs to run: agent options, endpoints, proxies,
 * and variables of programs that agents start.
 */
const redirectingVariables: string[] = [
  ...["AIDER_*", "GEMINI_CLI_*", "GEMINI_SANDBOX*", "QWEN_CODE_*", "QWEN_SANDBOX*", "SANDBOX_*"],
  ...["*_BASE_URL", "*_API_BASE", "*_ENDPOINT", "*_PROXY", "*_proxy", "*_CREDENTIALS"],
  ...["NODE_OPTIONS", "NODE_PATH", "NODE_EXTRA_CA_CERTS", "NODE_TLS_REJECT_UNAUTHORIZED"],
  ...["PYTHON*", "LD_*", "DYLD_*", "GIT_*"],
  ...["PATH", "SHELL", "BASH_ENV", "EDITOR", "VISUAL", "PAGER", "BROWSER"],
];
