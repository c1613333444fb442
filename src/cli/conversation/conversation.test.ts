import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { runWarm } from "../../../test/cli/run-warm.ts";
import { newDaemonUser, startSession } from "../../../test/daemon/scene.ts";
import { serveFakeDaemon } from "../../../test/daemon/serve-fake-daemon.ts";

test("forks and compacts a session, and validates an answer against a schema", async () => {
  const user = await newDaemonUser();
  await serveFakeDaemon(user);
  const old = await startSession(user, "say heron");
  await runWarm(user, ["wait", old]);
  const forked = await runWarm(user, ["fork", old, "--name", "copy"]);
  expect(forked).toEqual({
    exitCode: 0,
    stdout: expect.stringMatching(/^ses_\w+\n$/),
    stderr: "",
  });
  const recalled = await runWarm(user, ["send", "copy", "-w", "--format", "quiet", "recall"]);
  expect(recalled).toEqual({ exitCode: 0, stdout: "say heron\n", stderr: "" });

  const compacted = await runWarm(user, ["compact", "copy", "--format", "json"]);
  expect(compacted).toMatchObject({ exitCode: 0, stderr: "" });
  expect(compacted.stdout).toContain('"subtype":"compaction"');

  const file = join(user.cwd, "schema.json");
  await writeFile(file, JSON.stringify({ type: "array", items: { type: "integer" } }));
  const send = ["send", "copy", "--wait", "--format", "quiet", "--schema", file];
  expect(await runWarm(user, [...send, 'json ["1"] | [1, 2]'])).toEqual({
    exitCode: 0,
    stdout: "[1,2]\n",
    stderr: "",
  });
  expect(await runWarm(user, [...send, "json 1 | 1 | 1"])).toMatchObject({
    exitCode: 1,
    stdout: "",
    stderr: expect.stringContaining("does not match the message's schema"),
  });
  await writeFile(file, "{");
  expect(await runWarm(user, [...send, "json 1"])).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining("is not a JSON Schema"),
  });
});

test("fails to list models for a runtime without a model list", async () => {
  const user = await newDaemonUser();
  expect(await runWarm(user, ["models", "terminal"])).toMatchObject({
    exitCode: 3,
    stdout: "",
    stderr: expect.stringMatching(/terminal/),
  });
});
