import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect } from "vitest";
import { realAgents, underTest } from "../../../test/real/acp-agents.ts";
import { createAdapterTest } from "../../testing/adapter-suite/adapter-test.ts";
import { assistantTexts, Conversation, ofType } from "../../testing/adapter-suite/conversation.ts";
import { describeForking } from "../../testing/adapter-suite/conversations.ts";
import { describeImages } from "../../testing/adapter-suite/images.ts";
import { describeMcpTools } from "../../testing/adapter-suite/mcp.ts";
import { describeAttaching } from "../../testing/adapter-suite/resuming.ts";
import { eventually } from "../../testing/eventually.ts";
import { sampleRequest } from "../../testing/sample-request.ts";
import { acpAdapter } from "./index.ts";

for (const agent of realAgents) {
  const runtime = underTest(agent);
  const { tools } = runtime;
  const test = createAdapterTest(runtime);

  describe(`${agent.title}, over ACP`, { timeout: 90_000, retry: 0 }, () => {
    test("reports the agent's name and protocol version", async ({ shared }) => {
      const { connection } = shared.conversation;
      expect(await connection.ready()).toMatchObject({
        protocol: { name: "ACP", version: agent.version },
        agent: expect.stringMatching(/\d+\.\d+/),
      });
    });

    describeImages(test, runtime);

    test("emits deltas that add up to the model's text and reasoning", async ({ shared }) => {
      const text = "one two three four five six seven";
      const { conversation, model } = shared;
      model.on("count", { reasoning: "Let me see.", text, chunkSize: 5 });
      const { drafts, end } = await conversation.turn("count to seven");
      expect(end).toMatchObject({ status: "completed", stopReason: "end_turn" });
      const messages = ofType(drafts, "message").map((one) => [one.channel, one.text.trim()]);
      expect(messages).toEqual([
        ["reasoning", "Let me see."],
        ["text", text],
      ]);
      for (const { messageId, channel, text: complete } of ofType(drafts, "message")) {
        const deltas = ofType(drafts, "delta").filter(
          (delta) => delta.messageId === messageId && delta.channel === channel,
        );
        expect(deltas.map((delta) => delta.text).join("")).toBe(complete);
      }
    });

    test("requests permission to write a file, and writes it when allowed", async ({ shared }) => {
      const path = join(shared.cwd, "allowed.txt");
      shared.model.on("write", { toolCalls: [tools.write(path, "x\n")] }, { text: "Done." });
      const conversation = await shared.asking(() => ({ decision: "allow" }));
      const { drafts, end } = await conversation.turn("write it");
      expect(ofType(drafts, "request")).toMatchObject([{ tool: { kind: "edit" } }]);
      expect(JSON.stringify(ofType(drafts, "request"))).toContain("allowed.txt");
      expect(ofType(drafts, "tool_call")).toMatchObject([{ kind: "edit" }]);
      expect(ofType(drafts, "tool_result")).toMatchObject([{ isError: false }]);
      expect(await readFile(path, "utf8")).toBe("x\n");
      expect(assistantTexts(drafts).at(-1)).toBe("Done.");
      expect(end.status).toBe("completed");
    });

    test("writes no file when permission is denied", async ({ shared }) => {
      const path = join(shared.cwd, "denied.txt");
      shared.model.on("write", { toolCalls: [tools.write(path, "x\n")] }, { text: "Then not." });
      const conversation = await shared.asking(() => ({ decision: "deny" }));
      const { drafts, end } = await conversation.turn("write it");
      await expect(readFile(path)).rejects.toMatchObject({ code: "ENOENT" });
      // If the agent sends no result, the session ends the call as interrupted.
      expect(ofType(drafts, "tool_call")).toHaveLength(1);
      expect(ofType(drafts, "tool_result").filter(({ isError }) => !isError)).toEqual([]);
      expect({ status: end.status, spoken: assistantTexts(drafts) }).toEqual(agent.denied);
    });

    test("reports the results of commands and the diff of an edit", async ({ shared }) => {
      const path = join(shared.cwd, "edited.txt");
      await writeFile(path, "one\n");
      const edit = tools.edit?.(path, "one", "two");
      shared.model.on(
        "work",
        { toolCalls: [tools.shell(`cat ${path}`)] },
        { toolCalls: [tools.shell("echo oops; exit 3")] },
        { toolCalls: edit ? [edit] : [] },
        { text: "Done." },
      );
      const { conversation } = shared;
      const { drafts, end } = await conversation.turn("work");
      expect(end.status).toBe("completed");
      expect(await readFile(path, "utf8")).toBe("two\n");
      const results = ofType(drafts, "tool_result");
      expect(results.map(({ isError }) => isError)).toEqual([false, true, false]);
      expect(results.at(-1)?.diff).toMatch(/-.*one[\s\S]*\+.*two/);
    });

    test("cancels a turn during a message and accepts the next message", async ({ shared }) => {
      const { conversation, model } = shared;
      const words = Array.from({ length: 300 }, (_, at) => `word${at} `).join("");
      model.on("sing", { text: words, chunkSize: 6, chunkDelayMs: 30 });
      model.on("greet", { text: "Hello." });
      const from = conversation.drafts.length;
      const asked = model.requests.length;
      await conversation.send("sing");
      if (agent.isSlowToSpeak)
        await eventually(() => expect(model.requests.length).toBeGreaterThan(asked));
      else await conversation.until("delta", from);
      await conversation.connection.cancel();
      const { drafts, end } = await conversation.finishedTurn(from);
      expect(end.status).toBe("cancelled");
      expect(assistantTexts(drafts)).not.toEqual([words]);
      expect(assistantTexts((await conversation.turn("greet me")).drafts)).toEqual(["Hello."]);
      expect(ofType(conversation.drafts.slice(from), "completion")).toHaveLength(2);
    });

    test("cancels a turn while a permission request is open", async ({ shared }) => {
      const path = join(shared.cwd, "open.txt");
      shared.model.on("write", { toolCalls: [tools.write(path, "x\n")] }, { text: "Done." });
      const conversation = await shared.asking();
      const from = conversation.drafts.length;
      await conversation.send("write it");
      await conversation.until("request", from);
      await conversation.connection.cancel();
      expect((await conversation.finishedTurn(from)).end.status).toBe("cancelled");
      await expect(readFile(path)).rejects.toMatchObject({ code: "ENOENT" });
    });

    test("resumes a session in another connection without emitting its history", async ({
      stage,
    }) => {
      stage.model.on("BANANA", { text: "I will remember." });
      stage.model.on("which fruit", { text: "A banana." });
      const first = await stage.open();
      const { runtimeSessionId: resume = "" } = await first.connection.ready();
      await first.turn("remember BANANA");
      await first[Symbol.asyncDispose]();
      const second = await stage.open({ resume });
      expect(await second.connection.ready()).toMatchObject({ runtimeSessionId: resume });
      const asked = stage.model.requests.length;
      await second.turn("which fruit was it?");
      expect(assistantTexts(second.drafts)).toEqual(["A banana."]);
      // An agent may send other model requests too, for example for a title.
      const sent = stage.model.requests.slice(asked).flatMap(({ messages }) => messages);
      expect(sent.map(({ text }) => text).join("\n")).toContain("I will remember.");
    });

    test("rejects the resume of an unknown session", async ({ stage }) => {
      const resume = "00000000-0000-7000-8000-000000000000";
      await expect(stage.open({ resume })).rejects.toMatchObject({
        code: "runtime_session_not_found",
      });
    });

    test("fails the turn with the model's error message and accepts the next message", async ({
      shared,
    }) => {
      const { conversation, model } = shared;
      model.on("try", { error: { status: 400, message: "no such PARAMETER" } });
      model.on("greet", { text: "Hello." });
      const from = conversation.drafts.length;
      const { end } = await conversation.turn("try it");
      expect(end).toMatchObject({
        status: "failed",
        error: { code: "agent_failed", message: expect.stringContaining("PARAMETER") },
      });
      const { drafts } = await conversation.turn("greet me");
      expect(assistantTexts(drafts).at(-1)).toBe("Hello.");
      expect(ofType(conversation.drafts.slice(from), "completion")).toHaveLength(2);
    });

    if (agent.forks) describeForking(test);
    else
      test("rejects a fork if the agent does not support forks", async ({ stage }) => {
        const fork = { runtimeSessionId: "some-session", stateDir: stage.directory };
        await expect(stage.open({ fork })).rejects.toMatchObject({ code: "unsupported" });
      });

    const { withoutModel, asks } = agent;
    test("uses the session's model endpoint, or rejects it if the agent does not support endpoints", async ({
      stage,
    }) => {
      const directory = join(stage.directory, "without-model");
      await mkdir(directory);
      const variables = withoutModel?.(directory) ?? {};
      const { id: _, ...endpoint } = stage.model.endpoint(agent.api);
      const request = {
        cwd: stage.cwd,
        host: stage.host,
        runDir: join(directory, "run"),
        stateDir: directory,
        model: endpoint, // without a name, because these agents offer only models that they know
        options: {
          command: [...agent.command],
          passEnv: Object.keys(variables),
          greetingMs: 60_000,
        },
      };
      await mkdir(request.runDir);
      const env = { ...process.env, HOME: directory, ...variables };
      const connection = await acpAdapter({ env }).connect(sampleRequest(request));
      await using conversation = new Conversation(connection, () => ({ decision: "allow" }));
      if (!withoutModel) {
        await expect(connection.ready()).rejects.toMatchObject({ code: "unsupported" });
        return;
      }
      stage.model.on("greet", { text: "Hello from the endpoint." });
      await connection.ready();
      const { drafts, end } = await conversation.turn("greet me");
      if (agent.sendsPlaceholder) expect(end).toMatchObject({ error: { code: "not_signed_in" } });
      else expect(assistantTexts(drafts)).toEqual(["Hello from the endpoint."]);
    });

    test.skipIf(asks === undefined)(
      "emits the agent's form as a question, and sends the answer to the agent",
      async ({ shared }) => {
        shared.model.on("choose", { toolCalls: asks ? [asks] : [] }, { text: "Done." });
        const conversation = await shared.asking((request) =>
          request.kind === "question"
            ? { decision: "allow", optionId: "Gull" }
            : { decision: "allow" },
        );
        const from = conversation.drafts.length;
        await conversation.turn("choose one");
        const asked = ofType(conversation.drafts.slice(from), "request");
        expect(asked.filter(({ kind }) => kind === "question")).toMatchObject([
          { text: "Which bird?", options: [{ id: "Heron" }, { id: "Gull" }] },
        ]);
        const last = shared.model.requests.at(-1)?.messages ?? [];
        expect(JSON.stringify(last)).toMatch(/Which bird\?.{0,12}Gull/);
      },
    );

    describeAttaching(test);
    describeMcpTools(test, runtime);
  });
}
