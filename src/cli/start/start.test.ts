import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { runWarm } from "../../../test/cli/run-warm.ts";
import { newDaemonUser } from "../../../test/daemon/scene.ts";
import { serveFakeDaemon } from "../../../test/daemon/serve-fake-daemon.ts";
import { startScriptedModel } from "../../testing/scripted-model.ts";

test("start and send reject a message that is too large, and start does not create a session", async () => {
  const user = await newDaemonUser();
  await serveFakeDaemon(user);
  const large = "x".repeat(9 * 1024 * 1024);
  const refusal = {
    exitCode: 2,
    stdout: "",
    stderr: expect.stringContaining("The message exceeds the limit of 8 MiB"),
  };
  expect(await runWarm(user, ["start", "--runtime", "fake", "-"], large)).toEqual(refusal);
  expect(await runWarm(user, ["sessions", "--format", "json"])).toMatchObject({ stdout: "" });
  const { stdout: id } = await runWarm(user, ["start", "--runtime", "fake"]);
  expect(await runWarm(user, ["send", id.trim(), "-"], large)).toEqual(refusal);
});

test("start sends piped input as the first message if no prompt is given", async () => {
  const user = await newDaemonUser();
  await serveFakeDaemon(user);
  const { stdout } = await runWarm(user, ["start", "--runtime", "fake"], "say hello\n");
  const { stdout: answer } = await runWarm(user, ["wait", stdout.trim(), "--format", "json"]);
  expect(JSON.parse(answer)).toMatchObject({ about: "say hello", turns: 1 });
});

test("uses a key and a model that were exported after the daemon started, and does not show the key in the session list", async () => {
  const user = await newDaemonUser();
  const ask = async (env: Readonly<Record<string, string>>, ...flags: string[]) => {
    const there = { ...user, env: { ...user.env, ...env } };
    const { stdout } = await runWarm(there, ["start", "--runtime", "pi", ...flags, "Hello"]);
    return runWarm(user, ["wait", stdout.trim()]);
  };
  expect(await ask({})).toMatchObject({ exitCode: 3 });
  const model = await startScriptedModel([{ replies: [{ text: "Hello." }] }]);
  onTestFinished(() => model.close());
  const { id, baseUrl, api, apiKey } = model.endpoint("anthropic");
  const variables = { HALYARD_MODEL: id, HALYARD_BASE_URL: baseUrl, HALYARD_API: api };
  expect(await ask({ ...variables, HALYARD_API_KEY: apiKey })).toMatchObject({ exitCode: 0 });

  await mkdir(join(user.env.HOME ?? "", ".pi", "agent"), { recursive: true });
  const providers = { anthropic: { baseUrl: model.baseUrl("anthropic") } };
  const file = join(user.env.HOME ?? "", ".pi", "agent", "models.json");
  await writeFile(file, JSON.stringify({ providers }));
  const signedIn = await ask({ ANTHROPIC_API_KEY: apiKey }, "--model", `anthropic/${id}`);
  expect(signedIn).toMatchObject({ exitCode: 0 });
  const { stdout } = await runWarm(user, ["sessions", "--format", "json"]);
  expect(stdout).not.toContain(apiKey);
  await runWarm(user, ["stop", "--all"]);
  await runWarm(user, ["daemon", "stop"]);
});
