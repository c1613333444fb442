import { access, readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { describeSessions, openSessions } from "../../../test/real/describe-sessions.ts";
import type { Session, Turn } from "../../core/halyard.ts";
import type { StreamEvent } from "../../schema/event.ts";
import type { Answer } from "../../schema/permission.ts";
import { collect } from "../../testing/halyard/fixture.ts";
import { claudeAdapter } from "./index.ts";
import { ccsdkAdapter } from "./sdk.ts";
import { claudeToolCalls as tools } from "./tool-calls.ts";

describe.each([
  ["claude", claudeAdapter],
  ["ccsdk", ccsdkAdapter],
] as const)("a session of %s", (name, createAdapter) => {
  const open = () => openSessions({ createAdapter, api: "anthropic" });

  describeSessions(name, { createAdapter, api: "anthropic", shell: tools.shell });

  test("without a login or a key says so", async () => {
    const { halyard, runtime, cwd } = await open();
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

  test("runs no command unasked once it may not do everything any more", async () => {
    const { halyard, model, start } = await open();
    model.on("look", { toolCalls: [tools.shell("git status")] }, { text: "I see." });
    const session = await start();
    await halyard.update(session.id, { permissions: "deny" });
    const events = await collect(session.send("look around"));
    expect(events).toContainEqual(expect.objectContaining({ type: "request", verdict: "deny" }));
    expect(events).toContainEqual(expect.objectContaining({ type: "tool_result", isError: true }));
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
    const events = await collect(session.send("PROPOSE something"));
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
