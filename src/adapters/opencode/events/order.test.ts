import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import type { EventDraft } from "../../../contracts/event-draft.ts";
import { createMapper } from "./events.ts";
import { SessionMapper } from "./session-mapper.ts";

const message = (id: string, role: string) => ({
  type: "message.updated",
  properties: { info: { id, sessionID: "ses_1", role } },
});
const part = (id: string, more: object) => ({
  type: "message.part.updated",
  properties: { part: { id, sessionID: "ses_1", messageID: "msg_2", ...more } },
});
const text = (words: string, end?: number) =>
  part("prt_1", { type: "text", text: words, time: { start: 1, ...(end && { end }) } });
const piece = (delta: string) => ({
  type: "message.part.delta",
  properties: { sessionID: "ses_1", messageID: "msg_2", partID: "prt_1", field: "text", delta },
});
const tool = (status: string, id = "prt_2") =>
  part(id, { type: "tool", tool: "bash", callID: id, state: { status, input: { command: "ls" } } });
const begun = [message("msg_1", "user"), message("msg_2", "assistant"), text(""), piece("I look.")];

function received(events: readonly unknown[]): string[] {
  const mapper = new SessionMapper("ses_1");
  return events.flatMap((event) => mapper.map(event)).map(inShort);
}

function inShort(draft: EventDraft): string {
  if (draft.type === "delta" || draft.type === "message")
    return `${draft.type} ${draft.messageId} ${draft.text}`;
  return draft.type;
}

describe("text before a tool call", () => {
  test("is emitted as a message before the call, although its end event comes later", () => {
    const events = [tool("pending"), tool("running"), text("I look.", 2), tool("completed")];
    expect(received([...begun, ...events])).toEqual([
      "delta prt_1 I look.",
      "message prt_1 I look.",
      "tool_call",
      "tool_result",
    ]);
  });

  test("continues as another message after the call", () => {
    const rest = [piece(" And"), tool("running"), text("I look. And wait.\n", 2)];
    expect(received([...begun, tool("pending"), ...rest])).toEqual([
      "delta prt_1 I look.",
      "message prt_1 I look.",
      "delta prt_1'  And",
      "tool_call",
      "delta prt_1'  wait.\n",
      "message prt_1'  And wait.\n",
    ]);
  });

  test("is not emitted as a message before the call if deltas are missing", () => {
    const events = [{ type: "halyard.gap" }, tool("running"), text("I look. Around.", 2)];
    expect(received([...begun, ...events])).toEqual([
      "delta prt_1 I look.",
      "tool_call",
      "delta prt_1  Around.",
      "message prt_1 I look. Around.",
    ]);
  });

  test.each(["tools", "older-tools"])("comes before the call in the recording %s", (name) => {
    const file = new URL(`../fixtures/${name}.jsonl`, import.meta.url);
    const lines = readFileSync(file, "utf8").trim().split("\n");
    const mapper = createMapper();
    const types = lines
      .flatMap((line) => mapper.map(JSON.parse(line)))
      .map(({ type }) => type)
      .filter((type) => type === "message" || type === "tool_call");
    expect(types.slice(0, 3)).toEqual(["message", "tool_call", "tool_call"]);
    expect(types.filter((type) => type === "message")).toHaveLength(2);
  });
});
