import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openScene } from "../../../test/real/scene.ts";
import { claudeToolCalls } from "../../adapters/claude/events/tool-calls.ts";
import { ccsdkAdapter } from "../../adapters/claude/sdk/sdk.ts";
import { createCcSdkAgentRuntime, openSessionFile, type SessionMessage } from "./index.ts";

/** Returns the parts of the messages without their ids. */
const outline = (messages: readonly SessionMessage[]) =>
  messages.flatMap(({ role, content }) =>
    content.map((part) => [role, part.type, "text" in part ? part.text : ""]),
  );

test("createCcSdkAgentRuntime runs the SDK, and its session file and the copy of the adapter have the same content [s4.factory.ccsdk] [s4.session.adapter]", async () => {
  const scene = await openScene((paths) => [ccsdkAdapter(paths)]);
  const { home, halyard, model, cwd: workspaceDir } = scene;
  const toolCalls = [claudeToolCalls.shell("echo one"), claudeToolCalls.shell("echo two")];
  model.on("count", { text: "I count.", toolCalls }, { text: "Two." });
  const providers = { scripted: model.endpoint("anthropic") };
  const runtime = createCcSdkAgentRuntime({ models: { providers } }, { halyard });
  const { reply, meta } = await runtime.run({
    sessionId: "chat-1",
    sessionFile: join(home, "chat-1.jsonl"),
    workspaceDir,
    prompt: "count them",
    provider: "scripted",
    model: "scripted",
    ccsdkOptions: { hooksEnabled: false },
  });
  expect(reply).toBe("Two.");
  expect(meta).toMatchObject({ runtime: "ccsdk", attempts: [{ runtime: "ccsdk" }] });
  const state = join(home, "halyard", "sessions", meta.sessionId ?? "");
  const files = await readdir(state, { recursive: true });
  const native = files.find((file) => file.endsWith(`${meta.runtimeSessionId}.jsonl`)) ?? "";
  const theirs = await openSessionFile(join(state, native));
  const ours = await openSessionFile(join(home, "chat-1.jsonl"));
  // Parallel tools end in any order.
  const sorted = async (session: typeof ours) =>
    outline(await session.loadHistory())
      .map(String)
      .toSorted();
  expect(await sorted(theirs)).toEqual([
    "assistant,text,I count.",
    "assistant,text,Two.",
    "assistant,tool_call,",
    "assistant,tool_call,",
    "tool_result,tool_result,one",
    "tool_result,tool_result,two",
    "user,text,count them",
  ]);
  expect(await sorted(ours)).toEqual(await sorted(theirs));
  expect(await theirs.getMetadata()).toEqual({
    sessionId: meta.runtimeSessionId,
    cwd: workspaceDir,
  });
});
