import { expect, onTestFinished, test } from "vitest";
import { createHalyard } from "../../create-halyard.ts";
import { fakeAdapter } from "../../testing/fake/index.ts";
import { temporaryDirectory } from "../../testing/temporary-directory.ts";
import { sendFirst } from "./send-first.ts";

async function startFake(options: Record<string, unknown>) {
  const home = await temporaryDirectory();
  const halyard = await createHalyard({ home, store: "memory", adapters: [fakeAdapter()] });
  onTestFinished(() => halyard[Symbol.asyncDispose]());
  return { halyard, session: await halyard.start({ runtime: "fake", cwd: home, options }) };
}

test("throws the agent's error if the agent died before its first message", async () => {
  const { halyard, session } = await startFake({ startup: "stderr no license; die 3" });
  await expect(session.ready()).rejects.toThrow();
  await expect(sendFirst(halyard, session, "say hi")).rejects.toThrow(/no license/);
});

test("stops a session that rejects its first message", async () => {
  const { halyard, session } = await startFake({});
  await expect(sendFirst(halyard, session, "")).rejects.toMatchObject({ code: "invalid_input" });
  expect(await halyard.find(session.id)).toMatchObject({
    state: "stopped",
    reason: "its first message was rejected",
  });
});

test("leaves a session running if it accepts its first message", async () => {
  const { halyard, session } = await startFake({});
  await session.ready();
  await sendFirst(halyard, session, "wait");
  expect(await halyard.find(session.id)).toMatchObject({ state: "running" });
});
