import { describe, expect, onTestFinished, test } from "vitest";
import type { ModelApi } from "../schema/model.ts";
import { type ScriptedModel, startScriptedModel } from "./scripted-model.ts";

async function start(...args: Parameters<typeof startScriptedModel>): Promise<ScriptedModel> {
  const model = await startScriptedModel(...args);
  onTestFinished(() => model.close());
  return model;
}

/** Sends one request over an API and returns the response. */
async function ask(
  model: ScriptedModel,
  api: ModelApi,
  text: string,
  options: { apiKey?: string; stream?: boolean } = {},
): Promise<Response> {
  const { id, baseUrl, apiKey } = model.endpoint(api);
  const { stream = false } = options;
  const messages = [{ role: "user", content: text }];
  const [path, body] = {
    anthropic: ["/v1/messages", { model: id, max_tokens: 100, messages, stream }],
    "openai-chat": ["/chat/completions", { model: id, messages, stream }],
    "openai-responses": ["/responses", { model: id, input: messages, stream }],
  }[api];
  return fetch(`${baseUrl}${path}`, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      authorization: `Bearer ${options.apiKey ?? apiKey}`,
    },
    body: JSON.stringify(body),
  });
}

describe.each(["anthropic", "openai-chat", "openai-responses"] as const)("over %s", (api) => {
  test("replies with the scripted text and tool calls", async () => {
    const model = await start();
    model.on("greet", { text: "Hello, Wörld." });
    model.on("work", { toolCalls: [{ name: "write", input: { path: "a.txt" }, id: "call-7" }] });
    expect(await (await ask(model, api, "greet me")).text()).toContain("Hello, Wörld.");
    const work = await (await ask(model, api, "work")).text();
    for (const part of ["write", "a.txt", "call-7"]) expect(work).toContain(part);
    expect(model.requests.map(({ messages }) => messages.at(-1))).toEqual([
      { role: "user", text: "greet me" },
      { role: "user", text: "work" },
    ]);
  });

  test("replies with the scripted error, and then with the next reply", async () => {
    const model = await start();
    model.on("try", [{ error: { status: 503, message: "too busy" } }, { text: "Now." }]);
    const failure = await ask(model, api, "try");
    expect(failure.status).toBe(503);
    expect(await failure.text()).toContain("too busy");
    expect(await (await ask(model, api, "try")).text()).toContain("Now.");
  });

  test("closes the connection after the scripted number of chunks", async () => {
    const model = await start();
    model.on("count", {
      text: "one two three four",
      chunkSize: 4,
      chunkDelayMs: 10,
      cutAfterChunks: 6,
    });
    const response = await ask(model, api, "count", { stream: true });
    await expect(response.text()).rejects.toThrow();
  });
});

test("rejects a request with a wrong key, and reports the request", async () => {
  const model = await start([{ replies: [{ text: "Hello." }] }]);
  expect((await ask(model, "openai-chat", "greet me", { apiKey: "wrong" })).status).toBe(401);
  expect((await ask(model, "openai-chat", "greet me")).status).toBe(200);
  expect(model.takeRejected()).toEqual([{ path: "/v1/chat/completions", apiKey: "wrong" }]);
  expect(model.takeRejected()).toEqual([]);
});

test("rejects close() after an unexpected request with a wrong key", async () => {
  const model = await startScriptedModel();
  await ask(model, "anthropic", "greet me", { apiKey: "wrong" });
  await expect(model.close()).rejects.toThrow("/v1/messages with wrong");
});

test("returns an error if the script has no matching reply", async () => {
  const model = await start();
  const response = await ask(model, "openai-chat", "what?");
  expect(response.ok).toBe(false);
  expect(await response.json()).toMatchObject({ error: { message: expect.any(String) } });
});

test("accepts a new script after forget()", async () => {
  const model = await start([{ when: "greet", replies: [{ text: "Hello." }] }]);
  model.forget();
  expect((await ask(model, "openai-chat", "greet me")).ok).toBe(false);
  model.on("greet", { text: "Good morning." });
  expect(await (await ask(model, "openai-chat", "greet me")).text()).toContain("Good morning.");
  expect(model.requests).toHaveLength(2);
});

test("closes immediately even if connections are open", async () => {
  const model = await start();
  model.on("sing", { text: "la ".repeat(1000), chunkSize: 3, chunkDelayMs: 100 });
  const response = await ask(model, "openai-chat", "sing", { stream: true });
  const listening = response.text();
  await Promise.all([model.close(), model.close()]);
  await expect(listening).rejects.toThrow();
});

test("names the package to install if it is missing", async () => {
  const aimock = "@copilotkit/not-installed";
  await expect(startScriptedModel([], { aimock })).rejects.toMatchObject({
    code: "unsupported",
    message: `startScriptedModel needs the package ${aimock}. Run "npm install --save-dev ${aimock}".`,
  });
});
