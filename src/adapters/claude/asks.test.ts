import { expect, test } from "vitest";
import { type Ask, breaksPlan, toReply, toRequest } from "./asks.ts";

const bash: Ask = { nativeId: "r", callId: "c", name: "Bash", input: { command: "ls" } };

const color = {
  question: "Which color?",
  options: [{ label: "Red", description: "like a rose" }, { label: "Blue" }],
};
const sizes = { question: "Which sizes?", options: [{ label: "S" }], multiSelect: true };
const asking = (...questions: unknown[]): Ask => ({
  nativeId: "r",
  callId: "c",
  name: "AskUserQuestion",
  input: { questions },
});
const answersTo = (ask: Ask, answer: { optionId?: string; text?: string }) =>
  toReply(ask, { decision: "allow", ...answer }).updatedInput;

test("a tool that wants permission is shown with its whole input", () => {
  expect(toRequest(bash, { plan: undefined })).toMatchObject({
    kind: "permission",
    nativeId: "r",
    callId: "c",
    tool: { name: "Bash", kind: "execute", input: { command: "ls" } },
  });
});

test("an allowed input goes back as it was, and a denial with its reason", () => {
  expect(toReply(bash, { decision: "allow" })).toEqual({
    behavior: "allow",
    updatedInput: { command: "ls" },
  });
  expect(toReply(bash, { decision: "deny", text: "not today" })).toEqual({
    behavior: "deny",
    message: "not today",
  });
});

test("one question offers its options, and takes one of them or other words", () => {
  const ask = asking(color);
  const request = toRequest(ask, { plan: undefined });
  expect(request).toMatchObject({ kind: "question", options: [{ id: "Red" }, { id: "Blue" }] });
  expect(request.text).toBe("Which color?\n- Red: like a rose\n- Blue");
  expect(answersTo(ask, { optionId: "Blue" })).toMatchObject({
    answers: { "Which color?": "Blue" },
  });
  expect(answersTo(ask, { text: "Pink." })).toMatchObject({ answers: { "Which color?": "Pink." } });
});

test("several questions are asked at once and answered line by line", () => {
  const ask = asking(color, sizes);
  const { text, options } = toRequest(ask, { plan: undefined });
  expect(text).toContain("Which sizes? (one or several)");
  expect(options).toEqual([]);
  expect(answersTo(ask, { text: "Blue\n\nS, M" })).toMatchObject({
    answers: { "Which color?": "Blue", "Which sizes?": "S, M" },
  });
});

test("while it is to plan, Claude may look around and ask, but not change anything", () => {
  const names = ["Write", "Bash", "Read", "WebFetch", "AskUserQuestion", "ExitPlanMode"];
  const refused = names.filter((name) => breaksPlan({ ...bash, name }, "plan"));
  expect(refused).toEqual(["Write", "Bash"]);
  expect(names.filter((name) => breaksPlan({ ...bash, name }, "default"))).toEqual([]);
});
