import { spawn } from "node:child_process";
import { mkdir, readdir, readFile, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test as base, describe, expect, onTestFinished } from "vitest";
import { seedPluginDirectory } from "../../../test/opencode/plugin-directory.ts";
import {
  createScene,
  deltas,
  openScene,
  type Scene,
  said,
  serversIn,
  shell,
  typesOf,
} from "../../../test/opencode/scene.ts";
import { runtimesDir } from "../../../test/real/runtimes-dir.ts";
import { createHalyard } from "../../create-halyard.ts";
import { type RequestId, SessionId } from "../../schema/id.ts";
import { collect } from "../../testing/halyard/fixture.ts";
import { type ScriptedModel, startScriptedModel } from "../../testing/scripted-model.ts";
import { temporaryDirectory } from "../../testing/temporary-directory.ts";
import { createMapper } from "./events/events.ts";

/** `shared` is the scene for tests that can run beside other sessions on the server. */
const test = base.extend<{ shared: Scene }>({
  shared: [
    // biome-ignore lint/correctness/noEmptyPattern: Vitest reads the names of the required fixtures from this pattern
    async ({}, use) => {
      await using scene = await createScene();
      await use(scene);
    },
    { scope: "file" },
  ],
});

describe("session", () => {
  test("includes its subagents' tools and requests in its turn", async ({ shared: scene }) => {
    const input = { description: "help", prompt: "CHILDWORK", subagent_type: "general" };
    scene.model.on("delegate", { toolCalls: [{ name: "task", input }] }, { text: "All done." });
    const toolCalls = [shell("echo child > made-by-child")];
    scene.model.on("CHILDWORK", { text: "I help.", toolCalls }, { text: "Helped." });
    const session = await scene.start({ permissions: "ask" });
    const turn = session.send("delegate");
    for await (const event of turn) {
      if (event.type !== "request") continue;
      expect(event).toMatchObject({ tool: { name: "bash", kind: "execute" } });
      await session.answer(event.requestId, { decision: "allow" });
      break;
    }
    expect(await turn.outcome).toMatchObject({ status: "completed", text: "All done." });
    expect(await readFile(join(scene.cwd, "made-by-child"), "utf8")).toBe("child\n");
    const events = await collect(turn);
    const calls = events.flatMap((event) => (event.type === "tool_call" ? [event.name] : []));
    expect(calls).toEqual(["task", "bash"]);
    expect(said(events)).toEqual(["All done."]);
    expect(typesOf(events, "completion")).toHaveLength(1);
  });

  test("denies changes by subagents in a planning session", async ({ shared: scene }) => {
    const input = { description: "help", prompt: "CHILDWORK", subagent_type: "general" };
    scene.model.on("delegate", { toolCalls: [{ name: "task", input }] }, { text: "A plan." });
    scene.model.on(
      "CHILDWORK",
      { toolCalls: [shell("touch made-in-plan")] },
      { text: "I could not." },
    );
    const session = await scene.start({ plan: true });
    expect(await session.send("delegate").outcome).toMatchObject({ text: "A plan." });
    await expect(readFile(join(scene.cwd, "made-in-plan"))).rejects.toMatchObject({
      code: "ENOENT",
    });
  });

  test("passes the answer to a question to the model", async ({ shared: scene }) => {
    const question = { question: "Which colour?", header: "Colour" };
    const options = ["Red", "Blue"].map((label) => ({ label, description: `the ${label} one` }));
    const input = { questions: [{ ...question, options }] };
    scene.model.on("ask", { toolCalls: [{ name: "question", input }] }, { text: "Thanks." });
    const session = await scene.start();
    const turn = session.send("ask me");
    for await (const event of turn) {
      if (event.type !== "request") continue;
      expect(event).toMatchObject({
        kind: "question",
        options: [{ label: "Red" }, { label: "Blue" }],
      });
      await session.answer(event.requestId, { decision: "allow", optionId: "Blue" });
      break;
    }
    expect(await turn.outcome).toMatchObject({ status: "completed", text: "Thanks." });
    const observed = scene.model.requests.at(-1)?.messages.map((message) => message.text);
    expect(observed).toContainEqual(expect.stringContaining("Blue"));
  });

  test("settles the requests that OpenCode denies together with another request", async ({
    shared: scene,
  }) => {
    const toolCalls = [shell("touch one"), shell("touch two")];
    scene.model.on("both", { toolCalls }, { text: "Then not." });
    const session = await scene.start({ permissions: "ask" });
    const asked: RequestId[] = [];
    for await (const event of session.send("do both")) {
      if (event.type === "request") asked.push(event.requestId);
      const [first, second] = asked;
      if (first === undefined || second === undefined) continue;
      if (event.type === "request") await session.answer(first, { decision: "deny" });
      if (event.type === "response" && event.by === "runtime") {
        const late = session.answer(second, { decision: "allow" });
        await expect(late).rejects.toMatchObject({ code: "request_not_found" });
      }
    }
    const events = await collect(session.events({ follow: false }));
    const results = events.flatMap((event) => (event.type === "tool_result" ? [event] : []));
    expect(results).toMatchObject([{ isError: true }, { isError: true }]);
    const responses = events.flatMap((event) => (event.type === "response" ? [event] : []));
    expect(responses).toMatchObject([
      { requestId: asked[0], decision: "deny", by: "user" },
      { requestId: asked[1], decision: "deny", by: "runtime" },
    ]);
  });

  test("sends its agent, model and reasoning level with each message, and writes a native log [s0.opencode.agents] [s2.d7.build-by-default] [s2.d7.plan-for-spec]", async () => {
    const scene = await openScene();
    scene.model.on("greet", { text: "Hello." });
    await scene.start({ reasoning: "high" }); // stays open, so that both sessions use its server
    for (const [plan, agent] of [
      [false, "build"],
      [true, "plan"],
    ] as const) {
      const record = join(scene.home, `${agent}.jsonl`);
      const session = await scene.start({ plan, reasoning: "high", record });
      expect(await session.send("greet me").outcome).toMatchObject({ text: "Hello." });
      await session.stop();
      const lines = (await readFile(record, "utf8")).trim().split("\n");
      const messages = lines.map((line): unknown => JSON.parse(line));
      const info = { role: "assistant", agent, modelID: "scripted", variant: "high" };
      const received = {
        properties: expect.objectContaining({ info: expect.objectContaining(info) }),
      };
      expect(messages).toContainEqual(expect.objectContaining(received));
      const mapper = createMapper();
      const drafts = messages.flatMap((message) => mapper.map(message));
      expect(drafts.at(-1)).toMatchObject({ type: "completion", status: "completed" });
    }
  });

  test("fails to start with a reason if the program is missing or not a server", async () => {
    const scene = await openScene();
    const refused = scene.start({ options: { bin: "/bin/false" } });
    await expect(refused).rejects.toMatchObject({
      code: "start_failed",
      message: expect.stringContaining("exit code 1"),
    });
    const missing = scene.start({ options: { bin: "/nowhere/opencode" } });
    await expect(missing).rejects.toMatchObject({ code: "runtime_unavailable" });
    expect(await scene.servers()).toEqual([]);
  });

  test("runs the user's models if there is no endpoint, and does not write to the user's database [s2.d6.opencode-own-config]", async () => {
    const scene = await openScene();
    scene.model.on("greet", { text: "Hello." });
    const { baseUrl: baseURL, apiKey } = scene.model.endpoint("openai-chat");
    const config = join(scene.home, ".config", "opencode");
    await seedPluginDirectory(config);
    const options = { baseURL, apiKey };
    const provider = {
      npm: "@ai-sdk/openai-compatible",
      options,
      models: { mine: { name: "Mine" } },
    };
    const $schema = "https://opencode.ai/config.json"; // OpenCode adds this key if it is missing
    const settings = JSON.stringify({ $schema, provider: { own: provider } });
    await writeFile(join(config, "opencode.json"), settings);
    const session = await scene.start({ model: "own/mine" });
    expect(await session.send("greet me").outcome).toMatchObject({ text: "Hello." });
    expect(scene.model.requests[0]?.model).toBe("mine");
    expect(await readFile(join(config, "opencode.json"), "utf8")).toBe(settings);
    const record = join(scene.home, ".local", "share", "opencode", "opencode.db");
    await expect(readFile(record)).rejects.toMatchObject({ code: "ENOENT" });
    const unknown = scene.start({ model: "own/nobodys" });
    await expect(unknown).rejects.toMatchObject({ code: "invalid_input" });
  });

  test("continues after two tools are denied at the same time", async ({ shared: scene }) => {
    scene.model.on(
      "both",
      { toolCalls: [shell("touch denied-a"), shell("touch denied-b")] },
      { text: "Then not." },
    );
    const session = await scene.start({ permissions: "deny" });
    expect(await session.send("do both").outcome).toMatchObject({
      status: "completed",
      text: "Then not.",
    });
    expect((await readdir(scene.cwd)).filter((name) => name.startsWith("denied"))).toEqual([]);
  });
});

describe("session whose owner process is killed", () => {
  const text = Array.from({ length: 200 }, (_, index) => index).join(" ");

  /** Runs a turn in another process, and kills the process after a number of events. */
  async function killAfter(events: number, home: string, model: ScriptedModel) {
    const request = {
      runtime: "opencode",
      cwd: home,
      permissions: "allow-all",
      model: model.endpoint("openai-chat"),
    };
    const source = `
      import { createHalyard } from ${JSON.stringify(new URL("../../../dist/index.js", import.meta.url).href)};
      const halyard = await createHalyard({ home: process.argv[1], env: { PATH: process.env.PATH, HOME: process.argv[1] } });
      const session = await halyard.start(JSON.parse(process.argv[2]));
      await session.send("greet me").outcome; // needed because the first turn in a directory is not streamed
      console.log(session.id);
      for await (const { seq } of session.send("count")) console.log(seq);`;
    const args = ["--input-type=module", "-e", source, home, JSON.stringify(request)];
    const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
    let printed = "";
    for await (const chunk of child.stdout) {
      printed += chunk;
      if (printed.split("\n").length > events + 1) child.kill("SIGKILL");
    }
    const [id, ...seqs] = printed.split("\n").slice(0, -1);
    return { id: SessionId.parse(id), seen: seqs.map(Number) };
  }

  async function prepare() {
    const home = await temporaryDirectory();
    await mkdir(join(home, "runtimes"));
    await symlink(join(runtimesDir, "opencode"), join(home, "runtimes", "opencode"));
    const model = await startScriptedModel();
    onTestFinished(() => model.close());
    model.on("greet", { text: "Hello." });
    model.on("count", { text, chunkSize: 8, chunkDelayMs: 10 });
    model.on("what did I say", { text: "You said: count." });
    const { id, seen } = await killAfter(20, home, model);
    const halyard = await createHalyard({ home, env: { PATH: process.env.PATH, HOME: home } });
    onTestFinished(() => halyard[Symbol.asyncDispose]());
    const left = () => serversIn(home);
    return { id, seen, halyard, model, left };
  }

  test("is attached during a turn without lost or repeated events", async () => {
    const { id, seen, halyard, model, left } = await prepare();
    expect(await halyard.find(id)).toMatchObject({ state: "detached" });
    const session = await halyard.resume(id, { model: model.endpoint("openai-chat") });
    expect(session.opened).toBe("attached");
    const next = await session.send("what did I say?").outcome;
    expect(next).toMatchObject({ status: "completed", text: "You said: count." });
    await session.stop();
    const events = await collect(session.events());
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1));
    expect(events.map(({ seq }) => seq)).toEqual(expect.arrayContaining(seen));
    expect(deltas(events)).toBe(`Hello.${text}You said: count.`);
    expect(said(events)).toEqual(["Hello.", text, "You said: count."]);
    expect(typesOf(events, "completion")).toHaveLength(3);
    expect(await left()).toEqual([]);
  });

  test("stops its server when it is removed", async () => {
    const { id, halyard, left } = await prepare();
    expect(await left()).toHaveLength(1);
    await halyard.remove(id);
    expect(await left()).toEqual([]);
  });
});
