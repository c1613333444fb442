import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { EventBody, MessageEvent } from "../schema/event.ts";
import { createRedactor } from "./redaction.ts";
import { sealSecrets } from "./sealed-secrets.ts";
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
  test("that was not streamed gets the delta that makes up for it", () => {
    expect(open().admit(message("m", "hello"))).toEqual([
      delta("m", "hello"),
      message("m", "hello"),
    ]);
  });

  test("that says more than its deltas gets the rest as a delta", () => {
    const ledger = open();
    ledger.admit(delta("m", "hel"));
    expect(ledger.admit(message("m", "hello"))).toEqual([delta("m", "lo"), message("m", "hello")]);
  });

  test("that contradicts its deltas is told anew under another name", () => {
    const ledger = open();
    ledger.admit(delta("m", "hallo"));
    const told = ledger.admit(message("m", "hello"));
    expect(told).toMatchObject([
      { subtype: "retry" },
      delta("m'", "hello"),
      message("m'", "hello"),
    ]);
  });

  test("is told once, and what comes after it is left out", () => {
    const ledger = open();
    ledger.admit(message("m", "hello"));
    expect(ledger.admit(message("m", "hello"))).toEqual([]);
    expect(ledger.admit(delta("m", "!"))).toEqual([]);
  });

  test("without a word is none", () => {
    expect(open().admit(message("m", ""))).toEqual([]);
  });

  test("that was begun is made whole when the turn ends, but is not the last word if another was", () => {
    const ledger = open();
    ledger.admit(delta("a", "half a"));
    ledger.admit(message("b", "whole"));
    expect(ledger.close()).toEqual([message("a", "half a")]);
    expect(ledger.text).toBe("whole");
  });

  test("given up by a retry never comes", () => {
    const ledger = open();
    ledger.admit(delta("a", "half"));
    ledger.admit(retry);
    expect(ledger.admit(message("a", "half and more"))).toEqual([]);
    expect(ledger.close()).toEqual([]);
  });
});

describe("a tool", () => {
  test("is called once and gives one result", () => {
    const ledger = open();
    expect(ledger.admit(call("c"))).toEqual([call("c")]);
    expect(ledger.admit(call("c"))).toEqual([]);
    expect(ledger.admit(result("c"))).toEqual([result("c")]);
    expect(ledger.admit(result("c"))).toEqual([]);
  });

  test("that gives a result without having been called is said to have been", () => {
    expect(open().admit(result("c"))).toMatchObject([
      { type: "tool_call", callId: "c", name: "unknown" },
      result("c"),
    ]);
  });

  test("that never gives one is said to have been interrupted", () => {
    const ledger = open();
    ledger.admit(call("c"));
    expect(ledger.close()).toEqual([
      { type: "tool_result", callId: "c", output: "interrupted", isError: true },
    ]);
  });
});

test("a secret is taken out of whatever is told, also when it comes in pieces", () => {
  const ledger = open(["sk-secret"]);
  const told = [
    ...ledger.admit(delta("m", "the key is sk-")),
    ...ledger.admit(delta("m", "sec")),
    ...ledger.admit(delta("m", "ret, and sk-no")),
    ...ledger.admit(message("m", "the key is sk-secret, and sk-no")),
    ...ledger.admit({ ...result("c"), output: "KEY=sk-secret" }),
  ];
  expect(JSON.stringify(told)).not.toContain("secret");
  expect(sumOf(told, "m")).toBe("the key is [redacted], and sk-no");
});

test("whatever a runtime says, its turn keeps its promises", () => {
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

describe("a stream that another process began", () => {
  const secret = "sk-secret-0123456789";
  const known = createRedactor([secret]);
  const sealed = createRedactor([], sealSecrets([secret]));

  test.each([
    ["the same secrets", known],
    ["sealed secrets", sealed],
  ])("is continued with %s, with nothing lost, doubled or revealed", (_, later) => {
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

  test("is continued after the text in the log if its output is not fed again", () => {
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
