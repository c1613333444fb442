import { expect } from "vitest";
import type { ToolLists } from "../../schema/start-request.ts";
import type { AdapterTest, RuntimeUnderTest, Stage } from "./adapter-test.ts";

export function describeToolLists(test: AdapterTest, { tools }: RuntimeUnderTest): void {
  const shell = tools.shell("true").name;
  const write = tools.write("a.txt", "a").name;

  test("offers its model only the tools that are enabled", async ({ stage }) => {
    const offered = await offeredWith(stage, { enabled: [shell] });
    expect(offered).toContain(shell);
    expect(offered).not.toContain(write);
  });

  test("offers its model all tools but those that are disabled", async ({ stage }) => {
    const offered = await offeredWith(stage, { disabled: [shell] });
    expect(offered).not.toContain(shell);
    expect(offered).toContain(write);
  });
}

async function offeredWith(stage: Stage, tools: ToolLists): Promise<readonly string[]> {
  stage.model.on("greet", { text: "Hello." });
  const conversation = await stage.open({ tools });
  await conversation.turn("greet me");
  return stage.model.requests.at(-1)?.tools ?? [];
}
