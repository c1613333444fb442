import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { halyard } from "../../test/cli/start-cli.ts";
import { connectTo, faultsOf, readLog, untilEvent } from "../../test/daemon/scene.ts";
import { newRealDaemonUser, startDaemon } from "../../test/real/daemon-user.ts";
import { claudeToolCalls } from "../adapters/claude/events/tool-calls.ts";
import { codexToolCalls } from "../adapters/codex/events/tool-calls.ts";
import { droidToolCalls } from "../adapters/droid/events/tool-calls.ts";
import { piToolCalls } from "../adapters/pi/events/tool-calls.ts";
import type { Halyard } from "../contracts/halyard.ts";
import type { StreamEvent } from "../schema/event.ts";
import type { SessionId, TurnId } from "../schema/id.ts";
import type { ModelApi } from "../schema/model.ts";
import type { ModelToolCall } from "../testing/script.ts";
import { type ScriptedModel, startScriptedModel } from "../testing/scripted-model.ts";
import { findDaemon } from "./find.ts";

interface Row {
  readonly runtime: string;
  readonly api: ModelApi;
  readonly shell: (command: string) => ModelToolCall;
  /** When the runtime reports the usage of a request: before its tools run, or after they have ended. */
  readonly reports: "before tools" | "after tools";
  /** The processes that are killed with SIGKILL while the budget request is open. */
  readonly killed: "daemon" | "daemon and agent";
}

const rows: readonly Row[] = [
  {
    runtime: "claude",
    api: "anthropic",
    shell: claudeToolCalls.shell,
    reports: "before tools",
    killed: "daemon",
  },
  {
    runtime: "codex",
    api: "openai-responses",
    shell: (cmd) => ({ ...codexToolCalls.shell(cmd), input: { cmd, yield_time_ms: 30_000 } }),
    reports: "after tools",
    killed: "daemon and agent",
  },
  {
    runtime: "droid",
    api: "openai-chat",
    shell: droidToolCalls.shell,
    reports: "before tools",
    killed: "daemon and agent",
  },
  {
    runtime: "opencode",
    api: "openai-chat",
    shell: (command) => ({ name: "bash", input: { command, description: "run it" } }),
    reports: "after tools",
    killed: "daemon",
  },
  {
    runtime: "pi",
    api: "openai-chat",
    shell: piToolCalls.shell,
    reports: "before tools",
    killed: "daemon and agent",
  },
];

const usage = { inputTokens: 1000, outputTokens: 50 };

// The runtimes share a daemon and run in parallel, because starting the five programs takes most of the time.
test("claude, codex, opencode, droid and pi stop within one request of the budget, and continue the turn after two SIGKILLs without a second charge", async () => {
  const model = await startScriptedModel([
    ...rows.map(({ runtime, shell, reports }) => ({
      when: `Work ${runtime}.`,
      replies: [
        { toolCalls: [shell(`until [ -e go ]; do sleep 0.05; done`)], usage },
        // The second request uses up the budget. A runtime that reports usage before its tools run is interrupted while
        // the tool runs.
        {
          toolCalls: [
            shell(reports === "before tools" ? "until [ -e never ]; do sleep 0.05; done" : "true"),
          ],
          usage,
        },
        { text: "too much ".repeat(500), chunkSize: 9, chunkDelayMs: 200, usage },
      ],
    })),
    { when: "Continue where you stopped", replies: [{ text: "Finished.", usage }] },
  ]);
  onTestFinished(() => model.close());
  const apis = ["anthropic", "openai-responses", "openai-chat"] as const;
  const user = await newRealDaemonUser(model, apis);
  const killDaemon = async () => {
    const daemon = await findDaemon(user.home);
    process.kill(daemon?.identity.pid ?? 0, "SIGKILL");
  };

  const first = await connectTo(user);
  const started = await Promise.all(rows.map((row) => start(first, user.cwd, model, row)));
  await killDaemon(); // kills the daemon in the middle of five turns
  await startDaemon(user);
  const second = await connectTo(user);
  await writeFile(join(user.cwd, "go"), "");
  const requests = await Promise.all(started.map(({ id }) => untilRequest(second, id)));
  for (const [index, request] of requests.entries()) {
    const of = `${rows[index]?.runtime}: ${JSON.stringify(request)}`;
    expect(request, of).toMatchObject({ kind: "budget", budget: { limit: 2000, used: 2100 } });
  }
  const sent = rows.map((row) => requestsOf(model, row));
  for (const [index, { runtime, reports }] of rows.entries())
    expect(sent[index], runtime).toBeLessThanOrEqual(reports === "before tools" ? 2 : 3);
  const pids = await Promise.all(started.map(async ({ id }) => (await second.find(id))?.pid ?? 0));
  await killDaemon(); // kills the daemon while five budget requests are open
  for (const [index, { killed }] of rows.entries())
    if (killed === "daemon and agent") process.kill(pids[index] ?? 0, "SIGKILL");

  const listed = await halyard(user, ["requests", "--format", "json"]);
  for (const request of requests) expect(listed.stdout).toContain(request.requestId);
  const [byCommand = "", ...others] = requests.map(({ requestId }) => requestId);
  const answered = await halyard(user, ["answer", byCommand, "yes"]); // the command starts a new daemon
  expect(`${answered.exitCode} ${answered.stderr}`).toMatch(/^0 /);
  const third = await connectTo(user);
  for (const [index, requestId] of others.entries()) {
    const session = await third.session(started[index + 1]?.id ?? "");
    await session.answer(requestId, { decision: "allow" });
  }
  for (const [index, row] of rows.entries()) {
    const { id, turnId } = started[index] ?? { id: "" as SessionId };
    const ended = await untilEvent(third, id, ({ type }) => type === "completion");
    const outcome = ended.type === "completion" ? ended.outcome : undefined;
    const of = `${row.runtime}: ${JSON.stringify(ended)}`;
    expect(ended, of).toMatchObject({ turnId, outcome: { status: "completed" } });
    expect(outcome?.text, of).toMatch(/Finished\.$/);
    // Each completed model request is charged once. A runtime may also report the input of the interrupted request.
    const charged = Math.round((outcome?.usage?.inputTokens ?? 0) / usage.inputTokens);
    expect(charged, of).toBeGreaterThanOrEqual(3);
    expect(charged, of).toBeLessThanOrEqual((sent[index] ?? 0) + 1);
    expect(requestsOf(model, row), of).toBe((sent[index] ?? 0) + 1); // the continuation belongs to the same conversation
    const info = await third.find(id);
    expect(info, of).toMatchObject({ turns: 1, usage: outcome?.usage });
    expect(faultsOf(await readLog(third, id)), of).toEqual([]);
    await halyard(user, ["stop", id]);
  }
  await halyard(user, ["daemon", "stop"]);
}, 240_000);

/** Starts a turn, and resolves when its first tool runs. */
async function start(
  halyard: Halyard,
  cwd: string,
  model: ScriptedModel,
  { runtime, api }: Row,
): Promise<{ id: SessionId; turnId: TurnId }> {
  const session = await halyard.start({
    runtime,
    cwd,
    permissions: "allow-all",
    model: model.endpoint(api),
    budget: { tokens: 2000 },
  });
  const turn = session.send(`Work ${runtime}.`);
  await untilEvent(halyard, session.id, ({ type }) => type === "tool_call");
  return { id: session.id, turnId: turn.id };
}

async function untilRequest(
  halyard: Halyard,
  id: SessionId,
): Promise<Extract<StreamEvent, { type: "request" }>> {
  const found = await untilEvent(halyard, id, ({ type }) => type === "request");
  if (found.type !== "request") throw new Error("unreachable");
  return found;
}

function requestsOf({ requests }: ScriptedModel, { runtime }: Row): number {
  return requests.filter(({ messages }) =>
    messages.some(({ text }) => text.includes(`Work ${runtime}.`)),
  ).length;
}
