import { expect, test } from "vitest";
import { samplePayload } from "../../testing/sample-payload.ts";
import { type Hook, openSink } from "./open-sink.ts";

const options = { cwd: "/", env: {}, secrets: { HOOK_SECRET: "sesame" }, now: () => new Date() };

test("names the sink of each kind of hook, without the path, query and password of a URL", () => {
  const hooks: Hook[] = [
    { command: ["/usr/local/bin/notify", "--quietly"], events: ["OnError"] },
    { file: "logs/hooks.jsonl" },
    { url: "https://user:pass@example.com/hooks?token=1", secret: "$" + "{HOOK_SECRET}" },
    function remember() {},
  ];
  const sinks = hooks.map((hook) => openSink(hook, options));
  expect(sinks.map(({ name, events }) => [name, events])).toEqual([
    ["notify", ["OnError"]],
    ["hooks.jsonl", undefined],
    ["https://example.com/…", undefined],
    ["remember", undefined],
  ]);
});

test("delivers to a function", async () => {
  const received: unknown[] = [];
  const sink = openSink((payload) => void received.push(payload), options);
  await sink.deliver(samplePayload(), { id: "x", signal: new AbortController().signal });
  expect(received).toEqual([samplePayload()]);
});

test("rejects an invalid hook with the reason", () => {
  const open = (hook: object) => () => openSink(hook as Hook, options);
  expect(open({ command: "notify" })).toThrow(/^command: .*expected tuple/);
  expect(open({ command: ["notify"], timeoutMs: -1 })).toThrow(/^timeoutMs: /);
  expect(open({ url: "ftp://example.com" })).toThrow(/^url: /);
  expect(open({ file: "a", evnets: [] })).toThrow(/evnets/);
  const headers = { authorization: "Bearer $" + "{MISSING}" };
  expect(open({ url: "http://localhost", headers })).toThrow(
    "The hook http://localhost cannot be called: its header authorization uses the variable MISSING, which is not set. Set MISSING in the environment.",
  );
  expect(open({ url: "http://localhost", secret: "$" + "{MISSING}" })).toThrow(
    "The hook http://localhost cannot sign its requests: its secret uses the variable MISSING, which is not set. Set MISSING in the environment.",
  );
});
