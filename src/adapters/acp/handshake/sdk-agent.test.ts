import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { openSmallAgent } from "../../../../test/acp/open-small-agent.ts";
import type { ConnectRequest } from "../../../contracts/adapter.ts";
import type { Answer } from "../../../schema/permission.ts";
import {
  assistantTexts,
  type Conversation,
  ofType,
} from "../../../testing/adapter-suite/conversation.ts";

const program = fileURLToPath(new URL("../../../../test/acp/sdk-agent/main.mjs", import.meta.url));

/** Opens a session with an agent that uses the official SDK and has the given capabilities. */
function open(
  capabilities: readonly string[],
  request: Partial<ConnectRequest> = {},
): Promise<Conversation> {
  const command = [process.execPath, program, ...capabilities];
  const options = { command, greetingMs: 60_000, ...request.options };
  return openSmallAgent({ bare: true, request: { ...request, options } });
}

/** Sends a prompt and returns the JSON value of the answer. */
async function ask(conversation: Conversation, text: string): Promise<unknown> {
  const { drafts } = await conversation.turn(text);
  return JSON.parse(assistantTexts(drafts).join(""));
}

const fork = { runtimeSessionId: "the-original", stateDir: "/nowhere" };
const endpoint = {
  id: "heron-1",
  baseUrl: "http://127.0.0.1:9",
  api: "anthropic",
  apiKey: "sk-heron",
} as const;

describe("an agent on the official SDK", () => {
  test("forks a session if it supports forks", async () => {
    const conversation = await open(["fork"], { fork });
    const { runtimeSessionId } = await conversation.connection.ready();
    expect(runtimeSessionId).not.toBe("the-original");
    expect(await ask(conversation, "what?")).toMatchObject({ fork: { sessionId: "the-original" } });
  });

  test("receives the session's endpoint and model", async () => {
    const conversation = await open(["providers"], { model: endpoint });
    await conversation.connection.ready();
    expect(await ask(conversation, "what?")).toMatchObject({
      provider: {
        providerId: "main",
        apiType: "anthropic",
        baseUrl: endpoint.baseUrl,
        headers: { Authorization: "Bearer sk-heron", "x-api-key": "sk-heron" },
      },
      model: "heron-1",
    });
  });

  test("receives the additional directories", async () => {
    const additionalDirectories = ["/one", "/two"];
    const conversation = await open(["directories"], { options: { additionalDirectories } });
    await conversation.connection.ready();
    expect(await ask(conversation, "what?")).toMatchObject({ new: { additionalDirectories } });
  });

  test.each<[string, readonly string[], Partial<ConnectRequest>, RegExp]>([
    ["a fork", [], { fork }, /cannot fork sessions over ACP/],
    ["an endpoint", [], { model: endpoint }, /does not support model endpoints over ACP/],
    [
      "an endpoint's API",
      ["providers"],
      { model: { ...endpoint, api: "openai-chat" } },
      /does not support endpoints with the API openai-chat/,
    ],
    [
      "additional directories",
      [],
      { options: { additionalDirectories: ["/one"] } },
      /supports one directory per session/,
    ],
  ])("rejects %s if the agent lacks the capability", async (_, capabilities, request, message) => {
    const conversation = await open(capabilities, request);
    await expect(conversation.connection.ready()).rejects.toMatchObject({
      code: "unsupported",
      message: expect.stringMatching(message),
    });
  });
});

const bird = {
  type: "string",
  oneOf: [
    { const: "heron", title: "Heron", description: "gray" },
    { const: "gull", title: "Gull" },
  ],
};
const both = { properties: { bird, sure: { type: "boolean" }, count: { type: "integer" } } };

test.each<[string, object, Answer, unknown]>([
  [
    "a choice",
    { properties: { bird } },
    { decision: "allow", optionId: "gull" },
    { action: "accept", content: { bird: "gull" } },
  ],
  [
    "a choice's title",
    { properties: { bird } },
    { decision: "allow", text: "Heron" },
    { action: "accept", content: { bird: "heron" } },
  ],
  [
    "another answer, if the form has a field for it",
    { properties: { bird, other: { type: "string" } } },
    { decision: "allow", text: "a crane" },
    { action: "accept", content: { other: "a crane" } },
  ],
  [
    "one line per question",
    both,
    { decision: "allow", text: "heron\nyes\n12" },
    { action: "accept", content: { bird: "heron", sure: true, count: 12 } },
  ],
  [
    "several values",
    { properties: { birds: { type: "array", items: { enum: ["heron", "gull", "tern"] } } } },
    { decision: "allow", text: "heron, tern" },
    { action: "accept", content: { birds: ["heron", "tern"] } },
  ],
  ["an acceptance", {}, { decision: "allow" }, { action: "accept", content: {} }],
  ["a denial", both, { decision: "deny" }, { action: "decline" }],
])("answers the agent's form with %s", async (_, form, answer, result) => {
  const conversation = await open([]);
  conversation.answer = () => answer;
  await conversation.connection.ready();
  expect(await ask(conversation, JSON.stringify(form))).toEqual(result);
});

test("shows a form as a question, and the choices of a single field as options", async () => {
  const conversation = await open([]);
  conversation.answer = () => ({ decision: "deny" });
  await conversation.connection.ready();
  await conversation.turn(JSON.stringify({ properties: { bird } }));
  await conversation.turn(JSON.stringify(both));
  expect(ofType(conversation.drafts, "request")).toMatchObject([
    {
      kind: "question",
      text: "Which one?",
      options: [
        { id: "heron", label: "Heron: gray", decision: "allow" },
        { id: "gull", label: "Gull", decision: "allow" },
      ],
    },
    {
      kind: "question",
      text: "Which one?\n- bird (Heron / Gull)\n- sure (Yes / No)\n- count",
      options: [],
    },
  ]);
});

test("cancels an open form when the turn is cancelled", async () => {
  const conversation = await open([]);
  conversation.answer = () => undefined;
  await conversation.connection.ready();
  await conversation.send(JSON.stringify(both));
  await conversation.until("request");
  await conversation.connection.cancel();
  const { drafts } = await conversation.finishedTurn();
  expect(assistantTexts(drafts)).toEqual([JSON.stringify({ action: "cancel" })]);
});
