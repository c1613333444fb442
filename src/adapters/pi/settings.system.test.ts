import { expect } from "vitest";
import { z } from "zod";
import { createLocalHost } from "../../hosts/local/index.ts";
import { createAdapterTest } from "../../testing/adapter-suite/adapter-test.ts";
import { ofType } from "../../testing/adapter-suite/conversation.ts";
import { piToolCalls } from "./events/tool-calls.ts";
import { piAdapter } from "./index.ts";

for (const mode of ["sdk", "rpc"] as const) {
  const test = createAdapterTest({
    createAdapter: ({ env, directory: runtimesDir }) => piAdapter({ mode, env, runtimesDir }),
    createHost: createLocalHost,
    apis: ["openai-responses"],
    tools: piToolCalls,
  });

  test(`applies a changed reasoning level to the next turn (${mode})`, async ({ stage }) => {
    stage.model.on("greet", { reasoning: "Hm.", text: "Hello." });
    const levels: string[] = [];
    const onMessage = (message: unknown) => {
      if (JSON.stringify(message).includes('"thinking_level_changed"'))
        levels.push(levelOf(message));
    };
    const conversation = await stage.open({ onNativeMessage: onMessage });
    for (const reasoning of ["high", "off", "low"] as const) {
      await conversation.connection.configure?.({ reasoning });
      await conversation.turn("greet me");
      expect(levels.at(-1)).toBe(reasoning);
    }
  });

  test(`offers read-only tools in plan mode, and the previous tools after it (${mode})`, async ({
    stage,
  }) => {
    stage.model.on("greet", { text: "Hello." });
    const conversation = await stage.open({ tools: { disabled: ["edit"] } });
    const offered = async () => {
      await conversation.turn("greet me");
      return stage.model.requests.at(-1)?.tools;
    };
    const usual = await offered();
    expect(usual).toEqual(["read", "bash", "write"]);
    await conversation.connection.configure?.({ plan: true });
    expect((await offered())?.slice(0, 2)).toEqual(["read", "ls"]);
    await conversation.connection.configure?.({ plan: false });
    expect(await offered()).toEqual(usual);
  });

  if (mode === "rpc")
    test("keeps changed settings after an attach", async ({ stage }) => {
      const toolCalls = [piToolCalls.write("a.txt", "x")];
      stage.model.on("write", { toolCalls }, { text: "Oh." });
      const first = await stage.open();
      await first.connection.configure?.({ permissions: "ask", model: "another" });
      await first.connection.detach();
      const attach = { cursor: first.cursor, turnCursor: first.cursor };
      const answer = () => ({ decision: "deny" }) as const;
      const second = await stage.open({ permissions: "ask", attach, answer });
      const { drafts } = await second.turn("write it");
      expect(ofType(drafts, "request")).toHaveLength(1);
      await second.connection.configure?.({ permissions: "allow-all" });
      expect(ofType((await second.turn("write it now")).drafts, "request")).toEqual([]);
      expect(stage.model.requests.map(({ model }) => model)).toEqual(Array(4).fill("another"));
    });
}

const levelOf = (message: unknown): string =>
  z.looseObject({ level: z.string() }).parse(message).level;
