/** An ACP agent that is registered by name. */
export interface Preset {
  readonly name: string;
  readonly displayName: string;
  readonly command: readonly [program: string, ...args: string[]];
  /** How to install the agent. */
  readonly hint: string;
  /** Variables that the agent receives to sign in. An asterisk at the end of a name matches any suffix. */
  readonly passEnv: readonly string[];
  /**
   * The tested version of the agent, and its ACP version. Absent if the command is untested and comes from the agent's
   * documentation.
   */
  readonly seen?: { readonly version: string; readonly acp: 1 | 2 };
  /** True if the tested version accepts a model endpoint and key from the client. */
  readonly setsProviders?: true;
}

/** Key variables for agents that support models of several vendors. */
const vendorKeys = ["ANTHROPIC_API_KEY", "OPENAI_API_KEY", "GOOGLE_API_KEY", "OPENROUTER_API_KEY"];

/** All presets. To add an agent, add an entry here and a row to the ACP documentation. */
export const presets: readonly Preset[] = [
  {
    name: "amp",
    displayName: "Amp",
    command: ["amp-acp"],
    hint: "put amp-acp on the PATH: https://github.com/tao12345666333/amp-acp",
    passEnv: ["AMP_*"],
  },
  {
    name: "auggie",
    displayName: "Auggie",
    command: ["auggie", "--acp"],
    hint: 'run "npm install -g @augmentcode/auggie"',
    passEnv: ["AUGMENT_*"],
    seen: { version: "0.36.0", acp: 1 },
  },
  {
    name: "claude-acp",
    displayName: "Claude Agent over ACP",
    command: ["claude-agent-acp"],
    hint: 'run "npm install -g @agentclientprotocol/claude-agent-acp"',
    passEnv: ["ANTHROPIC_*", "CLAUDE_*"],
    seen: { version: "0.99.1", acp: 2 },
  },
  {
    name: "cline",
    displayName: "Cline",
    command: ["cline", "--acp"],
    hint: 'run "npm install -g cline"',
    passEnv: ["CLINE_*", ...vendorKeys],
    seen: { version: "3.0.65", acp: 1 },
  },
  {
    name: "codebuddy",
    displayName: "CodeBuddy Code",
    command: ["codebuddy", "--acp"],
    hint: 'run "npm install -g @tencent-ai/codebuddy-code"',
    passEnv: ["CODEBUDDY_*"],
  },
  {
    name: "codex-acp",
    displayName: "Codex over ACP",
    command: ["codex-acp"],
    hint: 'run "npm install -g @agentclientprotocol/codex-acp"',
    passEnv: ["CODEX_*", "OPENAI_*"],
    seen: { version: "2.6.0", acp: 2 },
    setsProviders: true,
  },
  {
    name: "copilot",
    displayName: "GitHub Copilot",
    command: ["copilot", "--acp"],
    hint: 'run "npm install -g @github/copilot"',
    passEnv: ["COPILOT_*", "GH_TOKEN", "GITHUB_TOKEN"],
    seen: { version: "1.0.102", acp: 1 },
  },
  {
    name: "cursor",
    displayName: "Cursor",
    command: ["cursor-agent", "acp"],
    hint: "install the Cursor CLI: https://cursor.com/docs/cli/acp",
    passEnv: ["CURSOR_*"],
  },
  {
    name: "devin",
    displayName: "Devin",
    command: ["devin", "acp"],
    hint: "install the Devin CLI: https://docs.devin.ai/cli",
    passEnv: ["DEVIN_*"],
  },
  {
    name: "gemini",
    displayName: "Gemini CLI",
    command: ["gemini", "--acp"],
    hint: 'run "npm install -g @google/gemini-cli"',
    passEnv: ["GEMINI_*", "GOOGLE_*"],
    seen: { version: "0.61.0", acp: 1 },
  },
  {
    name: "goose",
    displayName: "goose",
    command: ["goose", "acp"],
    hint: "install goose: https://block.github.io/goose/",
    passEnv: ["GOOSE_*", ...vendorKeys],
  },
  {
    name: "grok",
    displayName: "Grok Build",
    command: ["grok", "agent", "stdio"],
    hint: 'run "npm install -g @xai-official/grok"',
    passEnv: ["GROK_*", "XAI_*"],
    seen: { version: "1.0.41", acp: 1 },
  },
  {
    name: "iflow",
    displayName: "iFlow",
    command: ["iflow", "--experimental-acp"],
    hint: "put iflow on the PATH",
    passEnv: ["IFLOW_*"],
  },
  {
    name: "junie",
    displayName: "Junie",
    command: ["junie", "--acp=true"],
    hint: "install Junie: https://junie.jetbrains.com",
    passEnv: ["JUNIE_*"],
  },
  {
    name: "kilo",
    displayName: "Kilo",
    command: ["kilo", "acp"],
    hint: 'run "npm install -g @kilocode/cli"',
    passEnv: ["KILO_*", ...vendorKeys],
    seen: { version: "7.7.9", acp: 1 },
  },
  {
    name: "kimi",
    displayName: "Kimi CLI",
    command: ["kimi", "acp"],
    hint: "install Kimi CLI: https://github.com/MoonshotAI/kimi-cli",
    passEnv: ["KIMI_*", "MOONSHOT_*"],
  },
  {
    name: "kiro",
    displayName: "Kiro CLI",
    command: ["kiro-cli", "acp"],
    hint: "put kiro-cli on the PATH",
    passEnv: ["KIRO_*", "AWS_*"],
  },
  {
    name: "qoder",
    displayName: "Qoder CLI",
    command: ["qodercli", "--acp"],
    hint: 'run "npm install -g @qoder-ai/qodercli"',
    passEnv: ["QODER_*"],
    seen: { version: "1.1.52", acp: 1 },
  },
  {
    name: "qwen",
    displayName: "Qwen Code",
    command: ["qwen", "--acp"],
    hint: 'run "npm install -g @qwen-code/qwen-code"',
    passEnv: ["QWEN_*", "DASHSCOPE_*", "OPENAI_*"],
    seen: { version: "0.24.4", acp: 1 },
  },
  {
    name: "vibe",
    displayName: "Mistral Vibe",
    command: ["vibe-acp"],
    hint: "install Mistral Vibe: https://github.com/mistralai/mistral-vibe",
    passEnv: ["MISTRAL_*"],
  },
];
