import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { attachPerson, sees } from "../../../../test/screens/person.ts";
import { openStage } from "../../../../test/screens/stage.ts";

test("records the answers that a user gives on Codex's own screen, even while an allowed command is still running", async () => {
  const { model, tools, home, cwd, open, request } = await openStage("codex");
  const halyard = await open();
  const session = await halyard.start({ ...request, permissions: "ask", attended: true });
  const user = await attachPerson(home, session);
  const untilReleased = "while [ ! -e release ]; do sleep 0.1; done; touch made";
  model.on("allowed", { toolCalls: [tools.shell(untilReleased)] }, { text: "Made." });
  model.on("denied", { toolCalls: [tools.shell("touch never")] }, { text: "Never." });

  const answerOnScreen = async (prompt: string, key: string) => {
    const turn = session.send(prompt);
    const seen: unknown[] = [];
    for await (const event of turn) {
      if (event.type === "request") {
        await sees(user, "Would you like to run the following command?");
        await user.press(key);
      } else if (event.type === "response") {
        const { decision, by } = event;
        seen.push({ decision, by, openRequests: session.info.openRequests });
        // the command waits for this file, so that it cannot end before its answer is recorded
        writeFileSync(join(cwd, "release"), "");
      } else if (event.type === "tool_result") seen.push(event.isError ? "failed" : "succeeded");
    }
    return { seen, status: (await turn.outcome).status };
  };
  const answer = { by: "runtime", openRequests: [] };
  expect(await answerOnScreen("allowed", "y")).toEqual({
    seen: [{ ...answer, decision: "allow" }, "succeeded"],
    status: "completed",
  });
  expect(await answerOnScreen("denied", "Escape")).toEqual({
    seen: [{ ...answer, decision: "deny" }, "failed"],
    status: "cancelled",
  });
  expect(["made", "never"].filter((name) => existsSync(join(cwd, name)))).toEqual(["made"]);
});
