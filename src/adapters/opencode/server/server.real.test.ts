import { mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openBreakableLine } from "../../../../test/opencode/breakable-line.ts";
import {
  createScene,
  deltas,
  openScene,
  type Scene,
  said,
  shell,
  typesOf,
  untilDelta,
} from "../../../../test/opencode/scene.ts";
import { pidOf } from "../../../../test/real/scene.ts";
import { eventually } from "../../../testing/eventually.ts";
import { collect } from "../../../testing/halyard/fixture.ts";
import type { ModelRequest } from "../../../testing/script.ts";

describe("server", () => {
  test("is shared by twenty sessions in ten directories, and sends each session only its own events [s0.concurrency.per-project] [s0.concurrency.same-project] [s2.d1.server-per-project]", async () => {
    const scene = await openScene();
    const names = Array.from({ length: 20 }, (_, index) => `number-${index}-`);
    for (const name of names) {
      const toolCalls = [shell(`echo ${name} > ${name}; sleep 0.2`)];
      scene.model.on(name, { text: `First ${name}.`, toolCalls }, { text: `I am ${name}.` });
    }
    const directories = await Promise.all(
      names.slice(0, 10).map(async (name) => {
        await mkdir(join(scene.home, name));
        return join(scene.home, name);
      }),
    );
    const sessions = await Promise.all(
      names.map((_, index) => scene.start({ cwd: directories[index % 10] ?? "" })),
    );
    expect(new Set(await Promise.all(sessions.map(pidOf))).size).toBe(1);
    expect(await scene.servers()).toHaveLength(1);
    for (const _round of [1, 2]) {
      const turns = sessions.map((session, index) =>
        collect(session.send(`you are ${names[index]}`)),
      );
      for (const [index, events] of (await Promise.all(turns)).entries()) {
        const name = names[index] ?? "";
        expect(said(events)).toEqual([`First ${name}.`, `I am ${name}.`]);
        const received = JSON.stringify(events);
        for (const other of names)
          expect(received.includes(other), `${other} in ${name}`).toBe(other === name);
        const file = join(directories[index % 10] ?? "", name);
        expect(await readFile(file, "utf8")).toBe(`${name}\n`);
      }
    }
    await Promise.all(sessions.map((session) => session.stop()));
    expect(await scene.servers()).toEqual([]);
  });

  test("kills a stopped session's command, and exits with the last session [s3.server.start-stop]", async () => {
    const scene = await openScene();
    scene.model.on("wait", { toolCalls: [shell("echo $$ > pid; sleep 300")] });
    scene.model.on("greet", { text: "Hello." });
    const [first, second] = [await scene.start(), await scene.start()];
    expect(await pidOf(first)).toBe(await pidOf(second));
    const turn = first.send("wait");
    const pid = await eventually(async () => {
      const found = Number(await readFile(join(scene.cwd, "pid"), "utf8"));
      if (!(found > 1)) throw new Error("not yet");
      return found;
    });
    await first.stop();
    expect(await turn.outcome).toMatchObject({ status: "cancelled" });
    await eventually(() => expect(() => process.kill(pid, 0)).toThrow("ESRCH"));
    expect(await second.send("greet me").outcome).toMatchObject({ text: "Hello." });
    const server = await pidOf(second);
    await second.stop();
    expect(() => process.kill(server, 0)).toThrow("ESRCH");
  });

  test("fails the turn when it dies, and is replaced when the next message is sent", async () => {
    const scene = await openScene();
    scene.model.on("sing", { text: "la ".repeat(300), chunkSize: 3, chunkDelayMs: 30 });
    scene.model.on("which song", { text: "The one with la." });
    const [session, idle] = [await scene.start(), await scene.start()];
    const turn = session.send("sing");
    await untilDelta(turn);
    const pid = await pidOf(session);
    process.kill(pid, "SIGKILL");
    const outcome = await turn.outcome;
    expect(outcome).toMatchObject({ status: "failed", error: { code: "agent_exited" } });
    expect(outcome.error?.message).toContain("SIGKILL");
    const next = await session.send("which song was it?").outcome;
    expect(next).toMatchObject({ status: "completed", text: "The one with la." });
    expect(scene.model.requests.at(-1)?.messages.map(({ text }) => text)).toContain("sing");
    const other = await idle.send("which song was it?").outcome;
    expect(other).toMatchObject({ status: "completed", text: "The one with la." });
    expect(await scene.servers()).toHaveLength(1);
  });

  test("connects only to the model", async () => {
    await using line = await openBreakableLine();
    const url = line.to("http://127.0.0.1:1");
    const proxies = { HTTPS_PROXY: url, HTTP_PROXY: url, ALL_PROXY: url, NO_PROXY: "127.0.0.1" };
    const scene = await openScene({ env: proxies });
    scene.model.on("greet", { toolCalls: [shell("sleep 1")] }, { text: "Hello." });
    const session = await scene.start();
    expect((await session.send("greet me").outcome).text).toBe("Hello.");
    await session.stop();
    expect(line.count).toBe(0);
  });
});

describe("event stream that breaks during a turn", () => {
  const text = Array.from({ length: 150 }, (_, index) => `word-${index}`).join(" ");
  let line: Awaited<ReturnType<typeof openBreakableLine>>;
  let scene: Scene;
  beforeAll(async () => {
    line = await openBreakableLine();
    scene = await createScene({ reach: (url) => line.to(url) });
  });
  afterAll(async () => {
    await scene[Symbol.asyncDispose]();
    await line[Symbol.asyncDispose]();
  });

  test("neither loses nor repeats any part of a message", async () => {
    scene.model.on("greet", { text: "Hello." });
    scene.model.on("count", { text, chunkSize: 8, chunkDelayMs: 10 });
    const session = await scene.start();
    await session.send("greet me").outcome; // needed because the first turn in a directory is not streamed
    const turn = session.send("count");
    await untilDelta(turn, 10);
    for (const _time of [1, 2, 3]) {
      const { count } = line;
      line.cut();
      await eventually(() => expect(line.count).toBeGreaterThan(count));
    }
    expect(await turn.outcome).toMatchObject({ status: "completed", text });
    const events = await collect(turn);
    expect(deltas(events)).toBe(text);
    expect(said(events)).toEqual([text]);
    expect(typesOf(events, "delta").length).toBeLessThan(text.length / 8);
  });

  test("loses nothing if it reconnects after the model has received the tool results", async () => {
    const toolCalls = [shell("until [ -e go ]; do sleep 0.02; done; echo gone"), shell("echo two")];
    scene.model.on("work", { text: "I begin.", toolCalls }, { reasoning: "Hm.", text: "Done." });
    const session = await scene.start();
    const turn = session.send("work");
    for await (const event of turn) if (event.type === "tool_call") break;
    line.break();
    const isAnswered = ({ messages }: ModelRequest) => messages.some(({ role }) => role === "tool");
    await mkdir(join(scene.cwd, "go"));
    await eventually(() => expect(scene.model.requests.some(isAnswered)).toBe(true));
    line.mend();
    expect(await turn.outcome).toMatchObject({ status: "completed", text: "Done." });
    const events = await collect(turn);
    expect(said(events)).toEqual(["I begin.", "Hm.", "Done."]);
    expect(typesOf(events, "tool_call", "tool_result")).toHaveLength(4);
    expect(typesOf(events, "completion")).toHaveLength(1);
  });
});
