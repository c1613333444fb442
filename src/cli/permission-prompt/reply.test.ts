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
const several = RequestEvent.parse({
  ...permission,
  options: [...permission.options, { id: "session", label: "For this session", decision: "allow" }],
});
const question = RequestEvent.parse({
  ...permission,
  kind: "question",
  tool: undefined,
  options: [{ id: "red", label: "Red", decision: "allow" }],
});

const budget = RequestEvent.parse({
  ...permission,
  kind: "budget",
  tool: undefined,
  options: [
    { id: "extend", label: "Extend by $5.00", decision: "allow" },
    { id: "unlimited", label: "Continue without this limit", decision: "allow" },
    { id: "stop", label: "End the turn", decision: "deny" },
  ],
});

const allowed = { decision: "allow", optionId: "once" };
const denied = (text?: string) => ({
  decision: "deny",
  optionId: "no",
  ...(text !== undefined && { text }),
});

test.each([
  [" Y ", { kind: "answer", answer: allowed }],
  ["yes.", { kind: "answer", answer: allowed }],
  ["e", { kind: "explain" }],
])("parses %j as the reply to a permission request", (line, reply) => {
  expect(parseReply(line, permission)).toEqual(reply);
});

test.each([
  ["y", { kind: "answer", answer: { decision: "allow", optionId: "extend" } }],
  ["2", { kind: "answer", answer: { decision: "allow", optionId: "unlimited" } }],
  ["n", { kind: "answer", answer: { decision: "deny", optionId: "stop" } }],
  ["stop", { kind: "answer", answer: { decision: "deny", optionId: "stop" } }],
  [
    "no, enough",
    { kind: "answer", answer: { decision: "deny", optionId: "stop", text: "enough" } },
  ],
  ["e", { kind: "explain" }],
  ["maybe", undefined],
])("parses %j as the reply to a budget request", (line, reply) => {
  expect(parseReply(line, budget)).toEqual(reply);
});

test("`always` chooses the option that creates a rule, but `yes` does not", () => {
  const rule = {
    tool: "bash",
    kind: "execute",
    program: "git",
    text: 'any "git" command with bash',
  } as const;
  const options = [{ id: "always", label: "Always", decision: "allow", rule } as const];
  const lasting = { ...permission, options: [...permission.options, ...options] };
  for (const line of ["a", "always"])
    expect(parseReply(line, lasting)).toEqual({
      kind: "answer",
      answer: { decision: "allow", optionId: "always" },
    });
  expect(parseReply("yes", lasting)).toEqual({ kind: "answer", answer: allowed });
  expect(parseReply("yes", { ...permission, options })).toEqual({
    kind: "answer",
    answer: { decision: "allow" },
  });
  expect(parseReply("always", permission)).toBeUndefined();
});

test.each([
  ["no", undefined],
  ["N", undefined],
  ["no!", undefined],
  ["nope", undefined],
  ["deny", undefined],
  ["n use the other file", "use the other file"],
  ["no, use /tmp instead", "use /tmp instead"],
  ["No. Use pnpm", "Use pnpm"],
  ["n: wrong\nbranch", "wrong\nbranch"],
  ["NO—never there", "never there"],
  ["no yes", "yes"],
  ["nope, wrong directory", "nope, wrong directory"],
  ["not in this repository", "not in this repository"],
  ["don't touch that", "don't touch that"],
  ["stop, ask me first", "stop, ask me first"],
])("%j denies, with the reason %j", (line, reason) => {
  expect(parseReply(line, permission)).toEqual({
    kind: "answer",
    answer: denied(reason),
  });
});

test.each([
  "",
  "perhaps",
  "now",
  "yes, but not in /etc",
  "yes no",
  "y n",
  "yesterday",
  "always ask me",
  "ay",
  "1",
  "2",
  "3",
])("%j is unclear and allows nothing", (line) => {
  expect(parseReply(line, permission)).toBeUndefined();
});

test("chooses an option by number or label if the runtime offers options other than yes and no", () => {
  const answer = { decision: "allow", optionId: "session" };
  for (const line of ["3", "For this session"])
    expect(parseReply(line, several)).toEqual({ kind: "answer", answer });
  expect(parseReply("4", several)).toBeUndefined();
});

test.each([
  ["1", { decision: "allow", optionId: "red" }],
  ["Red", { decision: "allow", optionId: "red" }],
  ["no", { decision: "allow", text: "no" }],
  [" blue, rather ", { decision: "allow", text: "blue, rather" }],
])("%j answers a question with %j", (line, answer) => {
  expect(parseReply(line, question)).toEqual({ kind: "answer", answer });
});

test("does not accept an empty line as the answer to a question", () => {
  expect(parseReply("", question)).toBeUndefined();
});

test("a reply word keeps its meaning if it is also an option's label", () => {
  const hostile = (label: string) =>
    RequestEvent.parse({
      ...several,
      options: [...several.options, { id: label, label, decision: "allow" }],
    });
  for (const word of ["n", "no", "No!", "deny", "don't"])
    expect(parseReply(word, hostile(word))).toEqual({ kind: "answer", answer: denied() });
  for (const word of ["y", "Yes"])
    expect(parseReply(word, hostile(word))).toEqual({ kind: "answer", answer: allowed });
  for (const word of ["e", "explain"])
    expect(parseReply(word, hostile(word))).toEqual({ kind: "explain" });
  expect(parseReply("always", hostile("always"))).toBeUndefined();
  expect(parseReply("no, use /tmp instead", hostile("no, use /tmp instead"))).toEqual({
    kind: "answer",
    answer: denied("use /tmp instead"),
  });
});
