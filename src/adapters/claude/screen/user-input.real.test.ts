import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { attachPerson, sees } from "../../../../test/screens/person.ts";
import { openStage } from "../../../../test/screens/stage.ts";
import type { StreamEvent } from "../../../schema/event.ts";
import { collect } from "../../../testing/halyard/fixture.ts";
import { repliesIn } from "../../../testing/replies.ts";

/** Starts a session and attaches a user's keyboard to its screen. */
async function open(permissions: "ask" | "allow-all") {
  const stage = await openStage("claude");
  const halyard = await stage.open();
  const session = await halyard.start({ ...stage.request, permissions, attended: true });
  return { ...stage, session, user: await attachPerson(stage.home, session) };
}

test("excludes a message that the user types on the screen from the session's turns", async () => {
  const { model, session, user } = await open("allow-all");
  model.on("by hand", { text: "Hello, person." });
  model.on("greet", { text: "Hello." });
  await user.paste("typed by hand");
  await user.press("Enter");
  await sees(user, "Hello, person.");
  const turn = session.send("greet me");
  const events = await collect(turn);
  expect(await turn.outcome).toMatchObject({ status: "completed", text: "Hello." });
  expect(repliesIn(events)).toEqual(["Hello."]);
  await session.stop();
  const all = await collect(session.events());
  expect(repliesIn(all)).toEqual(["Hello."]);
  expect(JSON.stringify(all), "recorded outside the turns").toContain("Hello, person.");
});

test("types a message only after the user has emptied the input line, and does not change the user's text", async () => {
  const { model, session, user } = await open("allow-all");
  model.on("greet", { text: "Hello." });
  await user.paste("half a th");
  await sees(user, "half a th");
  const turn = session.send("greet me");
  // stops at the first event, when the message is about to be typed
  for await (const { type } of turn) if (type === "system") break;
  await user.paste("ought");
  await sees(user, "half a thought");
  expect(model.requests).toEqual([]);
  await user.press("C-u");
  expect(await turn.accepted).toEqual({ status: "confirmed" });
  expect(await turn.outcome).toMatchObject({ text: "Hello." });
});

test("does not emit a permission request that was caused by a message typed on the screen", async () => {
  const { model, session, user, tools } = await open("ask");
  model.on("by hand", { toolCalls: [tools.shell("touch made-by-hand")] }, { text: "Made." });
  await user.paste("make it, by hand");
  await user.press("Enter");
  await sees(user, "Do you want to proceed?");
  // repeated, because the dialog ignores the first key presses
  const typing = setInterval(() => void user.press("Enter"), 500);
  await sees(user, "Made.").finally(() => clearInterval(typing));
  await session.stop();
  const all = await collect(session.events());
  expect(all.filter(({ type }) => type === "request")).toEqual([]);
});

test("records the user's answer on the screen, delivers a message while the user scrolls, and leaves no key on disk", async () => {
  const { model, session, user, tools, directory, home, endpoint } = await open("ask");
  model.on("by us", { toolCalls: [tools.shell("touch made")] }, { text: "Made." });
  model.on("colors", { text: "Seen." });
  const turn = session.send("make it, by us");
  const events: StreamEvent[] = [];
  for await (const event of turn) {
    events.push(event);
    if (event.type !== "request") continue;
    await sees(user, "Do you want to proceed?");
    // repeated, because the dialog ignores the first key presses
    const typing = setInterval(() => void user.press("Enter"), 500);
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

test("passes the chosen option to Claude as the answer to its question", async () => {
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
  const texts = model.requests.at(-1)?.messages.map(({ text }) => text);
  expect(texts).toContainEqual(expect.stringContaining("Pear"));
});
