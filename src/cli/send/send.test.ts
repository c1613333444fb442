import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { newAgentUser } from "../../../test/cli/agent-user.ts";
import { runWarm } from "../../../test/cli/run-warm.ts";
import { newDaemonUser, startSession } from "../../../test/daemon/scene.ts";
import { serveFakeDaemon } from "../../../test/daemon/serve-fake-daemon.ts";
import { startScriptedModel } from "../../testing/scripted-model.ts";

test("resumes a stopped session, but fails with --no-resume", async () => {
  const user = await newDaemonUser();
  await serveFakeDaemon(user);
  const id = await startSession(user, "say hello");
  await runWarm(user, ["wait", id]);
  await runWarm(user, ["stop", id]);
  const refused = await runWarm(user, ["send", id, "--no-resume", "recall"]);
  expect(refused).toMatchObject({
    exitCode: 1,
    stderr: expect.stringContaining("session_stopped"),
  });
  const sent = await runWarm(user, ["send", id, "--wait", "--format", "quiet", "recall"]);
  expect(sent).toEqual({ exitCode: 0, stdout: "say hello\n", stderr: "" });
});

test("appends piped input to the message, or sends only the input if there is no message", async () => {
  const user = await newDaemonUser();
  await serveFakeDaemon(user);
  const id = await startSession(user, "say hello");
  const ask = ["send", id, "--wait", "--format", "quiet"];
  const both = await runWarm(user, [...ask, "say look at this:"], "piped words\n");
  expect(both).toEqual({ exitCode: 0, stdout: "look at this:\n\npiped words\n", stderr: "" });
  expect(await runWarm(user, ask, "say piped\n")).toMatchObject({ stdout: "piped\n" });
  expect(await runWarm(user, ask)).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining("The prompt is empty"),
  });
});

test("restarts a session's agent after its key was rejected, so that a corrected key is used", async () => {
  const model = await startScriptedModel([{ replies: [{ text: "Hello." }] }]);
  onTestFinished(() => model.close());
  const user = await newAgentUser(model, {}, newDaemonUser);
  const [, , , program = ""] = user.agent;
  const login = join(user.cwd, "login");
  const script = await readFile(program, "utf8");
  // Like other agents, this one reads its login when it starts.
  await writeFile(
    program,
    script.replace(/AGENT_MODEL_KEY='[^']*'/, `AGENT_MODEL_KEY="$(cat ${login})"`),
  );
  const { apiKey } = model.endpoint("openai-chat");
  await writeFile(login, apiKey);
  const { stdout } = await runWarm(user, ["start", ...user.agent, "greet"]);
  const id = stdout.trim();
  expect(await runWarm(user, ["wait", id])).toMatchObject({ exitCode: 0 });
  await runWarm(user, ["stop", id]);
  const again = ["send", id, "--wait", "--format", "quiet", "greet again"];
  await writeFile(login, "sk-wrong");
  expect(await runWarm(user, again)).toMatchObject({ exitCode: 3 });
  await writeFile(login, apiKey);
  expect(await runWarm(user, [...again, "--no-resume"])).toMatchObject({ exitCode: 3 });
  expect(model.takeRejected()).toHaveLength(2);
  expect(await runWarm(user, again)).toEqual({ exitCode: 0, stdout: "Hello.\n", stderr: "" });
  await runWarm(user, ["stop", id]);
});
