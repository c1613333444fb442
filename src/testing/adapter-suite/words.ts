import { expect } from "vitest";
import type { AdapterTest } from "./adapter-test.ts";
import { ofType, spoken } from "./conversation.ts";

export function describeWords(test: AdapterTest): void {
  test("says what the model says, over every protocol it claims", async ({ stage }) => {
    stage.model.on("greet", { text: "Hello." });
    for (const [index, api] of stage.apis.entries()) {
      const resume = index > 0;
      await using conversation = await stage.open({
        model: stage.model.endpoint(api),
        ...(resume && { attach: undefined }),
      });
      const { drafts, end } = await conversation.turn("greet me");
      expect(spoken(drafts)).toEqual(["Hello."]);
      expect(end).toMatchObject({ status: "completed", stopReason: "end_turn" });
    }
  });
}
