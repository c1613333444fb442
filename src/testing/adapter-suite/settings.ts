import { readdir } from "node:fs/promises";
import { expect } from "vitest";
import type { AdapterTest } from "./adapter-test.ts";
import { assistantTexts, ofType } from "./conversation.ts";
import type { RuntimeUnderTest } from "./runtime-under-test.ts";
import type { Stage } from "./stage.ts";

/** Tests the capability `settings`. */
export function describeSettings(test: AdapterTest, { tools }: RuntimeUnderTest): void {
  test("applies a change to a stricter permission policy and back", async ({ shared }) => {
    shared.model.on("first", { toolCalls: [tools.write("first.txt", "x")] }, { text: "Done." });
    shared.model.on("second", { toolCalls: [tools.write("second.txt", "x")] }, { text: "Oh." });
    shared.model.on("third", { toolCalls: [tools.write("third.txt", "x")] }, { text: "Ah." });
    await using conversation = await shared.open({
      permissions: "allow-all",
      answer: (request) => ({
        decision: JSON.stringify(request).includes("third") ? "allow" : "deny",
      }),
    });
    await conversation.turn("write the first");
    await conversation.connection.configure?.({ permissions: "ask" });
    const { drafts } = await conversation.turn("write the second");
    expect(ofType(drafts, "request")).toHaveLength(1);
    await conversation.connection.configure?.({ permissions: "allow-all" });
    await conversation.turn("write the third");
    expect(await written(shared, "first.txt", "second.txt", "third.txt")).toEqual([
      "first.txt",
      "third.txt",
    ]);
  });

  test("switches planning off and on again during a session", async ({ shared }) => {
    // Skipped without this capability: another test checks that planning is then rejected.
    if (!shared.adapter.capabilities.includes("plan")) return;
    const write = (name: string) => [{ toolCalls: [tools.write(name, "x")] }, { text: "So." }];
    shared.model.on("sketch", ...write("sketch.txt"));
    shared.model.on("statue", ...write("statue.txt"));
    shared.model.on("drawing", ...write("drawing.txt"));
    await using conversation = await shared.open({
      plan: true,
      // A runtime may request permission for a call that the policy allows. The test then answers as a session does.
      answer: (request) => ({
        decision: JSON.stringify(request).includes("statue") ? "allow" : "deny",
      }),
    });
    await conversation.turn("make a sketch");
    await conversation.connection.configure?.({ plan: false });
    await conversation.turn("make a statue");
    await conversation.connection.configure?.({ plan: true });
    await conversation.turn("make a drawing");
    expect(await written(shared, "sketch.txt", "statue.txt", "drawing.txt")).toEqual([
      "statue.txt",
    ]);
  });

  test("changes the model and keeps the conversation", async ({ shared }) => {
    shared.model.on(/^Hi$/, { text: "Hi." }); // some runtimes send this message to check the model
    shared.model.on("greet", { text: "Hello." });
    shared.model.on("again", { text: "Hello again." });
    await using conversation = await shared.open();
    await conversation.turn("greet me");
    await conversation.connection.configure?.({ model: "another" });
    const { drafts } = await conversation.turn("and again");
    expect(assistantTexts(drafts)).toEqual(["Hello again."]);
    const last = shared.model.requests.at(-1);
    expect(last?.model).toBe("another");
    expect(last?.messages.map(({ text }) => text)).toContainEqual(
      expect.stringContaining("greet me"),
    );
  });
}

/** Returns the names of the files that exist. */
async function written({ cwd }: Stage, ...names: string[]): Promise<string[]> {
  const there = await readdir(cwd);
  return names.filter((name) => there.includes(name));
}
