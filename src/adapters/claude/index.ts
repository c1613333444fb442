import type { Adapter } from "../../contracts/adapter.ts";
import type { Capability } from "../../schema/runtime.ts";
import { claudePackage } from "../versions.ts";
import { claudePrograms, findClaude, probeClaude } from "./find.ts";
import { claudeOptions } from "./options.ts";
import { claudeProjectSettings } from "./project-settings.ts";
import { onScreen } from "./screen/index.ts";
import { claudeConversation } from "./settings/conversation.ts";
import { isSignedIn } from "./settings/sign-in.ts";
import { claudeTools } from "./tool-names.ts";

/** Options for the Claude Code adapters. */
export interface ClaudeAdapterOptions {
  /** The directory that `halyard runtime install` writes to. Used if the user's Claude Code is missing or too old. */
  readonly runtimesDir: string;
  /** The environment of this process. Claude and its tools receive a part of it; only Claude receives model keys. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The default executable: a path, or a name on the PATH. A session can override it. */
  readonly bin?: string | undefined;
}

/** The variable that names the directory with Claude Code's settings, login and sessions. */
export const ACCOUNT_VARIABLE = "CLAUDE_CONFIG_DIR";

/** Claude Code's capabilities without a screen. */
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
  "images",
  "fork",
  "compact",
  "commands",
  "models",
  "native-sessions",
];

/** Creates the Claude Code adapter, which runs `claude -p` with stream-json input and output. */
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
    builtInTools: claudeTools,
    probe: () => probeClaude({ env, runtimesDir, bin }),
    signIn: 'set ANTHROPIC_API_KEY, or run "claude" and type /login',
    isSignedIn: () => isSignedIn(env),
    checkOptions: (options) => void claudeOptions({ options }),
    async models(host) {
      const { listModels } = await import("./models.ts");
      return listModels(host, env, async () => {
        const { file } = await findClaude({ bin, env, runtimesDir });
        return file;
      });
    },
    async nativeSessions(request) {
      const { listUserRecords } = await import("../../adapter-kit/records/user-records.ts");
      const { claudeRecords } = await import("./settings/native-sessions.ts");
      return listUserRecords(claudeRecords({ ...env, ...request.env }), request);
    },
    conversation: claudeConversation(env),
    async createMapper() {
      const { createMapper } = await import("./events/events.ts");
      return createMapper();
    },
    async connect(request) {
      const { connectClaude } = await import("./connect.ts");
      return connectClaude(request, { runtimesDir, env, bin });
    },
  };
  return { ...plain, onScreen: onScreen(plain, { runtimesDir, env, bin }) };
}
