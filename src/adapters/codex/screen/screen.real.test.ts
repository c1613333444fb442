import { join } from "node:path";
import { runtimesDir } from "../../../../test/real/runtimes-dir.ts";
import { createTmuxHost } from "../../../hosts/tmux/index.ts";
import { describeAdapter } from "../../../testing/describe-adapter.ts";
import { codexToolCalls } from "../events/tool-calls.ts";
import { codexAdapter } from "../index.ts";

describeAdapter("Codex on a screen", {
  createAdapter: ({ env }) => {
    const { onScreen } = codexAdapter({ env, runtimesDir });
    if (onScreen === undefined) throw new Error("no screen");
    return onScreen;
  },
  createHost: ({ directory }) =>
    createTmuxHost({ socket: join(directory, "tmux.sock"), env: process.env }),
  apis: ["openai-responses"],
  tools: codexToolCalls,
  missesSse: true,
  failingStatus: 503, // for status 500, Codex reports its own text instead of the model's
  longestMessage: 2 ** 20,
  missesMaxTokens: true,
});
