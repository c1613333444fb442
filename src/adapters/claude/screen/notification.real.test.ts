import { expect, test } from "vitest";
import { openStage } from "../../../../test/screens/stage.ts";

test("emits a status event when Claude's Notification hook fires during a permission request", async () => {
  const { model, tools, request, open } = await openStage("claude");
  model.on("list", { toolCalls: [tools.shell("ls")] }, { text: "Listed." });
  const halyard = await open();
  const session = await halyard.start(request);
  const turn = session.send("list the files");
  for await (const event of halyard.events(session.id)) {
    if (event.type !== "system" || event.data?.hook !== "Notification") continue;
    expect(event).toMatchObject({
      subtype: "status",
      text: expect.stringMatching(/permission/),
      data: { notificationType: "permission_prompt" },
    });
    break;
  }
  const [asked] = session.info.openRequests;
  await session.answer(asked?.requestId ?? "", { decision: "allow" });
  expect(await turn.outcome).toMatchObject({ status: "completed", text: "Listed." });
});
