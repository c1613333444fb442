import { randomUUID } from "node:crypto";
import type { ChatCompletionRequest, Fixture, FixtureResponse } from "@copilotkit/aimock";
import { HalyardError } from "../core/error.ts";
import type { ModelApi } from "../schema/model.ts";
import { keepMidTurnWords } from "./mid-turn-words.ts";
import {
  type ModelMessage,
  type ModelReply,
  type ModelRequest,
  Script,
  type ScriptedTurn,
  type Step,
  type When,
} from "./script.ts";

/** A model on loopback that says what it was told to say, over each of the three wire protocols. */
export interface ScriptedModel extends AsyncDisposable {
  /** What a runtime takes as the base URL for that protocol. */
  baseUrl(api: ModelApi): string;
  /** The whole endpoint. Its key opens nothing else, and without it nothing is answered. */
  endpoint(api: ModelApi): ScriptedEndpoint;
  /** What was asked so far. */
  readonly requests: readonly ModelRequest[];
  /** Answers a message: one reply to it, and one to each round of tool results that follows. */
  on(when: When, ...replies: Step[]): void;
  /** Answers nothing any more of what it was told so far: words of one test are often part of what another says. */
  forget(): void;
  /** Ends it, whoever is still connected. Idempotent. */
  close(): Promise<void>;
}

/** A scripted model as the `model` of a session. */
export interface ScriptedEndpoint {
  readonly id: string;
  readonly baseUrl: string;
  readonly api: ModelApi;
  readonly apiKey: string;
}

/** A request as it came over the wire. */
export interface ScriptedModelOptions {
  /** What to import it from, where the package is not beside us. */
  readonly aimock?: string | undefined;
}

/**
 * Starts a scripted model on a free port of 127.0.0.1. Rejects with `unsupported` if the optional package
 * `@copilotkit/aimock` is not installed.
 */
export async function startScriptedModel(
  turns: readonly ScriptedTurn[] = [],
  { aimock = "@copilotkit/aimock" }: ScriptedModelOptions = {},
): Promise<ScriptedModel> {
  const { createServer } = await load(aimock);
  const script = new Script();
  const requests: ModelRequest[] = [];
  const fixtures = [recordOnly(requests)];
  const apiKey = `sk-scripted-${randomUUID()}`;
  const { server, url } = await createServer(fixtures, {
    host: "127.0.0.1",
    port: 0,
    auth: { apiKeys: [apiKey] },
  });
  keepMidTurnWords(server);
  // Otherwise a slow stream would go on for nobody, and keep the process alive.
  server.on("request", (_, response) => response.once("close", () => response.end()));

  const add = (turn: ScriptedTurn): void => {
    script.add(turn);
    for (const reply of new Set(turn.replies.flat())) fixtures.push(toFixture(script, reply));
  };
  for (const turn of turns) add(turn);

  let closing: Promise<void> | undefined;
  const close = (): Promise<void> => {
    closing ??= new Promise((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
    return closing;
  };

  const baseUrl = (api: ModelApi): string => (api === "anthropic" ? url : `${url}/v1`);
  return {
    baseUrl,
    endpoint: (api) => ({ id: "scripted", baseUrl: baseUrl(api), api, apiKey }),
    requests,
    on: (when, ...replies) => add({ when, replies }),
    forget() {
      script.clear();
      fixtures.length = 1; // the one that records
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}

async function load(aimock: string): Promise<typeof import("@copilotkit/aimock")> {
  try {
    return await import(aimock);
  } catch (cause) {
    const isMissing =
      cause instanceof Error && "code" in cause && cause.code === "ERR_MODULE_NOT_FOUND";
    if (!isMissing || !cause.message.includes(aimock)) throw cause;
    throw new HalyardError(
      "unsupported",
      `startScriptedModel needs the package ${aimock}. Run "npm install --save-dev ${aimock}".`,
      { cause },
    );
  }
}

/** Sees every request before it is answered, and answers none. */
function recordOnly(requests: ModelRequest[]): Fixture {
  const predicate = (request: ChatCompletionRequest) => {
    requests.push(toRequest(request));
    return false;
  };
  return { match: { predicate }, response: { content: "" } };
}

function toFixture(script: Script, reply: ModelReply): Fixture {
  const fixture: Fixture = {
    match: { predicate: (request) => script.find(toRequest(request)) === reply },
    response: (request) => {
      script.served(toRequest(request));
      return toResponse(reply);
    },
  };
  if ("error" in reply) return fixture;
  return {
    ...fixture,
    ...(reply.chunkDelayMs !== undefined && { latency: reply.chunkDelayMs }),
    ...(reply.chunkSize !== undefined && { chunkSize: reply.chunkSize }),
    ...(reply.cutAfterChunks !== undefined && { truncateAfterChunks: reply.cutAfterChunks }),
  };
}

function toResponse(reply: ModelReply): FixtureResponse {
  if ("error" in reply) {
    const { status, message } = reply.error;
    return { status, error: { message, type: errorTypes[status] ?? "server_error" } };
  }
  const { text = "", reasoning, toolCalls = [], usage, stopReason } = reply;
  const overrides = {
    ...(reasoning !== undefined && { reasoning }),
    ...(usage && { usage: toUsage(usage) }),
    ...(stopReason === "max_tokens" && { finishReason: "length" }),
  };
  if (toolCalls.length === 0) return { content: text, ...overrides };
  const calls = toolCalls.map(({ name, input, id }) => ({
    name,
    arguments: JSON.stringify(input),
    ...(id !== undefined && { id }),
  }));
  return text === ""
    ? { toolCalls: calls, ...overrides }
    : { content: text, toolCalls: calls, ...overrides };
}

const errorTypes: Readonly<Record<number, string>> = {
  400: "invalid_request_error",
  401: "authentication_error",
  429: "rate_limit_error",
};

/** Under the names of each protocol: it takes its own. */
function toUsage({ inputTokens, outputTokens }: { inputTokens: number; outputTokens: number }) {
  return {
    prompt_tokens: inputTokens,
    completion_tokens: outputTokens,
    input_tokens: inputTokens,
    output_tokens: outputTokens,
  };
}

function toRequest({ model, messages, tools = [] }: ChatCompletionRequest): ModelRequest {
  return {
    model,
    messages: messages.map(({ role, content }) => ({ role, text: textOf(content) })),
    tools: tools.map(({ function: { name } }) => name),
  };
}

function textOf(
  content: ChatCompletionRequest["messages"][number]["content"],
): ModelMessage["text"] {
  if (!Array.isArray(content)) return content ?? "";
  return content.map(({ text }) => text ?? "").join("");
}
