import { expect, test } from "vitest";
import { runWarm } from "../../../test/cli/run-warm.ts";
import { connectTo, newDaemonUser, startFakeDaemon } from "../../../test/daemon/scene.ts";

test("reports how many sessions continue and how many ended with the daemon", async () => {
  const user = await newDaemonUser();
  await startFakeDaemon(user);
  const halyard = await connectTo(user);
  for (const runtime of ["fake", "mortal", "mortal"])
    await (await halyard.start({ runtime, cwd: user.cwd })).ready();
  expect(await runWarm(user, ["daemon", "stop"])).toMatchObject({
    exitCode: 0,
    stderr:
      "The daemon has stopped. 1 session continues, and the next daemon attaches to it. 2 sessions ended with the daemon.\n",
  });
});
