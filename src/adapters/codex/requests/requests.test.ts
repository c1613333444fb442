import { expect, test } from "vitest";
import { OpenRequests } from "./open-requests.ts";
import { answerOf, resultFor } from "./request-answers.ts";
import { requestDrafts } from "./request-drafts.ts";
import { ServerRequest } from "./server-requests.ts";

const ofItem = { threadId: "t", turnId: "u", itemId: "i" };
const read = (method: string, params: object) => ServerRequest.parse({ method, id: 7, params });
const command = read("item/commandExecution/requestApproval", {
  ...ofItem,
  command: "ls",
  cwd: "/workspace",
});

function result(request: ServerRequest, answer: Parameters<typeof resultFor>[1]): unknown {
  if (request.method === "item/tool/requestUserInput") throw new Error("answered one by one");
  return resultFor(request, answer);
}

test.each([
  [{ decision: "allow" }, "accept"],
  [{ decision: "deny" }, "decline"],
  [{ decision: "deny", optionId: "cancel" }, "cancel"],
] as const)("maps the answer %j to the decision %s", (answer, decision) => {
  expect(result(command, answer)).toEqual({ decision });
});

test("grants the requested permissions for the turn if allowed, and none if denied", () => {
  const permissions = { network: { enabled: true } };
  const request = read("item/permissions/requestApproval", { ...ofItem, permissions });
  expect(requestDrafts(request, [])).toMatchObject([
    { kind: "permission", tool: { name: "request_permissions", input: permissions } },
  ]);
  expect(result(request, { decision: "allow" })).toEqual({ permissions, scope: "turn" });
  expect(result(request, { decision: "deny" })).toEqual({ permissions: {}, scope: "turn" });
});

test("maps an MCP server's elicitation to a question, and the answer to the fields of its form", () => {
  const elicit = (properties: object) =>
    read("mcpServer/elicitation/request", {
      threadId: "t",
      turnId: null,
      serverName: "calc",
      mode: "form",
      message: "Which base?",
      requestedSchema: { type: "object", properties },
    });
  expect(requestDrafts(elicit({ base: {} }), [])).toMatchObject([
    { nativeId: "7", kind: "question", text: "calc: Which base?" },
  ]);
  const accepted = (content: object) => ({ action: "accept", content, _meta: null });
  const allow = { decision: "allow" } as const;
  expect(result(elicit({ base: {} }), { ...allow, text: "8" })).toEqual(accepted({ base: "8" }));
  expect(result(elicit({ a: {}, b: {} }), { ...allow, text: '{"a":1}' })).toEqual(
    accepted({ a: 1 }),
  );
  expect(result(elicit({ a: {}, b: {} }), { ...allow, text: "what?" })).toEqual(accepted({}));
  expect(result(elicit({}), { decision: "deny" })).toMatchObject({ action: "decline" });
});

test("answers a question with an option, a text, or the reason for a denial", () => {
  expect(answerOf({ decision: "allow", optionId: "Red" })).toEqual({ answers: ["Red"] });
  expect(answerOf({ decision: "allow", text: "red" })).toEqual({ answers: ["red"] });
  expect(answerOf({ decision: "deny", text: "nobody is there" })).toEqual({
    answers: ["not answered: nobody is there"],
  });
});

test("answers a request with several questions when all of them are answered", async () => {
  const questions = ["a", "b"].map((id) => ({ id, question: `${id}?` }));
  const request = read("item/tool/requestUserInput", { ...ofItem, questions });
  const open = new OpenRequests();
  const answered = open.open(request);
  open.answer("7/b", { decision: "allow", text: "B" });
  open.answer("7/a", { decision: "allow", text: "A" });
  expect(await answered).toEqual({ answers: { a: { answers: ["A"] }, b: { answers: ["B"] } } });
});

test("finds no request that Codex no longer waits for, and throws for an unknown id", () => {
  const open = new OpenRequests();
  void open.open(command);
  open.forget("7");
  expect(open.find("7")).toBeUndefined();
  expect(() => open.find("8")).toThrow(expect.objectContaining({ code: "request_not_found" }));
});
