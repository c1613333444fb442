import { expect, onTestFinished, test } from "vitest";
import { halyard } from "../../test/cli/start-cli.ts";
import { connectTo, faultsOf, readLog } from "../../test/daemon/scene.ts";
import { newRealDaemonUser } from "../../test/real/daemon-user.ts";
import type { ModelApi } from "../schema/model.ts";
import { limitReply } from "../testing/adapter-suite/limits.ts";
import type { ModelRequest } from "../testing/script.ts";
import { startScriptedModel } from "../testing/scripted-model.ts";
import { findDaemon } from "./find.ts";

interface Row {
  readonly runtime: string;
  readonly api: ModelApi;
  /** How long the limit lasts, in milliseconds. Droid and Pi retry a rejected request for some seconds before they give up. */
  readonly limitMs: number;
  /** The processes that are killed with SIGKILL while the session waits. */
  readonly killed: "daemon" | "daemon and agent";
}

const rows: readonly Row[] = [
  { runtime: "droid", api: "openai-chat", limitMs: 40_000, killed: "daemon and agent" },
  { runtime: "opencode", api: "openai-chat", limitMs: 25_000, killed: "daemon" },
  { runtime: "pi", api: "openai-chat", limitMs: 25_000, killed: "daemon and agent" },
  { runtime: "claude", api: "anthropic", limitMs: 20_000, killed: "daemon" },
  { runtime: "codex", api: "openai-responses", limitMs: 20_000, killed: "daemon and agent" },
];

// All runtimes run in parallel, because the sessions spend most of the time waiting.
test("claude, codex, opencode, droid and pi fail with the reset time, or wait for it and continue after a SIGKILL", async () => {
  const results = await Promise.allSettled(rows.map(checkLimits));
  const problems = results.flatMap((result, index) =>
    result.status === "rejected" ? [`${rows[index]?.runtime}: ${result.reason}`] : [],
  );
  expect(problems).toEqual([]);
}, 240_000);

async function checkLimits({ runtime, api, limitMs, killed }: Row): Promise<void> {
  const far = new Date(Date.now() + 7_200_000);
  const isFor = (text: string) => (request: ModelRequest) =>
    request.messages.findLast(({ role }) => role === "user")?.text.includes(text) ?? false;
  const model = await startScriptedModel([
    { when: "Remember heron.", replies: [{ text: "I do." }] },
    { when: isFor("Wait."), replies: [{ text: "I waited." }] },
    { when: isFor("Fail."), replies: [limitReply(far, api)] },
  ]);
  onTestFinished(() => model.close());
  const user = await newRealDaemonUser(model, [api]);
  const first = await connectTo(user);
  const request = {
    runtime,
    cwd: user.cwd,
    permissions: "allow-all",
    model: model.endpoint(api),
    limits: { retryMs: 2000 },
  } as const;

  const waiting = await first.start({ ...request, onLimit: "wait" });
  expect(await waiting.send("Remember heron.").outcome).toMatchObject({ text: "I do." });
  const failing = await first.start(request);
  await failing.ready();
  const resets = new Date(Date.now() + limitMs);
  const isLimited = (sent: ModelRequest) => isFor("Wait.")(sent) && new Date() < resets;
  model.on(isLimited, limitReply(resets, api));
  const turn = waiting.send("Wait.");
  const failed = await failing.send("Fail.").outcome;
  expect(failed).toMatchObject({ status: "failed", error: { code: "rate_limited" } });
  const off = Math.abs(Date.parse(failed.error?.resetsAt ?? "") - far.getTime());
  expect(off).toBeLessThan(90_000); // the tolerance is over a minute, because Codex reports only the minute
  await failing.stop();

  const { id } = waiting;
  const isWaiting = async () => (await first.find(id))?.waiting !== undefined;
  await expect.poll(isWaiting, { timeout: 60_000, interval: 200 }).toBe(true);
  const info = await first.find(id);
  expect(Date.parse(info?.waiting?.resetsAt ?? "")).toBeGreaterThan(Date.now());
  const daemon = await findDaemon(user.home);
  process.kill(daemon?.identity.pid ?? 0, "SIGKILL");
  if (killed === "daemon and agent") process.kill(info?.pid ?? 0, "SIGKILL");

  const list = await halyard(user, ["sessions", "--format", "json"]);
  const shown = list.stdout.split("\n").find((line) => line.includes(id)) ?? "{}";
  expect(JSON.parse(shown).waiting).toEqual(info?.waiting);
  const waited = await halyard(user, ["wait", id]); // the command starts a new daemon
  expect(`${waited.exitCode} ${waited.stderr}`).toMatch(/^0 .*waits for a usage limit/);
  expect(Date.now()).toBeGreaterThanOrEqual(resets.getTime());

  const next = await connectTo(user);
  const log = await readLog(next, id);
  expect(faultsOf(log)).toEqual([]);
  const outcomes = log.filter((event) => event.type === "completion");
  expect(outcomes).toMatchObject([
    { outcome: { text: "I do." } },
    { turnId: turn.id, outcome: { status: "completed", text: "I waited." } },
  ]);
  const systems = log.flatMap((event) => (event.type === "system" ? [event.subtype] : []));
  expect(systems.filter((name) => name === "turn_waiting")).toHaveLength(1);
  expect(systems.filter((name) => name === "turn_continued")).toHaveLength(1);
  const said = model.requests.at(-1)?.messages.map(({ text }) => text) ?? [];
  expect(said.join("\n")).toContain("Remember heron."); // the request belongs to the same conversation
  expect(await next.limits()).toMatchObject([{ runtime, windows: [{}] }]);
  await halyard(user, ["stop", id]);
  await halyard(user, ["daemon", "stop"]);
}
