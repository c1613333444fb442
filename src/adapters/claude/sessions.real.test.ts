import { access, readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { describeSessions, openSessions } from "../../../test/real/describe-sessions.ts";
import type { Session } from "../../contracts/halyard.ts";
import type { Turn } from "../../contracts/turn.ts";
import type { StreamEvent } from "../../schema/event.ts";
import type { Answer } from "../../schema/permission.ts";
import { collect } from "../../testing/halyard/fixture.ts";
import { claudeToolCalls as tools } from "./events/tool-calls.ts";
import { claudeAdapter } from "./index.ts";
import { ccsdkAdapter } from "./sdk/sdk.ts";

describe.each([
  ["claude", claudeAdapter],
  ["ccsdk", ccsdkAdapter],
] as const)("a %s session", (name, createAdapter) => {
  const open = () => openSessions({ createAdapter, api: "anthropic" });

  describeSessions(name, { createAdapter, api: "anthropic", shell: tools.shell });

  test("fails with `not_signed_in` without a login or a key", async () => {
    const { halyard, runtime, cwd } = await open();
    const session = await halyard.start({ runtime, cwd });
    expect(await session.send("greet me").outcome).toMatchObject({
      status: "failed",
      error: { code: "not_signed_in" },
    });
  });

  test("rejects a model endpoint whose protocol is not `anthropic`", async () => {
    const { model, start } = await open();
    const refused = start({ model: model.endpoint("openai-chat") });
    await expect(refused).rejects.toMatchObject({ code: "unsupported" });
  });

  test("leaves no files in the user's home, and runs the hooks in the session's settings", async () => {
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

  test("forks a session with its own endpoint into one that uses the user's own setup, and back", async () => {
    const { model, endpoint, runtime, cwd, halyard, start } = await open();
    model.on("remember", { text: "I remember." });
    model.on("recall", { text: "I recall." });
    const session = await start();
    await session.send("remember the lighthouse").outcome;
    await session.stop();
    const { baseUrl, apiKey } = endpoint;
    const fork = await halyard.start({
      ...{ runtime, cwd, forkedFrom: session.id },
      env: { ANTHROPIC_BASE_URL: baseUrl, ANTHROPIC_API_KEY: apiKey },
    });
    expect(await fork.send("recall it").outcome).toMatchObject({ text: "I recall." });
    const said = () => model.requests.at(-1)?.messages.map(({ text }) => text);
    expect(said()).toContainEqual(expect.stringContaining("lighthouse"));
    await fork.stop();

    const back = await start({ forkedFrom: fork.id });
    expect(await back.send("recall it, please").outcome).toMatchObject({ text: "I recall." });
    expect(said()).toContainEqual(expect.stringContaining("lighthouse"));
  });

  test("forwards Claude's questions to the user under `allow-all`", async () => {
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

  test("requests permission even for a harmless command after `allow-all` is revoked", async () => {
    const { halyard, model, start } = await open();
    model.on("look", { toolCalls: [tools.shell("git status")] }, { text: "I see." });
    const session = await start();
    await halyard.update(session.id, { permissions: "deny" });
    const events = await collect(session.send("look around"));
    expect(events).toContainEqual(expect.objectContaining({ type: "request", verdict: "deny" }));
    expect(events).toContainEqual(expect.objectContaining({ type: "tool_result", isError: true }));
  });

  test("carries out its plan after the user approves it", async () => {
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

  test("reports the plan and completes the turn if the session is unattended", async () => {
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

  test("answers a late steering message in the same turn", async () => {
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

/** Answers the requests of a turn that the policy does not decide, and returns these requests. */
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
