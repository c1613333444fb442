import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, onTestFinished, test } from "vitest";
import { openStage } from "../../../test/screens/stage.ts";
import type { Terminal } from "../../core/terminal.ts";
import { createTmuxHost } from "../../hosts/tmux/index.ts";
import type { StreamEvent } from "../../schema/event.ts";
import { collect } from "../../testing/halyard/fixture.ts";
import { repliesIn } from "../../testing/replies.ts";

/** A session, and the keyboard of a person who looks at it. */
async function open(permissions: "ask" | "allow-all") {
  const stage = await openStage("claude");
  const halyard = await stage.open();
  const session = await halyard.start({ ...stage.request, permissions, attended: true });
  await session.ready();
  const socket = join(stage.home, "tmux.sock");
  const host = createTmuxHost({ socket, env: process.env });
  const person = await host.attachTerminal?.(join(stage.home, "run", session.id));
  if (person === undefined) throw new Error("no screen");
  onTestFinished(() => person.detach());
  return { ...stage, session, person };
}

function spokenIn(events: readonly StreamEvent[]): string[] {
  return repliesIn(events);
}

async function sees(person: Terminal, text: string): Promise<void> {
  const screen = async () => (await person.look()).lines.join("\n");
  await expect.poll(screen, { timeout: 10_000 }).toContain(text);
}

test("what a person types is answered to them, and is no part of a turn of ours", async () => {
  const { model, session, person } = await open("allow-all");
  model.on("by hand", { text: "Hello, person." });
  model.on("greet", { text: "Hello." });
  await person.paste("typed by hand");
  await person.press("Enter");
  await sees(person, "Hello, person.");
  const turn = session.send("greet me");
  const events = await collect(turn);
  expect(await turn.outcome).toMatchObject({ status: "completed", text: "Hello." });
  expect(spokenIn(events)).toEqual(["Hello."]);
  await session.stop();
  const all = await collect(session.events());
  expect(spokenIn(all)).toEqual(["Hello."]);
  expect(JSON.stringify(all), "it is on record, apart").toContain("Hello, person.");
});

test("a line that a person has begun is waited for and left as it is", async () => {
  const { model, session, person } = await open("allow-all");
  model.on("greet", { text: "Hello." });
  await person.paste("half a th");
  await sees(person, "half a th");
  const turn = session.send("greet me");
  for await (const { type } of turn) if (type === "system") break; // it is about to be typed
  await person.paste("ought");
  await sees(person, "half a thought");
  expect(model.requests).toEqual([]);
  await person.press("C-u");
  expect(await turn.accepted).toEqual({ status: "confirmed" });
  expect(await turn.outcome).toMatchObject({ text: "Hello." });
});

test("what a person's own message asks for is theirs to answer", async () => {
  const { model, session, person, tools } = await open("ask");
  model.on("by hand", { toolCalls: [tools.shell("touch made-by-hand")] }, { text: "Made." });
  await person.paste("make it, by hand");
  await person.press("Enter");
  await sees(person, "Do you want to proceed?");
  const typing = setInterval(() => void person.press("Enter"), 500); // at first it does not listen
  await sees(person, "Made.").finally(() => clearInterval(typing));
  await session.stop();
  const all = await collect(session.events());
  expect(all.filter(({ type }) => type === "request")).toEqual([]);
});

test("an answer on Claude's own screen is recorded as such, a message with colors arrives while a person scrolls, and the key is forgotten", async () => {
  const { model, session, person, tools, directory, home, endpoint } = await open("ask");
  model.on("by us", { toolCalls: [tools.shell("touch made")] }, { text: "Made." });
  model.on("colors", { text: "Seen." });
  const turn = session.send("make it, by us");
  const events: StreamEvent[] = [];
  for await (const event of turn) {
    events.push(event);
    if (event.type !== "request") continue;
    await sees(person, "Do you want to proceed?");
    const typing = setInterval(() => void person.press("Enter"), 500); // at first it does not listen
    void turn.outcome.finally(() => clearInterval(typing));
  }
  const responses = events.filter((event) => event.type === "response");
  expect(responses).toMatchObject([{ decision: "allow", by: "runtime" }]);
  const tmux = ["-S", join(home, "tmux.sock"), "copy-mode", "-t", `=${session.id}:`];
  await promisify(execFile)("tmux", tmux);
  const colored = session.send("\u001b[31mcolors\u001b[0m \u001b[201~\u0003 here");
  expect(await colored.accepted).toEqual({ status: "confirmed" });
  expect(await colored.outcome).toMatchObject({ text: "Seen." });
  await session.stop();
  const { apiKey = "" } = endpoint;
  const grep = ["-rl", "--", apiKey.slice(-20), directory];
  const found = await promisify(execFile)("grep", grep).catch(({ stdout }) => ({ stdout }));
  expect(found.stdout).toBe("");
});

test("a question is answered by a choice", async () => {
  const { model, session } = await open("ask");
  const options = ["Apple", "Pear"].map((label) => ({ label, description: label }));
  const questions = [{ question: "Which fruit?", header: "Fruit", multiSelect: false, options }];
  const toolCalls = [{ name: "AskUserQuestion", input: { questions } }];
  model.on("fruit", { toolCalls }, { text: "A pear it is." });
  const turn = session.send("ask about fruit");
  for await (const event of turn)
    if (event.type === "request")
      await session.answer(event.requestId, { decision: "allow", optionId: "Pear" });
  expect(await turn.outcome).toMatchObject({ status: "completed", text: "A pear it is." });
  const told = model.requests.at(-1)?.messages.map(({ text }) => text);
  expect(told).toContainEqual(expect.stringContaining("Pear"));
});
