import { expect, test } from "vitest";
import { type NativeRequest, toReply, toRequest, violatesPlanMode } from "./requests.ts";

const bash: NativeRequest = { nativeId: "r", callId: "c", name: "Bash", input: { command: "ls" } };

const color = {
  question: "Which color?",
  options: [{ label: "Red", description: "like a rose" }, { label: "Blue" }],
};
const sizes = { question: "Which sizes?", options: [{ label: "S" }], multiSelect: true };
const asking = (...questions: unknown[]): NativeRequest => ({
  nativeId: "r",
  callId: "c",
  name: "AskUserQuestion",
  input: { questions },
});
const answersTo = (ask: NativeRequest, answer: { optionId?: string; text?: string }) =>
  toReply(ask, { decision: "allow", ...answer }).updatedInput;

test("shows the complete input of a tool that requests permission", () => {
  expect(toRequest(bash, { plan: undefined })).toMatchObject({
    kind: "permission",
    nativeId: "r",
    callId: "c",
    tool: { name: "Bash", kind: "execute", input: { command: "ls" } },
  });
});

test("replies with the unchanged input if allowed, and with the reason if denied", () => {
  expect(toReply(bash, { decision: "allow" })).toEqual({
    behavior: "allow",
    updatedInput: { command: "ls" },
  });
  expect(toReply(bash, { decision: "deny", text: "not today" })).toEqual({
    behavior: "deny",
    message: "not today",
  });
});

test("offers the options of a single question and accepts an option or free text", () => {
  const ask = asking(color);
  const request = toRequest(ask, { plan: undefined });
  expect(request).toMatchObject({ kind: "question", options: [{ id: "Red" }, { id: "Blue" }] });
  expect(request.text).toBe("Which color?\n- Red: like a rose\n- Blue");
  expect(answersTo(ask, { optionId: "Blue" })).toMatchObject({
    answers: { "Which color?": "Blue" },
  });
  expect(answersTo(ask, { text: "Pink." })).toMatchObject({ answers: { "Which color?": "Pink." } });
});

test("combines several questions into one request and reads one answer per line", () => {
  const ask = asking(color, sizes);
  const { text, options } = toRequest(ask, { plan: undefined });
  expect(text).toContain("Which sizes? (one or several)");
  expect(options).toEqual([]);
  expect(answersTo(ask, { text: "Blue\n\nS, M" })).toMatchObject({
    answers: { "Which color?": "Blue", "Which sizes?": "S, M" },
  });
});

test("allows reading and questions in plan mode, but no edits or commands", () => {
  const names = ["Write", "Bash", "Read", "WebFetch", "AskUserQuestion", "ExitPlanMode"];
  const refused = names.filter((name) => violatesPlanMode({ ...bash, name }, "plan"));
  expect(refused).toEqual(["Write", "Bash"]);
  expect(names.filter((name) => violatesPlanMode({ ...bash, name }, "default"))).toEqual([]);
});
