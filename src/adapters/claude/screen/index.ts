import type { Adapter } from "../../../contracts/adapter.ts";
import type { Capability } from "../../../schema/runtime.ts";
import type { ClaudeAdapterOptions } from "../index.ts";
import { configDir } from "../settings/environment.ts";

/** The capabilities on a screen. They do not include `deltas`, because the transcript contains only complete messages. */
const capabilities: readonly Capability[] = [
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
  "mcp",
];

/** Creates the adapter for Claude Code's interactive interface on a screen. */
export function onScreen(plain: Adapter, options: ClaudeAdapterOptions): Adapter {
  return {
    ...plain,
    capabilities,
    inputs: ["tmux"],
    readiness: { strategy: "prompt", retries: 3 },
    async createMapper() {
      const { TranscriptMapper } = await import("./transcript.ts");
      return new TranscriptMapper();
    },
    async clean(session) {
      const { removeKey } = await import("./accept-dialogs.ts");
      await removeKey(configDir(session));
    },
    async connect(request) {
      const { connectScreen } = await import("./connect.ts");
      return connectScreen(request, options);
    },
  };
}
