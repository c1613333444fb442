import { afterAll, beforeAll, expect, test } from "vitest";
import { realAdapter, realAgents } from "../../test/real/acp-agents.ts";
import { everyAdapter } from "../../test/real/every-adapter.ts";
import { createScene, type Scene } from "../../test/real/scene.ts";
import { exitCodeOf } from "../errors/error.ts";
import type { ModelApi } from "../schema/model.ts";

let scene: Scene;
beforeAll(async () => {
  scene = await createScene((paths) => [
    ...everyAdapter(paths),
    ...realAgents.map((agent) => ({
      ...realAdapter(agent, paths.env),
      name: agent.title.replaceAll(/[^a-z]+/g, "-"),
    })),
  ]);
  const named = "model: no-such-model";
  const unknown = "The model `no-such-model` does not exist or you do not have access to it.";
  scene.model.on("anthropic", { error: { status: 404, message: named } });
  scene.model.on("openai", { error: { status: 404, message: unknown } });
});
afterAll(() => scene[Symbol.asyncDispose]());

test.each([
  ["claude", "local", "anthropic"],
  ["claude", "tmux", "anthropic"],
  ["ccsdk", "local", "anthropic"],
  ["codex", "local", "openai-responses"],
  ["codex", "tmux", "openai-responses"],
  ["droid", "local", "openai-chat"],
  ["opencode", "local", "openai-chat"],
  ["pi", "local", "openai-chat"],
  ["claude-agent-acp", "local", "anthropic"],
  ["codex-acp", "local", "openai-responses"],
  ["droid-exec-output-format-acp", "local", "openai-chat"],
  ["opencode-acp", "local", "openai-chat"],
] as const)(
  "%s on the host %s reports a wrong key as `not_signed_in` and an unknown model as `unknown_model`",
  async (runtime, host, api) => {
    const { halyard, cwd, model } = scene;
    const endpoint = model.endpoint(api satisfies ModelApi);
    const ask = async (text: string, given: typeof endpoint) => {
      await using session = await halyard.start({ runtime, host, cwd, model: given });
      return await session.send(text, { timeoutMs: 60_000 }).outcome;
    };
    const refused = await ask("greet me", { ...endpoint, apiKey: "sk-wrong-key" });
    expect(refused).toMatchObject({
      status: "failed",
      error: {
        code: "not_signed_in",
        message: expect.stringContaining(`check the key for ${new URL(endpoint.baseUrl).host}`),
      },
    });
    expect(exitCodeOf(refused)).toBe(3);
    const rejected = new Set(model.takeRejected().map(({ apiKey }) => apiKey));
    expect(rejected).toEqual(new Set(["sk-wrong-key"]));
    const spoken = api === "anthropic" ? "anthropic" : "openai";
    expect(await ask(spoken, { ...endpoint, id: endpoint.id })).toMatchObject({
      status: "failed",
      error: { code: "unknown_model", message: expect.stringContaining(endpoint.id) },
    });
  },
);
