import { stat } from "node:fs/promises";
import { resolve } from "node:path";
import { isDeepStrictEqual } from "node:util";
import type { Adapter } from "../contracts/adapter.ts";
import type { AskedRequest, SessionRequest } from "../contracts/session-request.ts";
import { HalyardError } from "../errors/error.ts";
import { parseInput } from "../errors/parse-input.ts";
import type { SessionId } from "../schema/id.ts";
import type { RuntimeName } from "../schema/runtime.ts";
import { Limits, StartRequest } from "../schema/session/start-request.ts";
import type { SessionInfo } from "../schema/session.ts";
import { noUsage } from "../schema/usage/usage.ts";

/**
 * Validates the request for a new session and makes its paths absolute. Rejects with `invalid_input` if the request is
 * not valid, or if the working directory does not exist or is not a directory.
 */
export async function readRequest(input: StartRequest): Promise<AskedRequest> {
  const { model, ...request } = parseInput(StartRequest, input);
  const cwd = resolve(request.cwd);
  const accountDir = request.accountDir && resolve(request.accountDir);
  await requireDirectory(cwd);
  const endpoint = typeof model === "string" ? { id: model } : model;
  return {
    ...request,
    cwd,
    ...(accountDir && { accountDir }),
    ...(endpoint && { model: endpoint }),
  };
}

/**
 * Throws `unsupported` if the runtime cannot fulfill the request: it lacks a capability or does not support `accountDir`,
 * or `continuedFrom` is set for a container. Throws `invalid_input` if `continuedFrom` is combined with `forkedFrom` or
 * `handedOffFrom`.
 */
export function requireCapabilities(adapter: Adapter, request: AskedRequest): void {
  const { name, capabilities, accountVariable } = adapter;
  if (request.plan && !capabilities.includes("plan")) {
    throw new HalyardError(
      "unsupported",
      `${name} has no plan mode. Remove the option "plan", or run "halyard runtime list" to find a runtime with the capability "plan".`,
    );
  }
  if (request.tools && !capabilities.includes("tool-lists")) {
    throw new HalyardError(
      "unsupported",
      `${name} cannot restrict its tools. Remove the option "tools", or run "halyard runtime list" to find a runtime with the capability "tool-lists".`,
    );
  }
  if (request.forkedFrom !== undefined && !capabilities.includes("fork")) {
    throw new HalyardError(
      "unsupported",
      `${name} cannot fork a conversation. Run "halyard handoff ${request.forkedFrom} --to RUNTIME" to continue the work in a new session.`,
    );
  }
  if (request.continuedFrom !== undefined) requireNativeSessions(adapter, request);
  const { mcpServers } = request.options;
  if (Object.keys(Object(mcpServers)).length > 0 && !capabilities.includes("mcp")) {
    throw new HalyardError(
      "unsupported",
      `${name} does not support MCP servers. Remove the option "mcpServers", or run "halyard runtime list" to find a runtime with the capability "mcp".`,
    );
  }
  if (request.accountDir !== undefined && accountVariable === undefined) {
    throw new HalyardError(
      "unsupported",
      `${name} does not support several accounts. Remove the option "accountDir".`,
    );
  }
  const { baseUrl, api, apiKey } = request.model ?? {};
  if ((baseUrl ?? api ?? apiKey) !== undefined && !capabilities.includes("endpoints")) {
    throw new HalyardError(
      "unsupported",
      `${name} does not support model endpoints. Remove baseUrl, api and apiKey, or run "halyard runtime list" to find a runtime with the capability "endpoints".`,
    );
  }
}

/** Throws if a session cannot continue a conversation that the user started without Halyard. */
function requireNativeSessions({ name, capabilities }: Adapter, request: AskedRequest): void {
  if ((request.forkedFrom ?? request.handedOffFrom) !== undefined)
    throw new HalyardError(
      "invalid_input",
      "continuedFrom: cannot be combined with forkedFrom or handedOffFrom. Remove one of them.",
    );
  if (request.host === "container")
    throw new HalyardError(
      "unsupported",
      `A container has no access to the records of ${name}, so the session cannot be continued there. Choose another host.`,
    );
  if (capabilities.includes("native-sessions")) return;
  throw new HalyardError(
    "unsupported",
    `${name} cannot continue a session that was started without Halyard${request.host === "tmux" ? " in tmux" : ""}. Run "halyard runtime list" to find a runtime with the capability "native-sessions".`,
  );
}

/** Facts about the origin of a session that are not in its request. */
export type Origin = Partial<
  Pick<SessionInfo, "parent" | "depth" | "fallback" | "worktree" | "checkout" | "options">
>;

/** Returns the initial state of a session. The state does not contain the API key of the request. */
export function newSessionInfo(
  id: SessionId,
  runtime: RuntimeName,
  request: SessionRequest,
  at: string,
  origin: Origin = {},
): SessionInfo {
  const { host, cwd, name, labels, permissions, plan, reasoning, project, limits } = request;
  const { accountDir, container, tools } = request;
  const { apiKey, ...model } = request.model ?? {};
  return {
    id,
    runtime,
    host,
    cwd,
    state: "starting",
    labels,
    depth: 0,
    permissions,
    plan,
    resumable: false,
    createdAt: at,
    updatedAt: at,
    lastSeq: 0,
    turns: 0,
    queue: [],
    usage: noUsage,
    openRequests: [],
    ...origin,
    ...(name !== undefined && { name }),
    ...(project !== undefined && { project }),
    ...(container && { container }),
    ...(accountDir !== undefined && { accountDir }),
    ...(tools && { tools }),
    ...(request.systemPrompt !== undefined && { systemPrompt: request.systemPrompt }),
    ...(request.forkedFrom !== undefined && { forkedFrom: request.forkedFrom }),
    ...(request.continuedFrom !== undefined && { continuedFrom: request.continuedFrom }),
    ...(reasoning !== undefined && { reasoning }),
    ...(request.model && { model }),
    ...(request.budget && { budget: request.budget }),
    ...(request.onLimit !== undefined &&
      request.onLimit !== "fail" && { onLimit: request.onLimit }),
    ...(request.trust === true && { trust: true }),
    ...(!request.attended && { attended: false }),
    ...(!request.checkpoints && { checkpoints: false }),
    ...(request.raw && { raw: true }),
    ...(request.record !== undefined && { record: request.record }),
    ...(!isDeepStrictEqual(limits, Limits.parse({})) && { limits }),
  };
}

/** Rejects with `invalid_input` if the working directory does not exist or is not a directory. */
export async function requireDirectory(cwd: string): Promise<void> {
  const found = await stat(cwd).catch(() => undefined);
  if (found === undefined) {
    throw new HalyardError(
      "invalid_input",
      `The working directory ${cwd} does not exist. Create it, or choose another directory.`,
    );
  }
  if (!found.isDirectory()) {
    throw new HalyardError(
      "invalid_input",
      `The working directory ${cwd} is not a directory. Choose a directory.`,
    );
  }
}
