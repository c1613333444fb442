import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect } from "vitest";
import { startFactory } from "../../../test/real/factory-service.ts";
import { runtimesDir } from "../../../test/real/runtimes-dir.ts";
import { createLocalHost } from "../../hosts/local/index.ts";
import { createAdapterTest } from "../../testing/adapter-suite/adapter-test.ts";
import { assistantTexts, ofType } from "../../testing/adapter-suite/conversation.ts";
import type { Stage } from "../../testing/adapter-suite/stage.ts";
import { droidToolCalls } from "./events/tool-calls.ts";
import { droidAdapter } from "./index.ts";

const test = createAdapterTest({
  createAdapter: ({ env }) => droidAdapter({ env, runtimesDir }),
  createHost: createLocalHost,
  apis: ["openai-chat"],
  tools: droidToolCalls,
});

/** Reads Droid's records of a stage's sessions. */
async function records(stage: Stage): Promise<string> {
  const entries = await readdir(stage.directory, { recursive: true, withFileTypes: true });
  const files = entries.filter(
    ({ name, parentPath }) => /sessions/.test(parentPath) && name.endsWith(".jsonl"),
  );
  const texts = files.map(({ name, parentPath }) => readFile(join(parentPath, name), "utf8"));
  return (await Promise.all(texts)).join("\n");
}

function asking(question: string) {
  return { toolCalls: [{ name: "AskUser", input: { questionnaire: question } }] };
}

describe("Droid", { timeout: 60_000 }, () => {
  test("asks the user a question and continues with the answer", async ({ stage }) => {
    const question = "1. [question] Which color?\n[topic] Color\n[option] Red\n[option] Blue\n";
    stage.model.on("ask", asking(question), { text: "Blue, then." });
    const conversation = await stage.open({
      answer: () => ({ decision: "allow", optionId: "Blue" }),
    });
    const { drafts, end } = await conversation.turn("ask me");
    expect(ofType(drafts, "request")).toMatchObject([{ kind: "question", text: "Which color?" }]);
    expect(ofType(drafts, "tool_result")[0]?.output).toContain("[answer] Blue");
    expect(end.status).toBe("completed");
  });

  test("completes the turn if the question is denied", async ({ stage }) => {
    stage.model.on(
      "ask",
      asking("1. [question] Which color?\n[topic] Color\n[option] Red\n[option] Blue\n"),
    );
    stage.model.on("greet", { text: "Hello." });
    const conversation = await stage.open({ answer: () => ({ decision: "deny" }) });
    expect((await conversation.turn("ask me")).end.status).toBe("completed");
    expect(assistantTexts((await conversation.turn("greet me")).drafts)).toEqual(["Hello."]);
  });

  test("fails the turn if the model stays overloaded, and accepts the next message", async ({
    stage,
  }) => {
    stage.model.on("try", { error: { status: 500, message: "it broke" } });
    stage.model.on("greet", { text: "Hello." });
    const conversation = await stage.open();
    const begun = performance.now();
    const { end } = await conversation.turn("try it");
    expect(performance.now() - begun).toBeLessThan(20_000);
    expect(end).toMatchObject({
      status: "failed",
      error: { code: "agent_failed", message: expect.stringContaining("overloaded") },
    });
    expect(assistantTexts((await conversation.turn("greet me")).drafts)).toEqual(["Hello."]);
  });

  test("sends one model request for a simple turn", async ({ stage }) => {
    stage.model.on("greet", { text: "Hello." });
    const conversation = await stage.open();
    await conversation.turn("greet me");
    expect(stage.model.requests).toHaveLength(1);
  });

  test("replies to a steered message in the same turn", async ({ stage }) => {
    stage.model.on("count", { text: "one two three four five", chunkSize: 4, chunkDelayMs: 60 });
    stage.model.on("LEFT", { text: "To the left, then." });
    const conversation = await stage.open();
    await conversation.send("count");
    await conversation.until("delta");
    await conversation.steer("now LEFT");
    const { drafts, end } = await conversation.finishedTurn();
    expect(assistantTexts(drafts)).toEqual(["one two three four five", "To the left, then."]);
    expect(end.status).toBe("completed");
  });

  test("ends the turn if the user denies a tool with the cancel option", async ({ stage }) => {
    stage.model.on(
      "write",
      { toolCalls: [droidToolCalls.write("a.txt", "x")] },
      { text: "Then not." },
    );
    const conversation = await stage.open({
      permissions: "ask",
      answer: () => ({ decision: "deny", optionId: "cancel" }),
    });
    const { drafts, end } = await conversation.turn("write it");
    expect(end.status).toBe("completed");
    expect(assistantTexts(drafts)).toEqual([]);
  });

  test("returns the plan as the outcome of a planning session and does not execute it", async ({
    stage,
  }) => {
    const plan = { name: "ExitSpecMode", input: { title: "A plan", plan: "# Plan\n1. Do it." } };
    const toolCalls = [droidToolCalls.write("a.txt", "x")];
    stage.model.on(
      "plan",
      { text: "Here it is.", toolCalls: [plan] },
      { toolCalls },
      { text: "Done." },
    );
    const conversation = await stage.open({ plan: true });
    const { drafts, end } = await conversation.turn("plan it");
    expect(end).toMatchObject({ status: "completed", text: "# Plan\n1. Do it." });
    expect(ofType(drafts, "request")).toEqual([]);
    await expect(readFile(join(stage.cwd, "a.txt"))).rejects.toMatchObject({ code: "ENOENT" });
  });

  test("applies the permission policy of each resume", async ({ stage }) => {
    stage.model.on("write", { toolCalls: [droidToolCalls.write("a.txt", "x")] }, { text: "Done." });
    const first = await stage.open({ permissions: "ask" });
    const { runtimeSessionId: resume = "" } = await first.connection.ready();
    await first[Symbol.asyncDispose]();
    for (const permissions of ["allow-all", "ask"] as const) {
      const answer = () => ({ decision: "deny", optionId: "cancel" }) as const;
      const conversation = await stage.open({ resume, permissions, answer });
      const { drafts } = await conversation.turn("write it");
      expect(ofType(drafts, "request")).toHaveLength(permissions === "ask" ? 1 : 0);
      await conversation[Symbol.asyncDispose]();
    }
  });

  test("is interrupted before its process is terminated [s0.droid.graceful-shutdown]", async ({
    stage,
  }) => {
    stage.model.on("wait", { toolCalls: [droidToolCalls.shell("touch running; sleep 300")] });
    const conversation = await stage.open();
    await conversation.send("wait");
    await conversation.until("tool_call");
    await conversation[Symbol.asyncDispose]();
    expect(await records(stage)).toContain("cancelled by user");
    expect(stage.survivors()).toEqual([]);
  });
});

describe("Droid with an account", { timeout: 60_000 }, () => {
  test("uses the user's settings and resumes a session by its id [s0.droid.continuation]", async ({
    stage,
  }) => {
    stage.model.on("BANANA", { text: "I will remember." });
    stage.model.on("which fruit", { text: "A banana." });
    await using factory = await startFactory();
    const { id, baseUrl, apiKey } = stage.model.endpoint("openai-chat");
    const provider = "generic-chat-completion-api";
    // biome-ignore lint/suspicious/noTemplateCurlyInString: Droid's syntax for a variable
    const model = { model: id, displayName: id, baseUrl, provider, apiKey: "${MY_KEY}" };
    const directory = join(stage.directory, "home", ".factory");
    await mkdir(directory);
    await writeFile(join(directory, "settings.json"), JSON.stringify({ customModels: [model] }));
    const options = {
      model: { id: `custom:${id}` },
      env: { FACTORY_API_KEY: "fk-nobody", FACTORY_API_BASE_URL: factory.url, MY_KEY: apiKey },
    };
    const first = await stage.open(options);
    const { runtimeSessionId: resume = "" } = await first.connection.ready();
    await first.turn("remember BANANA");
    await first[Symbol.asyncDispose]();
    const second = await stage.open({ ...options, resume });
    expect(await second.connection.ready()).toMatchObject({ runtimeSessionId: resume });
    expect(assistantTexts((await second.turn("which fruit was it?")).drafts)).toEqual([
      "A banana.",
    ]);
    expect(factory.paths.some((path) => path.includes(resume))).toBe(true);
    expect(await readdir(directory)).toEqual(["settings.json"]);
  });
});

describe("Droid with changed settings", { timeout: 60_000 }, () => {
  test("changes the model during a turn without interrupting the turn", async ({ stage }) => {
    const wait = droidToolCalls.shell("until [ -e go ]; do sleep 0.02; done");
    stage.model.on("wait", { toolCalls: [wait] }, { text: "Done." });
    stage.model.on("greet", { text: "Hello." });
    const conversation = await stage.open();
    await conversation.send("wait for it");
    await conversation.until("tool_call");
    await conversation.connection.configure?.({ model: "another", reasoning: "high" });
    await writeFile(join(stage.cwd, "go"), "");
    expect(assistantTexts((await conversation.finishedTurn()).drafts)).toEqual(["Done."]);
    expect(assistantTexts((await conversation.turn("greet me")).drafts)).toEqual(["Hello."]);
    expect(stage.model.requests.at(-1)?.model).toBe("another");
  });

  test("accepts new settings after an attach", async ({ stage }) => {
    stage.model.on("write", { toolCalls: [droidToolCalls.write("a.txt", "x")] }, { text: "Oh." });
    const first = await stage.open();
    const { runtimeSessionId = "" } = await first.connection.ready();
    await first.connection.detach();
    const attach = { cursor: first.cursor, turnCursor: first.cursor, runtimeSessionId };
    const second = await stage.open({ attach, answer: () => ({ decision: "deny" }) });
    await second.connection.configure?.({ permissions: "ask", model: "another" });
    const { drafts } = await second.turn("write it");
    expect(ofType(drafts, "request")).toHaveLength(1);
    expect(stage.model.requests.at(-1)?.model).toBe("another");
  });
});
