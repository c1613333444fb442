import type { Adapter } from "../../../core/adapter.ts";
import type { Capability } from "../../../schema/runtime.ts";
import type { ClaudeAdapterOptions } from "../index.ts";

/** What Claude's transcript and hooks tell is all there is to read: no pieces of messages among it. */
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

/** Claude Code as people use it, on a screen. */
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
    async connect(request) {
      const { connectScreen } = await import("./connect.ts");
      return connectScreen(request, options);
    },
  };
}
