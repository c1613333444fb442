import { expect, test } from "vitest";
import { samplePayload } from "../testing/sample-payload.ts";
import { type Hook, openSink } from "./open-sink.ts";

const place = { cwd: "/", env: {}, secrets: { HOOK_SECRET: "sesame" }, now: () => new Date() };

test("each kind of hook has a sink by a name that tells it", () => {
  const hooks: Hook[] = [
    { command: ["/usr/local/bin/notify", "--quietly"], events: ["OnError"] },
    { file: "logs/hooks.jsonl" },
    { url: "https://user:pass@example.com/hooks?token=1", secret: "$" + "{HOOK_SECRET}" },
    function remember() {},
  ];
  const sinks = hooks.map((hook) => openSink(hook, place));
  expect(sinks.map(({ name, events }) => [name, events])).toEqual([
    ["notify", ["OnError"]],
    ["hooks.jsonl", undefined],
    ["https://example.com/hooks", undefined],
    ["remember", undefined],
  ]);
});

test("a function is told", async () => {
  const told: unknown[] = [];
  const sink = openSink((payload) => void told.push(payload), place);
  await sink.deliver(samplePayload(), new AbortController());
  expect(told).toEqual([samplePayload()]);
});

test("a hook that makes no sense is refused, and says why", () => {
  const open = (hook: object) => () => openSink(hook as Hook, place);
  expect(open({ command: "notify" })).toThrow(/^command: .*expected tuple/);
  expect(open({ command: ["notify"], timeoutMs: -1 })).toThrow(/^timeoutMs: /);
  expect(open({ url: "ftp://example.com" })).toThrow(/^url: /);
  expect(open({ file: "a", evnets: [] })).toThrow(/evnets/);
  expect(open({ url: "http://localhost", secret: "$" + "{MISSING}" })).toThrow(
    "hook http://localhost/ cannot sign: its secret is the value of MISSING, which is not set in the environment",
  );
});
