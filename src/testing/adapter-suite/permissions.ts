import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect } from "vitest";
import type { AdapterTest } from "./adapter-test.ts";
import { assistantTexts, ofType } from "./conversation.ts";
import type { RuntimeUnderTest } from "./runtime-under-test.ts";

/** Tests the capability `permissions`. */
export function describePermissions(test: AdapterTest, { tools }: RuntimeUnderTest): void {
  test("requests permission for a tool, and runs the tool if it is allowed", async ({ shared }) => {
    const call = tools.write("allowed.txt", "x");
    shared.model.on("write", { toolCalls: [call] }, { text: "Done." });
    const conversation = await shared.asking(() => ({ decision: "allow" }));
    const { drafts, end } = await conversation.turn("write it");
    const [request] = ofType(drafts, "request");
    expect(request).toMatchObject({
      kind: "permission",
      tool: { name: tools.writeName ?? call.name, kind: "edit" },
    });
    expect(JSON.stringify(request?.tool?.input)).toContain("allowed.txt");
    expect(request?.options.map(({ decision }) => decision)).toEqual(
      expect.arrayContaining(["allow", "deny"]),
    );
    expect((await readFile(join(shared.cwd, "allowed.txt"), "utf8")).trimEnd()).toBe("x");
    expect(end.status).toBe("completed");
  });

  test("reports the reason for a denial to the model and continues", async ({ shared }) => {
    shared.model.on(
      "write",
      { toolCalls: [tools.write("denied.txt", "x")] },
      { text: "Then not." },
    );
    const conversation = await shared.asking(() => ({
      decision: "deny",
      text: "not on a SUNDAY",
    }));
    const { drafts, end } = await conversation.turn("write it");
    await expect(readFile(join(shared.cwd, "denied.txt"))).rejects.toMatchObject({
      code: "ENOENT",
    });
    expect(ofType(drafts, "tool_result")).toMatchObject([{ isError: true }]);
    const received = shared.model.requests.at(-1)?.messages.map(({ text }) => text);
    expect(received).toContainEqual(expect.stringContaining("SUNDAY"));
    expect(assistantTexts(drafts)).toEqual(["Then not."]);
    expect(end.status).toBe("completed");
  });

  test("cancels a turn while a permission request is open", async ({ shared }) => {
    shared.model.on("write", { toolCalls: [tools.write("open.txt", "x")] }, { text: "Done." });
    shared.model.on("greet", { text: "Hello." });
    const conversation = await shared.asking();
    const from = conversation.drafts.length;
    await conversation.send("write it");
    await conversation.until("request", from);
    await conversation.connection.cancel();
    expect((await conversation.finishedTurn(from)).end.status).toBe("cancelled");
    const { drafts } = await conversation.turn("greet me");
    expect(assistantTexts(drafts)).toEqual(["Hello."]);
    await expect(readFile(join(shared.cwd, "open.txt"))).rejects.toMatchObject({ code: "ENOENT" });
  });
}
