import type { Adapter } from "../../core/adapter.ts";
import type { Capability } from "../../schema/runtime.ts";
import { claudePackage } from "../versions.ts";
import { claudePrograms, probeClaude } from "./find.ts";
import { claudeOptions } from "./options.ts";
import { claudeProjectSettings } from "./project-settings.ts";
import { onScreen } from "./screen/index.ts";
import { isSignedIn } from "./sign-in.ts";

export interface ClaudeAdapterOptions {
  /** Where `halyard runtime install` puts runtimes, for when the user has no Claude Code of their own. */
  readonly runtimesDir: string;
  /** What Claude and its tools may be told of the machine; the keys of its model are for Claude alone. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The program to run unless a session names another: a path, or a name on the PATH. */
  readonly bin?: string | undefined;
}

/** Claude Code keeps its settings, its login and its sessions there. */
export const ACCOUNT_VARIABLE = "CLAUDE_CONFIG_DIR";

export const capabilities: readonly Capability[] = [
  "deltas",
  "reasoning",
  "tools",
  "usage",
  "cancel",
  "steer",
  "permissions",
  "questions",
  "plan",
  "resume",
  "attach",
  "endpoints",
  "tool-lists",
  "settings",
  "mcp",
];

/** Claude Code as `claude -p`, with stream-json both ways. */
export function claudeAdapter({ runtimesDir, env, bin }: ClaudeAdapterOptions): Adapter {
  const plain: Adapter = {
    name: "claude",
    displayName: "Claude Code",
    capabilities,
    inputs: ["stdin"],
    accountVariable: ACCOUNT_VARIABLE,
    testedWith: claudePackage.version,
    programsFor: claudePrograms,
    projectSettings: claudeProjectSettings,
    probe: () => probeClaude({ env, runtimesDir, bin }),
    signIn: "set ANTHROPIC_API_KEY, or run `claude` and type /login",
    isSignedIn: () => isSignedIn(env),
    checkOptions: (options) => void claudeOptions({ options }),
    async createMapper() {
      const { createMapper } = await import("./events.ts");
      return createMapper();
    },
    async connect(request) {
      const { connectClaude } = await import("./connect.ts");
      return connectClaude(request, { runtimesDir, env, bin });
    },
  };
  return { ...plain, onScreen: onScreen(plain, { runtimesDir, env, bin }) };
}
