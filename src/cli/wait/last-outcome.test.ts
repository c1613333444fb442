import { expect, onTestFinished, test } from "vitest";
import { createHalyard } from "../../create-halyard.ts";
import { fakeAdapter } from "../../testing/fake/index.ts";
import { temporaryDirectory } from "../../testing/temporary-directory.ts";
import { sessionResult } from "./last-outcome.ts";

test("finds the outcome of the last turn if more than 1000 events follow it", async () => {
  const home = await temporaryDirectory();
  const halyard = await createHalyard({ home, store: "memory", adapters: [fakeAdapter()] });
  onTestFinished(() => halyard[Symbol.asyncDispose]());
  const session = await halyard.start({ runtime: "fake", cwd: home });
  expect(await sessionResult(halyard, session.info)).toEqual({ exitCode: 0 });
  await session.send("fail on purpose").outcome;
  for (let count = 0; count < 1100; count++) await halyard.update(session.id, { name: `${count}` });
  expect(session.info.lastSeq).toBeGreaterThan(1100);
  expect(await sessionResult(halyard, session.info)).toMatchObject({
    exitCode: 1,
    error: { message: expect.stringContaining("on purpose") },
  });
});
