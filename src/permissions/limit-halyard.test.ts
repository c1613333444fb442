import { expect, test } from "vitest";
import { createHalyard } from "../create-halyard.ts";
import { fakeAdapter } from "../testing/fake/index.ts";
import { temporaryDirectory } from "../testing/temporary-directory.ts";
import { limitHalyard } from "./limit-halyard.ts";

test("rejects a limited client that lists native sessions, or continues one in a session or a race", async () => {
  const cwd = await temporaryDirectory();
  const home = await temporaryDirectory();
  await using halyard = await createHalyard({ home, env: {}, adapters: [fakeAdapter()] });
  const limited = limitHalyard(halyard, "ask");
  const request = { runtime: "fake", cwd, continuedFrom: "heron-1" };
  const racing = { prompt: "Hi", racers: [request] };
  for (const attempt of [
    limited.nativeSessions("fake"),
    limited.start(request),
    limited.races.start(racing),
  ])
    await expect(attempt).rejects.toMatchObject({
      code: "forbidden",
      message: expect.stringMatching(/^Reading the sessions that the user started without Halyard/),
    });
  expect(await halyard.sessions()).toEqual([]);
});
