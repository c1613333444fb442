import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect } from "vitest";
import type { AdapterTest } from "./adapter-test.ts";
import { assistantTexts, ofType } from "./conversation.ts";
import type { RuntimeUnderTest } from "./runtime-under-test.ts";

/** Tests the capability `tools`. */
export function describeTools(test: AdapterTest, { tools }: RuntimeUnderTest): void {
  test("writes a file with a tool", async ({ shared }) => {
    const call = tools.write("hello.txt", "Hello.\n");
    shared.model.on("write", { text: "I write.", toolCalls: [call] }, { text: "Done." });
    const { conversation } = shared;
    const { drafts, end } = await conversation.turn("write it");
    expect(await readFile(join(shared.cwd, "hello.txt"), "utf8")).toBe("Hello.\n");
    expect(drafts.map(({ type }) => type).filter((type) => type.startsWith("tool_"))).toEqual([
      "tool_call",
      "tool_result",
    ]);
    expect(ofType(drafts, "tool_call")).toMatchObject([
      { name: tools.writeName ?? call.name, kind: "edit" },
    ]);
    expect(ofType(drafts, "tool_result")).toMatchObject([{ isError: false }]);
    expect(assistantTexts(drafts)).toEqual(["I write.", "Done."]);
    expect(end.status).toBe("completed");
  });

  test("reports the exit code of a failed command and continues", async ({ shared }) => {
    const toolCalls = [tools.shell("echo oops; exit 3")];
    shared.model.on("try", { toolCalls }, { text: "It failed." });
    const { conversation } = shared;
    const { drafts, end } = await conversation.turn("try it");
    const [result] = ofType(drafts, "tool_result");
    expect(result).toMatchObject({ isError: true, exitCode: 3 });
    expect(result?.output).toContain("oops");
    expect(ofType(drafts, "tool_call")).toMatchObject([{ kind: "execute" }]);
    expect(end.status).toBe("completed");
  });

  test.skipIf(tools.edit === undefined)("reports the diff of an edit", async ({ shared }) => {
    await writeFile(join(shared.cwd, "a.txt"), "one\n");
    const call = tools.edit?.("a.txt", "one", "two");
    shared.model.on("edit", { toolCalls: call === undefined ? [] : [call] }, { text: "Done." });
    const { conversation } = shared;
    const { drafts } = await conversation.turn("edit it");
    expect(await readFile(join(shared.cwd, "a.txt"), "utf8")).toBe("two\n");
    const [result] = ofType(drafts, "tool_result");
    expect(result?.diff).toMatch(/-.*one[\s\S]*\+.*two/);
  });

  test("reports one result for each of two parallel tool calls", async ({ shared }) => {
    const toolCalls = [tools.shell("echo first"), tools.shell("echo second")];
    shared.model.on("both", { toolCalls }, { text: "Done." });
    const { conversation } = shared;
    const { drafts } = await conversation.turn("do both");
    const calls = ofType(drafts, "tool_call").map(({ callId }) => callId);
    const results = ofType(drafts, "tool_result").map(({ callId }) => callId);
    expect(calls).toHaveLength(2);
    expect(new Set(results)).toEqual(new Set(calls));
  });

  test("continues after a call to an unknown tool", async ({ shared }) => {
    const toolCalls = [{ name: "teleport", input: { to: "mars" } }];
    shared.model.on("go", { toolCalls }, { text: "I cannot." });
    const { conversation } = shared;
    const { drafts, end } = await conversation.turn("go to mars");
    expect(assistantTexts(drafts)).toEqual(["I cannot."]);
    expect(end.status).toBe("completed");
  });

  test("passes the session's environment to commands, without the model key", async ({
    shared,
  }) => {
    shared.model.on("look", { toolCalls: [tools.shell("env")] }, { text: "Done." });
    const { conversation } = shared;
    const { drafts } = await conversation.turn("look around");
    const [result] = ofType(drafts, "tool_result");
    for (const [name, value] of Object.entries(shared.mark))
      expect(result?.output).toContain(`${name}=${value}`);
    expect(result?.output).not.toContain(shared.model.endpoint(shared.apis[0]).apiKey);
  });
}

/** Tests the capability `plan`. */
export function describePlanning(test: AdapterTest, { tools }: RuntimeUnderTest): void {
  test("changes no file in a planning session", async ({ shared }) => {
    const toolCalls = [tools.write("plan-a.txt", "x"), tools.shell("touch plan-b.txt")];
    shared.model.on("plan", { toolCalls }, { text: "First a, then b." });
    await using conversation = await shared.open({ plan: true });
    const { drafts, end } = await conversation.turn("plan it");
    expect(assistantTexts(drafts)).toContain("First a, then b.");
    expect(end.status).toBe("completed");
    for (const name of ["plan-a.txt", "plan-b.txt"])
      await expect(readFile(join(shared.cwd, name))).rejects.toMatchObject({ code: "ENOENT" });
  });
}
