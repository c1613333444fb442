import { describe, expect, test } from "vitest";
import { answerInPlan } from "../events/plan.ts";
import { ServerRequest } from "../messages.ts";
import { denialOf, toResult } from "./answers.ts";

function permission(name = "Create", options = ["proceed_once", "proceed_always", "cancel"]) {
  return ServerRequest.parse({
    type: "request",
    method: "droid.request_permission",
    id: "r",
    params: {
      toolUses: [{ toolUse: { id: "c", name, input: {} } }],
      options: options.map((value) => ({ value })),
    },
  });
}

function questions(...asked: string[]) {
  return ServerRequest.parse({
    type: "request",
    method: "droid.ask_user",
    id: "q",
    params: { questions: asked.map((question, at) => ({ index: at + 1, question })) },
  });
}

describe("permission request", () => {
  test.each([
    [{ decision: "allow" }, "proceed_once"],
    [{ decision: "allow", optionId: "never offered" }, "proceed_once"],
    [{ decision: "deny", text: "no" }, "cancel"],
  ] as const)("maps %j to %s", (answer, selectedOption) => {
    expect(toResult(permission(), answer)).toEqual({ selectedOption });
  });

  test("sends a denial to the model, except for Droid's cancel option", () => {
    expect(denialOf(permission(), { decision: "deny", text: "not today" })).toBe(
      "Permission to use Create was denied: not today",
    );
    expect(denialOf(permission(), { decision: "deny", optionId: "cancel" })).toBeUndefined();
    expect(denialOf(permission(), { decision: "allow" })).toBeUndefined();
  });
});

describe("question", () => {
  test("is answered with a text or an option", () => {
    expect(toResult(questions("Which?"), { decision: "allow", text: "this one\nor that" })).toEqual(
      {
        cancelled: false,
        answers: [{ index: 1, question: "Which?", answer: "this one\nor that" }],
      },
    );
    expect(toResult(questions("Which?"), { decision: "allow", optionId: "Red" })).toMatchObject({
      answers: [{ answer: "Red" }],
    });
  });

  test("receives its own line if the answer has one line per question, and otherwise the whole answer", () => {
    const both = questions("Color?", "Size?");
    const answersTo = (text: string) => toResult(both, { decision: "allow", text }).answers;
    expect(answersTo("red\nlarge")).toMatchObject([{ answer: "red" }, { answer: "large" }]);
    expect(answersTo("as you like")).toMatchObject([
      { answer: "as you like" },
      { answer: "as you like" },
    ]);
  });

  test("is cancelled by a denial", () => {
    expect(toResult(questions("Which?"), { decision: "deny" })).toEqual({
      cancelled: true,
      answers: [],
    });
  });
});

test("denies every permission in a planning session, and ends the turn with the plan", () => {
  expect(answerInPlan(permission("ExitSpecMode"))).toEqual({
    decision: "deny",
    optionId: "cancel",
  });
  expect(answerInPlan(permission("Execute"))).toMatchObject({ text: expect.any(String) });
});
