import { readdir } from "node:fs/promises";
import { expect } from "vitest";
import type { AdapterTest, RuntimeUnderTest } from "./adapter-test.ts";
import { ofType, spoken } from "./conversation.ts";

export function describeSettings(test: AdapterTest, { tools }: RuntimeUnderTest): void {
  test("asks from then on, where it was allowed everything, and the other way round", async ({
    stage,
  }) => {
    stage.model.on("first", { toolCalls: [tools.write("first.txt", "x")] }, { text: "Done." });
    stage.model.on("second", { toolCalls: [tools.write("second.txt", "x")] }, { text: "Oh." });
    stage.model.on("third", { toolCalls: [tools.write("third.txt", "x")] }, { text: "Ah." });
    const conversation = await stage.open({
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
    expect((await readdir(stage.cwd)).filter((name) => name.endsWith(".txt"))).toEqual([
      "first.txt",
      "third.txt",
    ]);
  });

  test("acts where it was only to plan, and only plans again after that", async ({ stage }) => {
    if (!stage.adapter.capabilities.includes("plan")) return; // then it is refused, as its own suite shows
    const write = (name: string) => [{ toolCalls: [tools.write(name, "x")] }, { text: "So." }];
    stage.model.on("sketch", ...write("sketch.txt"));
    stage.model.on("statue", ...write("statue.txt"));
    stage.model.on("drawing", ...write("drawing.txt"));
    const conversation = await stage.open({ plan: true });
    await conversation.turn("make a sketch");
    await conversation.connection.configure?.({ plan: false });
    await conversation.turn("make a statue");
    await conversation.connection.configure?.({ plan: true });
    await conversation.turn("make a drawing");
    expect((await readdir(stage.cwd)).filter((name) => name.endsWith(".txt"))).toEqual([
      "statue.txt",
    ]);
  });

  test("goes on with another model, and with what was said before", async ({ stage }) => {
    stage.model.on(/^Hi$/, { text: "Hi." }); // how some make sure that there is such a model
    stage.model.on("greet", { text: "Hello." });
    stage.model.on("again", { text: "Hello again." });
    const conversation = await stage.open();
    await conversation.turn("greet me");
    await conversation.connection.configure?.({ model: "another" });
    const { drafts } = await conversation.turn("and again");
    expect(spoken(drafts)).toEqual(["Hello again."]);
    const last = stage.model.requests.at(-1);
    expect(last?.model).toBe("another");
    expect(last?.messages.map(({ text }) => text)).toContainEqual(
      expect.stringContaining("greet me"),
    );
  });
}
