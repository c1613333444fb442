import { access, mkdir, readdir, readFile } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { runtimesDir } from "../../../test/real/runtimes-dir.ts";
import type { Session, Turn } from "../../core/halyard.ts";
import { createHalyard } from "../../create-halyard.ts";
import type { StreamEvent } from "../../schema/event.ts";
import type { Answer } from "../../schema/permission.ts";
import type { StartRequest } from "../../schema/session.ts";
import { startScriptedModel } from "../../testing/scripted-model.ts";
import { temporaryDirectory } from "../../testing/temporary-directory.ts";
import { claudeAdapter } from "./index.ts";
import { ccsdkAdapter } from "./sdk.ts";
import { claudeToolCalls as tools } from "./tool-calls.ts";

describe.each([
  ["claude", claudeAdapter],
  ["ccsdk", ccsdkAdapter],
] as const)("a session of %s", (runtime, createAdapter) => {
  async function open(extra: Record<string, string> = {}) {
    const home = await temporaryDirectory();
    const env = { PATH: process.env.PATH, HOME: home, ...extra };
    const adapters = [createAdapter({ env, runtimesDir })];
    const halyard = await createHalyard({ home: join(home, "halyard"), env, adapters });
    const model = await startScriptedModel();
    onTestFinished(async () => {
      await halyard[Symbol.asyncDispose]();
      await model.close();
    });
    const cwd = join(home, "work");
    await mkdir(cwd);
    const start = (more: Partial<StartRequest> = {}) =>
      halyard.start({
        runtime,
        cwd,
        permissions: "allow-all",
        model: model.endpoint("anthropic"),
        ...more,
      });
    return { halyard, model, home, cwd, start };
  }

  test("that is killed in mid-turn fails the turn at once and can be resumed", async () => {
    const { halyard, model, start } = await open();
    model.on("sing", { text: "la ".repeat(300), chunkSize: 3, chunkDelayMs: 30 });
    model.on("which song", { text: "The one with la." });
    const session = await start();
    const turn = session.send("sing");
    for await (const event of turn) if (event.type === "delta") break;
    const killedMs = performance.now();
    process.kill(await pidOf(session), "SIGKILL");
    const outcome = await turn.outcome;
    expect(performance.now() - killedMs).toBeLessThan(2000);
    expect(outcome).toMatchObject({ status: "failed", error: { code: "agent_exited" } });
    await session.stop();

    const resumed = await halyard.resume(session.id, { model: model.endpoint("anthropic") });
    expect(resumed.opened).toBe("resumed");
    expect((await resumed.send("which song was it?").outcome).text).toBe("The one with la.");
    const said = model.requests.at(-1)?.messages.map(({ text }) => text);
    expect(said).toContainEqual(expect.stringContaining("sing"));
  });

  test("does not hear the nine others", async () => {
    const { model, cwd, start } = await open();
    const numbers = Array.from({ length: 10 }, (_, n) => `number-${n}`);
    for (const name of numbers)
      model.on(
        name,
        { toolCalls: [tools.shell(`echo ${name} > ${name}`)] },
        { text: `I am ${name}.` },
      );
    const turns = numbers.map(async (name) => {
      const session = await start();
      const events = await eventsOf(session.send(`you are ${name}`));
      await session.stop();
      return events;
    });
    for (const [index, events] of (await Promise.all(turns)).entries()) {
      const name = numbers[index] ?? "";
      const told = JSON.stringify(events);
      expect(events.at(-1)).toMatchObject({ outcome: { text: `I am ${name}.` } });
      for (const other of numbers) expect(told.includes(other)).toBe(other === name);
      expect(await readFile(join(cwd, name), "utf8")).toBe(`${name}\n`);
    }
  });

  test("calls nobody but the model", async () => {
    let calls = 0;
    const proxy = createServer((socket) => {
      calls += 1;
      socket.destroy();
    });
    await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => void proxy.close());
    const address = proxy.address();
    if (address === null || typeof address === "string") throw new Error("no port");
    const url = `http://127.0.0.1:${address.port}`;
    const { model, start } = await open({
      HTTPS_PROXY: url,
      HTTP_PROXY: url,
      NO_PROXY: "127.0.0.1",
    });
    model.on("greet", { toolCalls: [tools.shell("sleep 1")] }, { text: "Hello." });
    const session = await start();
    expect((await session.send("greet me").outcome).text).toBe("Hello.");
    await session.stop();
    expect(calls).toBe(0);
  });

  test("without a login or a key says so", async () => {
    const { halyard, cwd } = await open();
    const session = await halyard.start({ runtime, cwd });
    expect(await session.send("greet me").outcome).toMatchObject({
      status: "failed",
      error: { code: "not_signed_in" },
    });
  });

  test("that speaks another protocol than the model's is refused", async () => {
    const { model, start } = await open();
    const refused = start({ model: model.endpoint("openai-chat") });
    await expect(refused).rejects.toMatchObject({ code: "unsupported" });
  });

  test("leaves nothing in the user's home, and takes hooks and settings of its own", async () => {
    const { model, home, cwd, start } = await open();
    model.on("greet", { text: "Hello." });
    const hooks = { Stop: [{ hooks: [{ type: "command", command: `touch ${cwd}/stopped` }] }] };
    const session = await start({ options: { settings: { hooks } } });
    await session.send("greet me").outcome;
    await access(join(cwd, "stopped"));
    await session.stop();
    expect((await readdir(home)).sort()).toEqual(["halyard", "work"]);
    expect(await readdir(join(home, "halyard", "run"))).toEqual([]);
  });

  test("asks the user what Claude wants to know, whatever it may do", async () => {
    const { model, start } = await open();
    const questions = [
      { question: "Which color?", header: "Color", options: [{ label: "Red" }, { label: "Blue" }] },
    ].map((one) => ({
      ...one,
      multiSelect: false,
      options: one.options.map((option) => ({ ...option, description: "a color" })),
    }));
    const toolCalls = [{ name: "AskUserQuestion", input: { questions } }];
    model.on("paint", { toolCalls }, { text: "Painted." });
    const session = await start();
    const turn = session.send("paint it");
    const requests = await answering(session, turn, () => ({
      decision: "allow",
      optionId: "Blue",
    }));
    expect(requests).toMatchObject([
      { kind: "question", options: [{ id: "Red" }, { id: "Blue" }] },
    ]);
    expect((await turn.outcome).text).toBe("Painted.");
    expect(model.requests.at(-1)?.messages.at(-1)?.text).toContain("Blue");
  });

  test("carries its plan out once it is told to", async () => {
    const { model, cwd, start } = await open();
    model.on(
      "PROPOSE",
      { toolCalls: [{ name: "ExitPlanMode", input: { plan: "1. write a" } }] },
      { toolCalls: [tools.write("a.txt", "x")] },
      { text: "Done." },
    );
    const session = await start({ plan: true });
    const turn = session.send("PROPOSE something");
    const requests = await answering(session, turn, () => ({ decision: "allow" }));
    expect(requests[0]).toMatchObject({
      kind: "question",
      text: expect.stringContaining("write a"),
    });
    expect((await turn.outcome).text).toBe("Done.");
    expect(await readFile(join(cwd, "a.txt"), "utf8")).toBe("x");
  });

  test("keeps to its plan where nobody is there to ask", async () => {
    const { model, start } = await open();
    model.on(
      "PROPOSE",
      { toolCalls: [{ name: "ExitPlanMode", input: { plan: "1. write a" } }] },
      { text: "As you wish." },
    );
    const session = await start({ plan: true, attended: false });
    const events = await eventsOf(session.send("PROPOSE something"));
    expect(events).toContainEqual(expect.objectContaining({ subtype: "plan", text: "1. write a" }));
    expect(events.at(-1)).toMatchObject({ outcome: { text: "As you wish." } });
  });

  test("answers in the same turn what it was told too late to take in", async () => {
    const { model, start } = await open();
    model.on("sing", { text: "la ".repeat(30), chunkSize: 6, chunkDelayMs: 30 });
    model.on("LEFT", { text: "To the left, then." });
    model.on("greet", { text: "Hello." });
    const session = await start();
    const turn = session.send("sing");
    for await (const event of turn) if (event.type === "delta") break;
    session.send("now LEFT", { delivery: "steer" });
    expect(await turn.outcome).toMatchObject({ status: "completed", text: "To the left, then." });
    expect((await session.send("greet me").outcome).text).toBe("Hello.");
    expect(session.info.turns).toBe(2);
  });
});

async function pidOf(session: Session): Promise<number> {
  for await (const event of session.events({ follow: false }))
    if (event.type === "system" && typeof event.data?.pid === "number") return event.data.pid;
  throw new Error("no pid");
}

async function eventsOf(turn: Turn): Promise<StreamEvent[]> {
  const events: StreamEvent[] = [];
  for await (const event of turn) events.push(event);
  return events;
}

type RequestEvent = Extract<StreamEvent, { type: "request" }>;

/** Answers whatever the turn asks a person, and says what that was. */
async function answering(
  session: Session,
  turn: Turn,
  answer: (request: RequestEvent) => Answer,
): Promise<RequestEvent[]> {
  const asked: RequestEvent[] = [];
  for await (const event of turn) {
    if (event.type !== "request" || event.verdict !== "ask") continue;
    asked.push(event);
    await session.answer(event.requestId, answer(event));
  }
  return asked;
}
