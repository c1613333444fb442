import { describe, expect, test } from "vitest";
import { type ModelMessage, type ModelReply, type ModelRequest, Script } from "./script.ts";

/** Parses messages such as `user: hello`. */
function request(...lines: string[]): ModelRequest {
  const messages = lines.map((line): ModelMessage => {
    const [role = "", text = ""] = line.split(": ");
    if (role === "user" || role === "assistant" || role === "tool") return { role, text };
    return { role: "system", text };
  });
  return { model: "scripted", messages, tools: [] };
}

const [hello, call, done, other]: ModelReply[] = ["Hello.", "Call.", "Done.", "Other."].map(
  (text) => ({ text }),
);
if (!(hello && call && done && other)) throw new Error("Expected four replies.");

function scriptOf(...turns: Parameters<Script["add"]>[0][]): Script {
  const script = new Script();
  for (const turn of turns) script.add(turn);
  return script;
}

describe("script", () => {
  test("answers the latest matching message, and each round of tool results", () => {
    const script = scriptOf(
      { when: "greet", replies: [hello] },
      { when: /^work/, replies: [call, done] },
    );
    const history = ["system: be nice", "user: greet me", "assistant: Hello.", "user: work"];
    expect(script.find(request(...history))).toBe(call);
    const round = ["assistant: Call.", "tool: a", "tool: b"];
    expect(script.find(request(...history, ...round))).toBe(done);
    expect(script.find(request(...history, ...round, ...round))).toBe(done);
  });

  test("does not count tool results that arrive with the message", () => {
    const script = scriptOf({ when: "work", replies: [call, done] });
    expect(script.find(request("assistant: x", "user: work", "tool: from before"))).toBe(call);
  });

  test("prefers the last added turn, and a specific turn to a general one", () => {
    const script = scriptOf({ replies: [other] }, { when: "hi", replies: [hello] });
    expect(script.find(request("user: hi"))).toBe(hello);
    expect(script.find(request("user: what?"))).toBe(other);
    script.add({ when: "hi", replies: [done] });
    expect(script.find(request("user: hi"))).toBe(done);
    expect(scriptOf().find(request("user: hi"))).toBeUndefined();
  });

  test("matches the whole request with a predicate", () => {
    const script = scriptOf({ when: ({ tools }) => tools.length === 0, replies: [other] });
    expect(script.find(request("user: title, please"))).toBe(other);
    expect(script.find({ ...request("user: x"), tools: ["bash"] })).toBeUndefined();
  });

  test("returns the next reply for each repeated attempt", () => {
    const script = scriptOf({ when: "try", replies: [[call, done]] });
    const attempt = request("user: try");
    expect(script.find(attempt)).toBe(call);
    script.served(attempt);
    expect(script.find(attempt)).toBe(done);
    script.served(attempt);
    expect(script.find(attempt)).toBe(done);
  });
});
