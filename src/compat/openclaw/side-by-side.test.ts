import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { expect, onTestFinished, test } from "vitest";
import { piToolCalls } from "../../adapters/pi/events/tool-calls.ts";
import { startScriptedModel } from "../../testing/scripted-model.ts";
import { temporaryDirectory } from "../../testing/temporary-directory.ts";
import { createPiAgentRuntime } from "./index.ts";

/** Starts a server that forwards requests to the model and records their bodies. */
async function startRecorder(target: string) {
  const bodies: unknown[] = [];
  const server = createServer(async (request, response) => {
    const body = await text(request);
    bodies.push(JSON.parse(body));
    const answer = await fetch(new URL(request.url ?? "/", target), {
      method: "POST",
      headers: headersOf(request),
      body,
    });
    response.writeHead(answer.status, {
      "content-type": answer.headers.get("content-type") ?? "application/json",
    });
    response.end(await answer.text());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  return { bodies, url: `http://127.0.0.1:${port}` };
}

function headersOf({ headers }: IncomingMessage): Record<string, string> {
  const { "content-type": type = "", "x-api-key": key, authorization } = headers;
  return {
    "content-type": type,
    ...(typeof key === "string" && { "x-api-key": key }),
    ...(authorization !== undefined && { authorization }),
  };
}

/** Creates a home with Pi's own files: a provider, an AGENTS.md, and a project with instructions. */
async function openUser() {
  const root = await temporaryDirectory();
  const model = await startScriptedModel();
  onTestFinished(() => model.close());
  const { apiKey, id } = model.endpoint("anthropic");
  const recorder = await startRecorder(model.baseUrl("anthropic"));
  const agentDir = join(root, ".pi", "agent");
  const cwd = join(root, "work");
  const provider = {
    baseUrl: recorder.url,
    api: "anthropic-messages",
    apiKey,
    models: [{ id, name: id, contextWindow: 100_000, maxTokens: 4_000 }],
  };
  const files = {
    [join(agentDir, "models.json")]: JSON.stringify({ providers: { scripted: provider } }),
    [join(agentDir, "AGENTS.md")]: "Always answer in one sentence.",
    [join(cwd, "AGENTS.md")]: "This project is about boats.",
  };
  await mkdir(agentDir, { recursive: true });
  await mkdir(cwd);
  for (const [file, content] of Object.entries(files)) await writeFile(file, content);
  return { root, agentDir, cwd, id, model, recorder };
}

/** Returns the lines in a session file without values that differ between runs. */
async function entriesIn(file: string): Promise<unknown[]> {
  const lines = (await readFile(file, "utf8")).trim().split("\n");
  const own = ["id", "parentId", "timestamp", "responseId", "durationMs"];
  return lines.map((line) =>
    JSON.parse(line, (key, value: unknown) => (own.includes(key) ? undefined : value)),
  );
}

test("Pi produces the same model requests, files and replies with and without the facade [s4.plan.pi-unchanged] [s4.migration.direct-use]", async () => {
  const { root, agentDir, cwd, id, model, recorder } = await openUser();
  const write = { ...piToolCalls.shell("echo built >> made.txt"), id: "toolu_1" };
  model.on("make", { text: "I write it.", toolCalls: [write] }, { text: "Made." });
  model.on("again", { text: "You asked me to make it." });
  const prompts = ["make the file", "what did I ask? again"];
  const takeRequests = () => recorder.bodies.splice(0);
  const takeFiles = async () => {
    const names = (await readdir(cwd)).toSorted();
    const made = await readFile(join(cwd, "made.txt"), "utf8");
    await writeFile(join(cwd, "made.txt"), "");
    return { names, made };
  };
  await writeFile(join(cwd, "made.txt"), "");

  const sdk = await import("@earendil-works/pi-coding-agent");
  const ownFile = join(root, "own.jsonl");
  const promptDirectly = async (file: string, prompt: string): Promise<string> => {
    const authStorage = sdk.AuthStorage.create(join(agentDir, "auth.json"));
    const modelRegistry = sdk.ModelRegistry.create(authStorage, join(agentDir, "models.json"));
    const chosen = modelRegistry.find("scripted", id);
    const { session } = await sdk.createAgentSession({
      cwd,
      agentDir,
      authStorage,
      modelRegistry,
      sessionManager: sdk.SessionManager.open(file, root, cwd),
      ...(chosen && { model: chosen }),
    });
    await session.prompt(prompt);
    const reply = session.getLastAssistantText() ?? "";
    session.dispose();
    return reply;
  };
  const replies: string[] = [];
  for (const prompt of prompts) replies.push(await promptDirectly(ownFile, prompt));
  const alone = { requests: takeRequests(), files: await takeFiles(), replies };

  const facadeFile = join(root, "facade.jsonl");
  const env = { PATH: process.env.PATH, HOME: root };
  const runtime = createPiAgentRuntime({}, { create: { home: join(root, "halyard"), env } });
  const results: string[] = [];
  for (const prompt of prompts) {
    const { reply } = await runtime.run({
      sessionId: "chat-1",
      sessionFile: facadeFile,
      workspaceDir: cwd,
      prompt,
      provider: "scripted",
      model: id,
    });
    results.push(reply);
  }
  const through = { requests: takeRequests(), files: await takeFiles(), replies: results };

  expect(alone.replies).toEqual(["Made.", "You asked me to make it."]);
  expect(alone.requests).toHaveLength(3);
  expect(through).toEqual(alone);
  expect(await entriesIn(facadeFile)).toEqual(await entriesIn(ownFile));

  model.on("once more", { text: "To make it." });
  for (const file of [ownFile, facadeFile])
    expect(await promptDirectly(file, "once more, what did I ask?")).toBe("To make it.");
  const [own, facade] = takeRequests();
  expect(facade, "Pi continues the facade's conversation directly").toEqual(own);
}, 90_000); // loads Pi's SDK, which takes long on a busy machine
