import { expect, test } from "vitest";
import { runWarm } from "../../../test/cli/run-warm.ts";
import { newDaemonUser, startSession } from "../../../test/daemon/scene.ts";
import { serveFakeDaemon } from "../../../test/daemon/serve-fake-daemon.ts";

test("hands a session over to another runtime, prints the new id, and reports that no memory was transferred", async () => {
  const user = await newDaemonUser();
  await serveFakeDaemon(user);
  const old = await startSession(user, "say half done");
  await runWarm(user, ["wait", old]);
  const { exitCode, stdout, stderr } = await runWarm(user, ["handoff", old, "--to", "mortal"]);
  expect({ exitCode, stdout }).toEqual({
    exitCode: 0,
    stdout: expect.stringMatching(/^ses_\w+\n$/),
  });
  expect(stderr).toContain(
    `mortal received a brief and can read the log of ${old} with a transcript file. The memory of fake's model was not transferred.`,
  );
  const listed = await runWarm(user, ["sessions", "--runtime", "mortal", "--format", "json"]);
  expect(JSON.parse(listed.stdout)).toMatchObject({
    id: stdout.trim(),
    cwd: user.cwd,
    permissions: "allow-all",
    handoff: { from: old },
  });
});

test("rejects a handoff of a session that is running a turn, and names the command that interrupts the turn", async () => {
  const user = await newDaemonUser();
  await serveFakeDaemon(user);
  const old = await startSession(user, "wait");
  expect(await runWarm(user, ["handoff", old, "--to", "mortal"])).toEqual({
    exitCode: 2,
    stdout: "",
    stderr: expect.stringContaining(`Run "halyard interrupt ${old}"`),
  });
});
