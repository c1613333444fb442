import { expect } from "vitest";
import type { ToolLists } from "../../schema/session/start-request.ts";
import type { AdapterTest } from "./adapter-test.ts";
import type { RuntimeUnderTest } from "./runtime-under-test.ts";
import type { Stage } from "./stage.ts";

/** Tests the capability `tool-lists`. */
export function describeToolLists(test: AdapterTest, { tools }: RuntimeUnderTest): void {
  const shell = tools.shell("true").name;
  const write = tools.write("a.txt", "a").name;

  test("offers only the enabled tools to the model", async ({ shared }) => {
    const offered = await offeredWith(shared, { enabled: [shell] });
    expect(offered).toContain(shell);
    expect(offered).not.toContain(write);
  });

  test("offers all tools except the disabled ones to the model", async ({ shared }) => {
    const offered = await offeredWith(shared, { disabled: [shell] });
    expect(offered).not.toContain(shell);
    expect(offered).toContain(write);
  });
}

async function offeredWith(stage: Stage, tools: ToolLists): Promise<readonly string[]> {
  stage.model.on("greet", { text: "Hello." });
  await using conversation = await stage.open({ tools });
  await conversation.turn("greet me");
  return stage.model.requests.at(-1)?.tools ?? [];
}
