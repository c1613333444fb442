import { expect, onTestFinished, test } from "vitest";
import type { Session, Turn } from "../core/halyard.ts";
import { createHalyard } from "../create-halyard.ts";
import { fakeAdapter } from "../testing/fake/index.ts";
import { temporaryDirectory } from "../testing/temporary-directory.ts";
import { Interrupts } from "./interrupts.ts";

async function scene(prompt: string) {
  const home = await temporaryDirectory();
  const halyard = await createHalyard({ home, store: "memory", adapters: [fakeAdapter()] });
  onTestFinished(() => halyard[Symbol.asyncDispose]());
  const session: Session = await halyard.start({ runtime: "fake", cwd: home });
  const turn: Turn = session.send(prompt);
  const said: string[] = [];
  const interrupts = new Interrupts({
    say: (text) => said.push(text),
    exit: () => said.push("exit"),
  });
  onTestFinished(() => interrupts[Symbol.dispose]());
  return { session, turn, said, interrupts };
}

test("the first interrupt cancels the turn and leaves the session usable", async () => {
  const { session, turn, said, interrupts } = await scene("wait");
  await turn.accepted;
  interrupts.watch(session);
  interrupts.interrupt();
  expect(await turn.outcome).toMatchObject({ status: "cancelled" });
  expect(said).toEqual(["cancelling the turn; Ctrl-C again stops the session at once"]);
  expect(await session.send("say hello").outcome).toMatchObject({ status: "completed" });
});

test("the second one stops the session, whatever the agent does about the first", async () => {
  const { session, turn, interrupts } = await scene("hang");
  await turn.accepted;
  interrupts.watch(session);
  interrupts.interrupt();
  interrupts.interrupt();
  expect(await turn.outcome).toMatchObject({ status: "cancelled" });
  await session.stop();
  expect(session.info.state).toBe("stopped");
});

test("the third one waits for nothing", async () => {
  const { session, said, interrupts } = await scene("hang");
  interrupts.watch(session);
  for (let press = 0; press < 3; press++) interrupts.interrupt();
  expect(said.at(-1)).toBe("exit");
});

test("an interrupt that came before there was a turn counts for it", async () => {
  const { session, turn, interrupts } = await scene("wait");
  interrupts.interrupt();
  expect(interrupts.isRequested).toBe(true);
  interrupts.watch(session);
  expect(await turn.outcome).toMatchObject({ status: "cancelled" });
});
