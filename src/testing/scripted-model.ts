import { randomUUID } from "node:crypto";
import type { ChatCompletionRequest, Fixture, FixtureResponse } from "@copilotkit/aimock";
import { HalyardError } from "../errors/error.ts";
import type { ModelApi } from "../schema/model.ts";
import { ErrorResponses } from "./error-responses.ts";
import { imagesIn, type ReceivedImage } from "./received-images.ts";
import { schemaIn } from "./received-schema.ts";
import { type RejectedRequest, RejectedRequests } from "./rejected-requests.ts";
import {
  type ModelMessage,
  type ModelReply,
  type ModelRequest,
  Script,
  type ScriptedTurn,
  type Step,
  type When,
} from "./script.ts";
import { keepSteeredMessages } from "./steered-messages.ts";

/** A local model server with scripted replies for the three model APIs. */
export interface ScriptedModel extends AsyncDisposable {
  /** Returns the base URL for an API. */
  baseUrl(api: ModelApi): string;
  /** Returns the model endpoint for an API, with its key. Requests without the key are rejected. */
  endpoint(api: ModelApi): ScriptedEndpoint;
  /** The requests so far. */
  readonly requests: readonly ModelRequest[];
  /** The distinct images in all requests so far. */
  readonly images: readonly ReceivedImage[];
  /** The JSON Schemas that the requests so far require for the answer. */
  readonly schemas: readonly unknown[];
  /** Adds replies to a message: the first one for the message, the next ones for rounds of tool results. */
  on(when: When, ...replies: Step[]): void;
  /** Removes all replies, so that one test's script does not match another test's messages. */
  forget(): void;
  /**
   * Returns the requests since the last call that the model rejected with 401, because they did not contain its key. A
   * test that expects such requests calls this method before `close`.
   */
  takeRejected(): RejectedRequest[];
  /**
   * Closes the server and its connections. Idempotent. Rejects if the model has rejected a request with 401 that
   * `takeRejected` has not returned. A test fails in this way if a session sends a wrong key.
   */
  close(): Promise<void>;
}

/** A scripted model as a session's `model`. */
export interface ScriptedEndpoint {
  readonly id: string;
  readonly baseUrl: string;
  readonly api: ModelApi;
  readonly apiKey: string;
}

/** Options for a scripted model. */
export interface ScriptedModelOptions {
  /** The module from which the mock server is imported. Defaults to `@copilotkit/aimock`. */
  readonly aimock?: string | undefined;
}

/**
 * Starts a scripted model on a free port on 127.0.0.1. Rejects with `unsupported` if the optional package
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
  const images: ReceivedImage[] = [];
  const schemas: unknown[] = [];
  const errors = new ErrorResponses(server);
  keepSteeredMessages(server, (json) => {
    images.push(...newImages(json, images));
    const schema = json.includes("schema") ? schemaIn(JSON.parse(json)) : undefined;
    if (schema !== undefined) schemas.push(schema);
  });
  const rejected = new RejectedRequests(server, apiKey);
  // Otherwise, a slow stream would continue without a reader and keep the process alive.
  server.on("request", (_, response) => response.once("close", () => response.end()));

  const add = (turn: ScriptedTurn): void => {
    script.add(turn);
    for (const reply of new Set(turn.replies.flat()))
      fixtures.push(toFixture(script, reply, errors));
  };
  for (const turn of turns) add(turn);

  let closing: Promise<void> | undefined;
  const close = (): Promise<void> => {
    closing ??= new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    }).then(() => rejected.throwIfAny());
    return closing;
  };

  const baseUrl = (api: ModelApi): string => (api === "anthropic" ? url : `${url}/v1`);
  return {
    baseUrl,
    endpoint: (api) => ({ id: "scripted", baseUrl: baseUrl(api), api, apiKey }),
    requests,
    images,
    schemas,
    takeRejected: () => rejected.take(),
    on: (when, ...replies) => add({ when, replies }),
    forget() {
      script.clear();
      fixtures.length = 1; // keeps only the fixture that records requests
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

/** Returns the images in a request that no earlier request had. A conversation repeats its images in every request. */
function newImages(json: string, known: readonly ReceivedImage[]): ReceivedImage[] {
  if (!json.includes("image")) return [];
  return imagesIn(JSON.parse(json)).filter(({ data }) => !known.some((one) => one.data === data));
}

/** Returns the fixture that records every request and answers none. */
function recordOnly(requests: ModelRequest[]): Fixture {
  const predicate = (request: ChatCompletionRequest) => {
    requests.push(toRequest(request));
    return false;
  };
  return { match: { predicate }, response: { content: "" } };
}

function toFixture(script: Script, reply: ModelReply, errors: ErrorResponses): Fixture {
  const fixture: Fixture = {
    match: { predicate: (request) => script.find(toRequest(request)) === reply },
    response: (request) => {
      script.served(toRequest(request));
      if ("error" in reply) errors.complete(reply.error);
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
  404: "not_found_error",
  429: "rate_limit_error",
};

/** Returns the usage with the field names of all APIs. Each API reads its own fields. */
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
