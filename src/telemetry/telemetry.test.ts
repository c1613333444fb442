import { join } from "node:path";
import { expect, test } from "vitest";
import { smallAgent, smallAgentAdapter } from "../../test/acp/small-agent.ts";
import { serve } from "../../test/http/served.ts";
import { OtlpReceiver, type ReceivedSpan } from "../../test/telemetry/otlp-receiver.ts";
import { createHalyard } from "../create-halyard.ts";
import type { HalyardOptions } from "../halyard-options.ts";
import { fakeAdapter } from "../testing/fake/index.ts";
import { temporaryDirectory } from "../testing/temporary-directory.ts";
import { exportTelemetry, spansIn } from "./export-telemetry.ts";
import { spanIdOf, traceIdOf, traceparentOf, turnSpanId } from "./span.ts";

async function open(options: HalyardOptions) {
  const root = await temporaryDirectory();
  const home = join(root, "home");
  const halyard = await createHalyard({ home, env: {}, adapters: [fakeAdapter()], ...options });
  return { halyard, home, cwd: root };
}

const byId = (spans: readonly ReceivedSpan[]) =>
  spans.toSorted((a, b) => (a.spanId < b.spanId ? -1 : 1));

test("sends spans and metrics that match the official definitions, and exports the same spans later", async () => {
  await using receiver = await OtlpReceiver.start();
  // biome-ignore lint/suspicious/noTemplateCurlyInString: settings refer to variables with this syntax
  const telemetry = { endpoint: receiver.endpoint, headers: { "x-key": "${KEY}" } };
  const env = { KEY: "secret" };
  const { halyard, home, cwd } = await open({ telemetry, env });
  const session = await halyard.start({
    runtime: "fake",
    cwd,
    permissions: "ask",
    project: "shop",
  });
  const turn = session.send("sh echo hello");
  for await (const event of turn)
    if (event.type === "request") await session.answer(event.requestId, { decision: "allow" });
  expect(await turn.outcome).toMatchObject({ status: "completed" });
  const failing = session.send("fail on purpose");
  await failing.outcome;
  await session.stop();
  await halyard[Symbol.asyncDispose]();
  expect(receiver.problems).toEqual([]);
  expect(receiver.headers.every((headers) => headers["x-key"] === "secret")).toBe(true);

  const live = byId(receiver.spans.splice(0));
  const { id } = session;
  expect(new Set(live.map(({ traceId }) => traceId))).toEqual(new Set([traceIdOf(id)]));
  const [root] = live.filter(({ parentSpanId }) => parentSpanId === "");
  expect(root).toMatchObject({
    name: "create_agent fake",
    spanId: spanIdOf(id),
    kind: 3,
    scope: "halyard",
    resource: { "service.name": "halyard" },
    attributes: { "gen_ai.operation.name": "create_agent", "gen_ai.conversation.id": id },
  });
  const invoked = live.find(({ spanId }) => spanId === turnSpanId(id, turn.id));
  expect(invoked).toMatchObject({
    name: "invoke_agent fake",
    kind: 3,
    parentSpanId: root?.spanId,
    status: {},
    attributes: {
      "gen_ai.operation.name": "invoke_agent",
      "gen_ai.provider.name": "fake",
      "gen_ai.agent.name": "fake",
      "gen_ai.conversation.id": id,
      "gen_ai.response.finish_reasons": ["end_turn"],
      "gen_ai.usage.input_tokens": expect.any(Number),
      "gen_ai.usage.output_tokens": expect.any(Number),
      "halyard.project": "shop",
      "halyard.turn.tool_calls": 1,
    },
  });
  const [tool] = live.filter(({ name }) => name.startsWith("execute_tool"));
  expect(tool).toMatchObject({
    kind: 1,
    parentSpanId: invoked?.spanId,
    attributes: { "gen_ai.operation.name": "execute_tool", "gen_ai.tool.type": "function" },
  });
  const [request] = live.filter(({ name }) => name === "request permission");
  expect(request).toMatchObject({
    attributes: { "halyard.request.decision": "allow", "halyard.request.answered_by": "user" },
  });
  expect([tool?.spanId, invoked?.spanId]).toContain(request?.parentSpanId);
  expect(live.find(({ spanId }) => spanId === turnSpanId(id, failing.id))).toMatchObject({
    status: { code: 2 },
    attributes: { "error.type": expect.any(String) },
  });
  for (const { startMs, endMs } of live) expect(startMs).toBeLessThanOrEqual(endMs);
  const texts = JSON.stringify(live);
  expect(texts).not.toContain("hello");

  const names = new Set(receiver.points.map(({ metric }) => metric));
  expect([...names].sort()).toEqual([
    "gen_ai.client.token.usage",
    "gen_ai.execute_tool.duration",
    "gen_ai.invoke_agent.duration",
    "gen_ai.invoke_agent.tool_calls",
    "halyard.request.duration",
    "halyard.sessions",
    "halyard.usage.cost",
  ]);
  const durations = receiver.points.filter(
    ({ metric }) => metric === "gen_ai.invoke_agent.duration",
  );
  expect(durations.map(({ count, unit }) => ({ count, unit }))).toEqual([
    { count: 1, unit: "s" },
    { count: 1, unit: "s" },
  ]);

  await using later = await createHalyard({ home, env: {}, adapters: [fakeAdapter()] });
  const sent = await exportTelemetry(later, { ...telemetry, env });
  expect(sent).toEqual({ spans: live.length, sessions: 1 });
  expect(byId(receiver.spans)).toEqual(live);
});

test("includes messages, tool inputs and tool results if the settings enable them", async () => {
  await using receiver = await OtlpReceiver.start();
  const telemetry = { endpoint: receiver.endpoint, content: true };
  const { halyard, cwd } = await open({ telemetry, store: "memory" });
  const session = await halyard.start({ runtime: "fake", cwd, permissions: "allow-all" });
  await session.send("sh echo hello").outcome;
  await halyard[Symbol.asyncDispose]();
  const text = (name: string, attribute: string) =>
    receiver.spans.find((span) => span.name.startsWith(name))?.attributes[attribute];
  expect(JSON.parse(String(text("invoke_agent", "gen_ai.input.messages")))).toEqual([
    { role: "user", parts: [{ type: "text", content: "sh echo hello" }] },
  ]);
  expect(text("invoke_agent", "gen_ai.output.messages")).toContain("assistant");
  expect(text("execute_tool", "gen_ai.tool.call.arguments")).toContain("echo hello");
  expect(text("execute_tool", "gen_ai.tool.call.result")).toContain("hello");
});

test("sends the whole turn if another process ran its beginning", async () => {
  await using receiver = await OtlpReceiver.start();
  const telemetry = { endpoint: receiver.endpoint };
  const first = await open({ detached: true, onDispose: "detach" });
  const { home, cwd } = first;
  const session = await first.halyard.start({ runtime: "fake", cwd, permissions: "ask" });
  const turn = session.send("sh echo hello");
  for await (const event of turn) if (event.type === "request") break;
  await first.halyard[Symbol.asyncDispose]();
  const second = await createHalyard({ home, env: {}, adapters: [fakeAdapter()], telemetry });
  const resumed = await second.resume(session.id);
  const [request] = resumed.info.openRequests;
  await resumed.answer(request?.requestId ?? "", { decision: "allow" });
  for await (const event of resumed.events()) if (event.type === "completion") break;
  const expected: string[] = [];
  for await (const span of spansIn(second, {})) expected.push(span.spanId);
  await second[Symbol.asyncDispose]();
  const received = receiver.spans.map(({ spanId }) => spanId);
  const wasLive = (spanId: string) => spanId !== spanIdOf(session.id); // the session was started without telemetry
  expect(received.toSorted()).toEqual(expected.filter(wasLive).toSorted());
});

test("passes the trace to agents in their environment and in ACP's _meta field", async () => {
  await using receiver = await OtlpReceiver.start();
  const adapters = [fakeAdapter(), { ...smallAgentAdapter(), name: "small" }];
  const telemetry = { endpoint: receiver.endpoint, joinAgents: true, headers: { "x-key": "a b" } };
  const { halyard, cwd } = await open({ telemetry, adapters, store: "memory" });
  const permissions = "allow-all";
  const fake = await halyard.start({ runtime: "fake", cwd, permissions });
  const variables = ["TRACEPARENT", "OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_HEADERS"];
  const script = `sh printenv ${variables.join(" ")}`;
  let output = "";
  for await (const event of fake.send(script))
    if (event.type === "tool_result") output += event.output;
  const lines = [traceparentOf(fake.id), receiver.endpoint, "x-key=a%20b"];
  expect(output.trim().split("\n")).toEqual(lines);
  const small = await halyard.start({
    runtime: "small",
    cwd,
    permissions,
    options: { command: smallAgent },
  });
  const turn = small.send("!meta");
  const { text } = await turn.outcome;
  expect(JSON.parse(text)).toEqual({ traceparent: traceparentOf(small.id, turn.id) });
  await halyard[Symbol.asyncDispose]();
  const parents = receiver.spans.map(({ traceId, spanId }) => `00-${traceId}-${spanId}-01`);
  expect(parents).toContain(traceparentOf(fake.id));
  expect(parents).toContain(traceparentOf(small.id, turn.id));
});

test("exports the span of a running turn if a queued turn is cancelled in the meantime", async () => {
  const { halyard, cwd } = await open({});
  const session = await halyard.start({ runtime: "fake", cwd, permissions: "allow-all" });
  const running = session.send("sh echo hello; wait");
  for await (const event of running) if (event.type === "tool_result") break;
  const queued = session.send("say never");
  await queued.cancel();
  await queued.outcome;
  await running.cancel();
  await running.outcome;
  const names = [];
  for await (const { name } of spansIn(halyard, {})) names.push(name);
  await halyard[Symbol.asyncDispose]();
  expect(names).toContain("invoke_agent fake");
});

test("links a turn to its caller's trace, live and in a later export, even if another process runs the turn", async () => {
  await using receiver = await OtlpReceiver.start();
  const telemetry = { endpoint: receiver.endpoint };
  const { halyard, home, cwd } = await open({ telemetry });
  const session = await halyard.start({ runtime: "fake", cwd, permissions: "allow-all" });
  const traceparent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
  session.send("wait; say one");
  const queued = session.send("say two", { traceparent });
  await queued.accepted;
  await session.detach();
  await halyard[Symbol.asyncDispose]();
  const second = await createHalyard({ home, env: {}, telemetry, adapters: [fakeAdapter()] });
  const resumed = await second.resume(session.id);
  await resumed.interrupt();
  expect(await resumed.send("", { id: queued.id }).outcome).toMatchObject({ text: "two" });
  await resumed.stop();
  await second[Symbol.asyncDispose]();
  const links = receiver.spans.flatMap(({ spanId, links }) => links.map((link) => [spanId, link]));
  expect(links).toEqual([[turnSpanId(session.id, queued.id), traceparent]]);
  const third = await createHalyard({ home, env: {}, adapters: [fakeAdapter()] });
  const exported = [];
  for await (const { spanId, link } of spansIn(third, {})) if (link) exported.push([spanId, link]);
  await third[Symbol.asyncDispose]();
  expect(exported).toEqual(links);
});

test("reports once that the receiver rejects spans", async () => {
  await using receiver = await OtlpReceiver.start();
  receiver.status = 403;
  const problems: string[] = [];
  const { halyard, cwd } = await open({
    telemetry: { endpoint: receiver.endpoint },
    store: "memory",
    onTelemetryProblem: (problem) => void problems.push(problem),
  });
  const session = await halyard.start({ runtime: "fake", cwd });
  await session.send("say hello").outcome;
  await halyard[Symbol.asyncDispose]();
  expect(problems).toEqual([
    expect.stringMatching(/^Telemetry was not sent: .*Forbidden.*halyard telemetry export/),
  ]);
});

test("ignores the OTEL_ variables if telemetry is disabled or the options contain neither settings nor a configuration", async () => {
  await using receiver = await OtlpReceiver.start();
  const env = { OTEL_EXPORTER_OTLP_ENDPOINT: receiver.endpoint };
  for (const options of [{}, { telemetry: false as const, config: {} }]) {
    const { halyard, cwd } = await open({ env, store: "memory", ...options });
    const session = await halyard.start({ runtime: "fake", cwd });
    await session.send("say hello").outcome;
    await halyard[Symbol.asyncDispose]();
  }
  expect(receiver.headers).toEqual([]);
});

test("links turns to the trace in the header of the HTTP request that starts a session or sends a message", async () => {
  await using receiver = await OtlpReceiver.start();
  const telemetry = { endpoint: receiver.endpoint };
  const trace = (digit: number) => `00-${String(digit).repeat(32)}-b7ad6b7169203331-01`;
  const links: [string, string][] = [];
  {
    await using served = await serve({}, { telemetry });
    const body = { runtime: "fake", cwd: served.cwd, permissions: "allow-all", prompt: "say one" };
    const started = await served.call("POST", "/v1/sessions", {
      body,
      headers: { traceparent: trace(1) },
    });
    const { id } = started.json;
    const turns = `/v1/sessions/${id}/turns`;
    for (const [input, traceparent] of [
      ["say two", trace(2)],
      ["say three", "00-malformed"],
    ] as const)
      await served.call("POST", turns, { body: { input }, headers: { traceparent } });
    const session = await served.halyard.session(id);
    await session.send("say four").outcome;
    for await (const event of session.events({ follow: false }))
      if (event.type === "system" && event.subtype === "turn_started" && event.data)
        links.push([turnSpanId(id, event.turnId ?? ""), Object(event.data).traceparent]);
    await session.stop();
  }
  expect(links.map(([, traceparent]) => traceparent)).toEqual([trace(1), trace(2)]);
  const received = receiver.spans.flatMap(({ spanId, links: linked }) =>
    linked.map((link) => [spanId, link]),
  );
  expect(received.toSorted()).toEqual(links.toSorted());
});
