import { mkdir, readdir, readFile } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { runtimesDir } from "../../../test/real/runtimes-dir.ts";
import type { Halyard } from "../../core/halyard.ts";
import { createHalyard } from "../../create-halyard.ts";
import type { StreamEvent } from "../../schema/event.ts";
import type { StartRequest } from "../../schema/session.ts";
import { type ScriptedModel, startScriptedModel } from "../../testing/scripted-model.ts";
import { temporaryDirectory } from "../../testing/temporary-directory.ts";
import { codexAdapter } from "./index.ts";
import { codexToolCalls as tools } from "./tool-calls.ts";

async function open(extra: Record<string, string> = {}) {
  const home = await temporaryDirectory();
  const env = { PATH: process.env.PATH, HOME: home, ...extra };
  const adapters = [codexAdapter({ env, runtimesDir })];
  const halyard = await createHalyard({ home: join(home, "halyard"), env, adapters });
  const model = await startScriptedModel();
  onTestFinished(async () => {
    await halyard[Symbol.asyncDispose]();
    await model.close();
  });
  const cwd = join(home, "work");
  await mkdir(cwd);
  return { halyard, home, model, cwd };
}

function start(
  halyard: Halyard,
  { model, cwd }: { model: ScriptedModel; cwd: string },
  more: Partial<StartRequest> = {},
) {
  const endpoint = model.endpoint("openai-responses");
  return halyard.start({
    runtime: "codex",
    cwd,
    permissions: "allow-all",
    model: endpoint,
    ...more,
  });
}

test("killed in mid-turn, it fails the turn at once and can be resumed, from its record in the session's own directory [s1.open.codex-resume]", async () => {
  const { halyard, home, model, cwd } = await open();
  model.on("sing", { text: "la ".repeat(300), chunkSize: 3, chunkDelayMs: 30 });
  model.on("which song", { text: "The one with la." });
  const session = await start(halyard, { model, cwd });
  const turn = session.send("sing");
  for await (const event of turn) if (event.type === "delta") break;
  const killedMs = performance.now();
  process.kill(await pidOf(session.events({ follow: false })), "SIGKILL");
  const outcome = await turn.outcome;
  expect(performance.now() - killedMs).toBeLessThan(2000);
  expect(outcome).toMatchObject({ status: "failed", error: { code: "agent_exited" } });
  expect(outcome.error?.message).toContain("SIGKILL");
  await session.stop();
  const files = await readdir(join(home, "halyard", "sessions", session.id, "codex", "sessions"), {
    recursive: true,
  });
  const { runtimeSessionId = "" } = session.info;
  expect(files.filter((file) => file.endsWith(`${runtimeSessionId}.jsonl`))).toHaveLength(1);

  const resumed = await halyard.resume(session.id, { model: model.endpoint("openai-responses") });
  expect(resumed.opened).toBe("resumed");
  expect((await resumed.send("which song was it?").outcome).text).toBe("The one with la.");
  const said = model.requests.at(-1)?.messages.map(({ text }) => text);
  expect(said).toContain("sing");
});

async function pidOf(events: AsyncIterable<StreamEvent>): Promise<number> {
  for await (const event of events)
    if (event.type === "system" && typeof event.data?.pid === "number") return event.data.pid;
  throw new Error("no pid");
}

test("ten sessions at once do not hear each other [s1.codex.delivery]", async () => {
  const { halyard, model, cwd } = await open();
  const numbers = Array.from({ length: 10 }, (_, n) => `number-${n}`);
  for (const name of numbers)
    model.on(
      name,
      { toolCalls: [tools.shell(`echo ${name} > ${name}`)] },
      { text: `I am ${name}.` },
    );
  const turns = numbers.map(async (name) => {
    const session = await start(halyard, { model, cwd });
    const turn = session.send(`you are ${name}`);
    const events: StreamEvent[] = [];
    for await (const event of turn) events.push(event);
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
  const { halyard, model, cwd } = await open({
    HTTPS_PROXY: url,
    HTTP_PROXY: url,
    ALL_PROXY: url,
    NO_PROXY: "127.0.0.1",
  });
  model.on("greet", { toolCalls: [tools.shell("sleep 1")] }, { text: "Hello." });
  const session = await start(halyard, { model, cwd });
  expect((await session.send("greet me").outcome).text).toBe("Hello.");
  await session.stop();
  expect(calls).toBe(0);
});

test("without a login or a key it says so", async () => {
  const { halyard, cwd } = await open();
  const refused = halyard.start({ runtime: "codex", cwd });
  await expect(refused).rejects.toMatchObject({ code: "not_signed_in" });
});
