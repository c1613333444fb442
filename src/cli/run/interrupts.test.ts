import { expect, onTestFinished, test } from "vitest";
import type { Session } from "../../contracts/halyard.ts";
import type { Turn } from "../../contracts/turn.ts";
import { createHalyard } from "../../create-halyard.ts";
import { fakeAdapter } from "../../testing/fake/index.ts";
import { temporaryDirectory } from "../../testing/temporary-directory.ts";
import { Interrupts } from "./interrupts.ts";

async function scene(prompt: string) {
  const home = await temporaryDirectory();
  const halyard = await createHalyard({ home, store: "memory", adapters: [fakeAdapter()] });
  onTestFinished(() => halyard[Symbol.asyncDispose]());
  const session: Session = await halyard.start({ runtime: "fake", cwd: home });
  const turn: Turn = session.send(prompt);
  const printed: string[] = [];
  const interrupts = new Interrupts({
    print: (text) => printed.push(text),
    exit: () => printed.push("exit"),
  });
  onTestFinished(() => interrupts[Symbol.dispose]());
  return { session, turn, printed, interrupts };
}

test("the first interrupt cancels the turn, and the session stays usable", async () => {
  const { session, turn, printed, interrupts } = await scene("wait");
  await turn.accepted;
  interrupts.watch(session);
  interrupts.interrupt();
  expect(await turn.outcome).toMatchObject({ status: "cancelled" });
  expect(printed).toEqual(["Cancelling the turn. Press Ctrl-C again to stop the session."]);
  expect(await session.send("say hello").outcome).toMatchObject({ status: "completed" });
});

test("the second interrupt stops the session, even if the agent ignores the first", async () => {
  const { session, turn, interrupts } = await scene("hang");
  await turn.accepted;
  interrupts.watch(session);
  interrupts.interrupt();
  interrupts.interrupt();
  expect(await turn.outcome).toMatchObject({ status: "cancelled" });
  await session.stop();
  expect(session.info.state).toBe("stopped");
});

test("the third interrupt exits the process immediately", async () => {
  const { session, printed, interrupts } = await scene("hang");
  interrupts.watch(session);
  for (let press = 0; press < 3; press++) interrupts.interrupt();
  expect(printed.at(-1)).toBe("exit");
});

test("an interrupt before the session is watched cancels the turn", async () => {
  const { session, turn, interrupts } = await scene("wait");
  interrupts.interrupt();
  expect(interrupts.isRequested).toBe(true);
  interrupts.watch(session);
  expect(await turn.outcome).toMatchObject({ status: "cancelled" });
});
