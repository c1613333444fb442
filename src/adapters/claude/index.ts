import type { Adapter } from "../../core/adapter.ts";
import type { Capability } from "../../schema/runtime.ts";
import { claudePackage } from "../versions.ts";
import { createMapper } from "./events.ts";
import { probeClaude } from "./find.ts";
import { isSignedIn } from "./sign-in.ts";

export interface ClaudeAdapterOptions {
  /** Where `halyard runtime install` puts runtimes, for when the user has no Claude Code of their own. */
  readonly runtimesDir: string;
  /** What Claude and its tools may be told of the machine; the keys of its model are for Claude alone. */
  readonly env: Readonly<Record<string, string | undefined>>;
}

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
  "settings",
];

/** Claude Code as `claude -p`, with stream-json both ways. */
export function claudeAdapter({ runtimesDir, env }: ClaudeAdapterOptions): Adapter {
  return {
    name: "claude",
    displayName: "Claude Code",
    capabilities,
    testedWith: claudePackage.version,
    probe: () => probeClaude({ env, runtimesDir }),
    isSignedIn: () => isSignedIn(env),
    createMapper,
    async connect(request) {
      const { connectClaude } = await import("./connect.ts");
      return connectClaude(request, { runtimesDir, env });
    },
  };
}
