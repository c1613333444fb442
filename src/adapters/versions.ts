/** A package of somebody else's that is fetched on demand, at the one version we know to work. */
export interface PinnedPackage {
  readonly name: string;
  readonly version: string;
}

/** The last release of Pi that runs on Node 20. */
export const piPackage: PinnedPackage = {
  name: "@earendil-works/pi-coding-agent",
  version: "0.74.2",
};

/** Brings Claude Code along. */
export const ccsdkPackage: PinnedPackage = {
  name: "@anthropic-ai/claude-agent-sdk",
  version: "0.3.325",
};

/** It says that it needs Node 22, and runs without any. */
export const claudePackage: PinnedPackage = {
  name: "@anthropic-ai/claude-code",
  version: "2.1.325",
};

/** Node is needed to install it, not to run it. */
export const codexPackage: PinnedPackage = {
  name: "@openai/codex",
  version: "0.166.0",
};

/** The last release whose programs for all platforms come along; of 0.225 only some were published. */
export const droidPackage: PinnedPackage = {
  name: "droid",
  version: "0.215.0",
};

/** Node is needed to install it, not to run it. */
export const opencodePackage: PinnedPackage = {
  name: "opencode-ai",
  version: "1.18.33",
};

/** What the scripted model of `halyard demo` and of the tests is made of. */
export const scriptedModelPackage: PinnedPackage = {
  name: "@copilotkit/aimock",
  version: "1.43.0",
};

/** What `halyard mcp` speaks MCP with. */
export const mcpSdkPackage: PinnedPackage = {
  name: "@modelcontextprotocol/server",
  version: "2.4.0",
};

/** What `halyard acp` speaks ACP with. */
export const acpSdkPackage: PinnedPackage = {
  name: "@agentclientprotocol/sdk",
  version: "2.4.0",
};

/** What `halyard runtime install` can fetch, by the runtime's name. */
export const runtimePackages: ReadonlyMap<string, PinnedPackage> = new Map([
  ["ccsdk", ccsdkPackage],
  ["claude", claudePackage],
  ["codex", codexPackage],
  ["droid", droidPackage],
  ["opencode", opencodePackage],
  ["pi", piPackage],
]);

/** Every package that is installed on demand, by the name of its directory below `runtimes` and `locks`. */
export const onDemandPackages: ReadonlyMap<string, PinnedPackage> = new Map([
  ...runtimePackages,
  ["acp-sdk", acpSdkPackage],
  ["mcp", mcpSdkPackage],
  ["scripted-model", scriptedModelPackage],
]);
