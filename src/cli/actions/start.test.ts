import { expect, test } from "vitest";
import { halyard } from "../../../test/cli/start-cli.ts";
import { newDaemonUser, startFakeDaemon } from "../../../test/daemon/scene.ts";

test("a message that is too large is refused before anything is started, and by send as well", async () => {
  const user = await newDaemonUser();
  await startFakeDaemon(user);
  const large = "x".repeat(9 * 1024 * 1024);
  const refusal = {
    exitCode: 2,
    stdout: "",
    stderr: expect.stringContaining("the message has 9.0 MiB and may have 8.0 MiB at most"),
  };
  expect(await halyard(user, ["start", "--runtime", "fake", "-"], large)).toEqual(refusal);
  expect(await halyard(user, ["sessions", "--format", "json"])).toMatchObject({ stdout: "" });
  const { stdout: id } = await halyard(user, ["start", "--runtime", "fake"]);
  expect(await halyard(user, ["send", id.trim(), "-"], large)).toEqual(refusal);
});
