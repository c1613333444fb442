import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createRedactor } from "../../log/redaction/redaction.ts";
import { sealSecrets } from "../../log/redaction/sealed-secrets.ts";
import type { EventBody, MessageEvent } from "../../schema/event.ts";
import { TurnLedger } from "./turn-ledger.ts";

const open = (secrets: string[] = []) => new TurnLedger(createRedactor(secrets));

const delta = (messageId: string, text: string, channel: "text" | "reasoning" = "text") =>
  ({ type: "delta", channel, messageId, text }) as const;

const message = (messageId: string, text: string): MessageEvent => ({
  type: "message",
  role: "assistant",
  channel: "text",
  messageId,
  text,
});

const call = (callId: string) =>
  ({ type: "tool_call", callId, name: "shell", kind: "execute", input: {} }) as const;

const result = (callId: string) =>
  ({ type: "tool_result", callId, output: "", isError: false }) as const;

const retry = { type: "system", subtype: "retry" } as const;

describe("a message", () => {
  test("is preceded by a delta with its text if it was not streamed", () => {
    expect(open().admit(message("m", "hello"))).toEqual([
      delta("m", "hello"),
      message("m", "hello"),
    ]);
  });

  test("is preceded by a delta with the rest if it is longer than its deltas", () => {
    const ledger = open();
    ledger.admit(delta("m", "hel"));
    expect(ledger.admit(message("m", "hello"))).toEqual([delta("m", "lo"), message("m", "hello")]);
  });

  test("is logged with another id if it contradicts its deltas", () => {
    const ledger = open();
    ledger.admit(delta("m", "hallo"));
    const events = ledger.admit(message("m", "hello"));
    expect(events).toMatchObject([
      { subtype: "retry" },
      delta("m'", "hello"),
      message("m'", "hello"),
    ]);
  });

  test("is logged once, and later deltas are dropped", () => {
    const ledger = open();
    ledger.admit(message("m", "hello"));
    expect(ledger.admit(message("m", "hello"))).toEqual([]);
    expect(ledger.admit(delta("m", "!"))).toEqual([]);
  });

  test("is dropped if it has no text", () => {
    expect(open().admit(message("m", ""))).toEqual([]);
  });

  test("is logged if it is incomplete at the end of the turn, but a later complete message is the final text", () => {
    const ledger = open();
    ledger.admit(delta("a", "half a"));
    ledger.admit(message("b", "whole"));
    expect(ledger.close()).toEqual([message("a", "half a")]);
    expect(ledger.text).toBe("whole");
  });

  test("is not logged if a retry aborted it", () => {
    const ledger = open();
    ledger.admit(delta("a", "half"));
    ledger.admit(retry);
    expect(ledger.admit(message("a", "half and more"))).toEqual([]);
    expect(ledger.close()).toEqual([]);
  });
});

describe("a tool", () => {
  test("produces one call and one result, even if the runtime reports both twice", () => {
    const ledger = open();
    expect(ledger.admit(call("c"))).toEqual([call("c")]);
    expect(ledger.admit(call("c"))).toEqual([]);
    expect(ledger.admit(result("c"))).toEqual([result("c")]);
    expect(ledger.admit(result("c"))).toEqual([]);
  });

  test("produces a call event if only its result arrives", () => {
    expect(open().admit(result("c"))).toMatchObject([
      { type: "tool_call", callId: "c", name: "unknown" },
      result("c"),
    ]);
  });

  test("ends with the result `interrupted` if none arrives before the turn ends", () => {
    const ledger = open();
    ledger.admit(call("c"));
    expect(ledger.close()).toEqual([
      { type: "tool_result", callId: "c", output: "interrupted", isError: true },
    ]);
  });
});

test("redacts a secret in all events, even if it is split between deltas", () => {
  const ledger = open(["sk-secret"]);
  const events = [
    ...ledger.admit(delta("m", "the key is sk-")),
    ...ledger.admit(delta("m", "sec")),
    ...ledger.admit(delta("m", "ret, and sk-no")),
    ...ledger.admit(message("m", "the key is sk-secret, and sk-no")),
    ...ledger.admit({ ...result("c"), output: "KEY=sk-secret" }),
  ];
  expect(JSON.stringify(events)).not.toContain("secret");
  expect(sumOf(events, "m")).toBe("the key is [redacted], and sk-no");
});

test("matches deltas to messages and results to calls, and reveals no secret, for any output", () => {
  const id = fc.constantFrom("a", "b", "c");
  const text = fc.constantFrom("", "x", "xy", "sk-sec", "ret", "sk-secret");
  const draft = fc.oneof(
    fc.tuple(id, text).map(([m, t]) => delta(m, t)),
    fc.tuple(id, text).map(([m, t]) => message(m, t)),
    id.map(call),
    id.map(result),
    fc.constant(retry),
  );
  fc.assert(
    fc.property(fc.array(draft, { maxLength: 30 }), (drafts) => {
      const ledger = open(["sk-secret"]);
      const events = [...drafts.flatMap((each) => ledger.admit(each)), ...ledger.close()];
      for (const event of events) {
        if (event.type === "message") expect(sumOf(events, event.messageId)).toBe(event.text);
      }
      const calls = events.flatMap((e) => (e.type === "tool_call" ? [e.callId] : []));
      const results = events.flatMap((e) => (e.type === "tool_result" ? [e.callId] : []));
      expect(new Set(calls).size).toBe(calls.length);
      expect([...results].sort()).toEqual([...calls].sort());
      expect(JSON.stringify(events)).not.toContain("sk-secret");
    }),
  );
});

describe("a stream that another process started", () => {
  const secret = "sk-secret-0123456789";
  const known = createRedactor([secret]);
  const sealed = createRedactor([], sealSecrets([secret]));

  test.each([
    ["the same secrets", known],
    ["sealed secrets", sealed],
  ])("continues with %s without losing, repeating or revealing text", (_, later) => {
    const piece = fc.constantFrom(
      "x",
      "sk-",
      "secret-",
      "0123456789",
      "sk-secret-01",
      secret,
      " y",
    );
    fc.assert(
      fc.property(fc.array(piece, { minLength: 1 }), fc.nat(), (pieces, cut) => {
        const deltas = pieces.map((text) => delta("m", text));
        const read = deltas.slice(0, cut % pieces.length);
        const first = new TurnLedger(known);
        const log: EventBody[] = read.flatMap((each) => first.admit(each));
        const second = new TurnLedger(later);
        for (const each of log) if (each.type === "delta") second.restore(each);
        for (const each of read) second.replay(each);
        for (const each of deltas.slice(read.length)) log.push(...second.admit(each));
        const whole = message("m", pieces.join(""));
        log.push(...second.admit(whole));
        const expected = known.redact(whole.text);
        expect(sumOf(log, "m")).toBe(expected);
        expect(log.at(-1)).toMatchObject({ type: "message", messageId: "m", text: expected });
      }),
    );
  });

  test("continues after the logged text if its output is not replayed", () => {
    const ledger = new TurnLedger(sealed);
    ledger.restore(delta("m", "sk-secret"));
    const log = ledger.admit(message("m", "sk-secret and more"));
    expect(log).toEqual([delta("m", " and more"), message("m", "sk-secret and more")]);
  });
});

function sumOf(events: readonly EventBody[], messageId: string): string {
  return events
    .flatMap((event) =>
      event.type === "delta" && event.messageId === messageId ? [event.text] : [],
    )
    .join("");
}
