import { join } from "node:path";
import { runtimesDir } from "../../../../test/real/runtimes-dir.ts";
import { createTmuxHost } from "../../../hosts/tmux/index.ts";
import { describeAdapter } from "../../../testing/describe-adapter.ts";
import { claudeToolCalls } from "../events/tool-calls.ts";
import { claudeAdapter } from "../index.ts";

describeAdapter("Claude Code on a screen", {
  createAdapter: ({ env }) => {
    const { onScreen } = claudeAdapter({ env, runtimesDir });
    if (onScreen === undefined) throw new Error("no screen");
    return onScreen;
  },
  createHost: ({ directory }) =>
    createTmuxHost({ socket: join(directory, "tmux.sock"), env: process.env }),
  apis: ["anthropic"],
  tools: claudeToolCalls,
  normalizesWhitespace: true,
  missesServerFailures: true, // only the screen shows these failures
});
