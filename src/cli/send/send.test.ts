import { expect, test } from "vitest";
import { halyard } from "../../../test/cli/start-cli.ts";
import { newDaemonUser, startFakeDaemon, startSession } from "../../../test/daemon/scene.ts";

test("resumes a stopped session, and fails with --no-resume", async () => {
  const user = await newDaemonUser();
  await startFakeDaemon(user);
  const id = await startSession(user, "say hello");
  await halyard(user, ["wait", id]);
  await halyard(user, ["stop", id]);
  const refused = await halyard(user, ["send", id, "--no-resume", "recall"]);
  expect(refused).toMatchObject({
    exitCode: 1,
    stderr: expect.stringContaining("session_stopped"),
  });
  const sent = await halyard(user, ["send", id, "--wait", "--format", "quiet", "recall"]);
  expect(sent).toEqual({ exitCode: 0, stdout: "say hello\n", stderr: "" });
});
