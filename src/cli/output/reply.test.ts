import { expect, test } from "vitest";
import { RequestEvent } from "../../schema/event.ts";
import { parseReply } from "./reply.ts";

const permission = RequestEvent.parse({
  type: "request",
  requestId: "req_0123456789abcdef",
  nativeId: "1",
  kind: "permission",
  text: "bash",
  tool: { name: "bash", kind: "execute", input: { command: "ls" } },
  options: [
    { id: "once", label: "Once", decision: "allow" },
    { id: "no", label: "No", decision: "deny" },
  ],
  verdict: "ask",
});
const question = RequestEvent.parse({
  ...permission,
  kind: "question",
  tool: undefined,
  options: [{ id: "red", label: "Red", decision: "allow" }],
});

test.each([
  [" Y ", { answer: { decision: "allow", optionId: "once" }, always: false }],
  ["always", { answer: { decision: "allow", optionId: "once" }, always: true }],
  ["no", { answer: { decision: "deny", optionId: "no" }, always: false }],
  [
    "n use the other file",
    { answer: { decision: "deny", optionId: "no", text: "use the other file" }, always: false },
  ],
  ["2", { answer: { decision: "deny", optionId: "no" }, always: false }],
  ["", undefined],
  ["3", undefined],
  ["perhaps", undefined],
])("%j to a permission", (line, reply) => {
  expect(parseReply(line, permission)).toEqual(reply);
});

test.each([
  ["1", { answer: { decision: "allow", optionId: "red" }, always: false }],
  ["no", { answer: { decision: "allow", text: "no" }, always: false }],
  [" blue, rather ", { answer: { decision: "allow", text: "blue, rather" }, always: false }],
  ["", undefined],
])("%j to a question", (line, reply) => {
  expect(parseReply(line, question)).toEqual(reply);
});
