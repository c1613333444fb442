import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect } from "vitest";
import type { AdapterTest, RuntimeUnderTest } from "./adapter-test.ts";
import { ofType, spoken } from "./conversation.ts";

export function describePermissions(test: AdapterTest, { tools }: RuntimeUnderTest): void {
  test("asks before it uses a tool, and uses it when allowed", async ({ stage }) => {
    const call = tools.write("a.txt", "x");
    stage.model.on("write", { toolCalls: [call] }, { text: "Done." });
    const conversation = await stage.open({
      permissions: "ask",
      answer: () => ({ decision: "allow" }),
    });
    const { drafts, end } = await conversation.turn("write it");
    const [request] = ofType(drafts, "request");
    expect(request).toMatchObject({
      kind: "permission",
      tool: { name: tools.writeName ?? call.name, kind: "edit" },
    });
    expect(JSON.stringify(request?.tool?.input)).toContain("a.txt");
    expect(request?.options.map(({ decision }) => decision)).toEqual(
      expect.arrayContaining(["allow", "deny"]),
    );
    expect((await readFile(join(stage.cwd, "a.txt"), "utf8")).trimEnd()).toBe("x");
    expect(end.status).toBe("completed");
  });

  test("tells the model why a tool was denied, and goes on", async ({ stage }) => {
    stage.model.on("write", { toolCalls: [tools.write("a.txt", "x")] }, { text: "Then not." });
    const conversation = await stage.open({
      permissions: "ask",
      answer: () => ({ decision: "deny", text: "not on a SUNDAY" }),
    });
    const { drafts, end } = await conversation.turn("write it");
    await expect(readFile(join(stage.cwd, "a.txt"))).rejects.toMatchObject({ code: "ENOENT" });
    expect(ofType(drafts, "tool_result")).toMatchObject([{ isError: true }]);
    const told = stage.model.requests.at(-1)?.messages.map(({ text }) => text);
    expect(told).toContainEqual(expect.stringContaining("SUNDAY"));
    expect(spoken(drafts)).toEqual(["Then not."]);
    expect(end.status).toBe("completed");
  });

  test("can be cancelled while it waits for an answer", async ({ stage }) => {
    stage.model.on("write", { toolCalls: [tools.write("a.txt", "x")] }, { text: "Done." });
    stage.model.on("greet", { text: "Hello." });
    const conversation = await stage.open({ permissions: "ask" });
    await conversation.send("write it");
    await conversation.until("request");
    await conversation.connection.cancel();
    expect((await conversation.told()).end.status).toBe("cancelled");
    const { drafts } = await conversation.turn("greet me");
    expect(spoken(drafts)).toEqual(["Hello."]);
    await expect(readFile(join(stage.cwd, "a.txt"))).rejects.toMatchObject({ code: "ENOENT" });
  });
}
