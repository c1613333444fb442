import { afterAll, beforeAll, expect, test } from "vitest";
import { type ScriptedModel, startScriptedModel } from "../../src/testing/scripted-model.ts";
import { halyard, program, StartedCli, type User } from "../cli/start-cli.ts";
import { newDaemonUser } from "./scene.ts";

let model: ScriptedModel;
beforeAll(async () => {
  model = await startScriptedModel([{ replies: [{ text: "Hello." }] }]);
});
afterAll(() => model.close());

/** Returns the user with the variables of the scripted model in the environment. */
function withModel(user: User): User {
  const { id, baseUrl, api, apiKey } = model.endpoint("anthropic");
  const variables = { HALYARD_MODEL: id, HALYARD_BASE_URL: baseUrl, HALYARD_API: api };
  return { ...user, env: { ...user.env, ...variables, HALYARD_API_KEY: apiKey } };
}

test("mcp starts sessions with the model variables from its own environment, not the daemon's", async () => {
  const user = await newDaemonUser();
  await halyard(user, ["wait", "nothing"]); // this command starts the daemon without the variables
  const server = new StartedCli(withModel(user), [process.execPath, program, "mcp"]);
  const request = (id: number, method: string, params: object) =>
    server.process.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`);
  const clientInfo = { name: "test", version: "0" };
  request(1, "initialize", { protocolVersion: "2025-06-18", capabilities: {}, clientInfo });
  await server.says(/"id":1[\s\S]*\n/);
  const input = { agent_runtime: "pi", message: "Hello" };
  request(2, "tools/call", { name: "session_spawn", arguments: input });
  await server.says(/ses_\w{16}/);
  const [id = ""] = /ses_\w{16}/.exec(server.stdout) ?? [];
  expect(await halyard(user, ["wait", id])).toMatchObject({ exitCode: 0, stderr: "" });
  await halyard(user, ["stop", id]);
});

test("serve starts sessions with the model variables from its environment", async () => {
  const user = withModel(await newDaemonUser({ HALYARD_TOKEN: "a-token-of-mine" }));
  const server = new StartedCli(user, [process.execPath, program, "serve", "--port", "0"]);
  await server.says(/^http:.*\n/);
  const started = await fetch(`${server.stdout.trim()}/v1/sessions`, {
    method: "POST",
    headers: { authorization: "Bearer a-token-of-mine", "content-type": "application/json" },
    body: JSON.stringify({ runtime: "pi", cwd: user.cwd, prompt: "Hello" }),
  });
  const { id } = (await started.json()) as { id: string };
  expect(await halyard(user, ["wait", id])).toMatchObject({ exitCode: 0, stderr: "" });
  await halyard(user, ["stop", id]);
});
