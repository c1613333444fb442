import { stat } from "node:fs/promises";
import { resolve } from "node:path";
import { isDeepStrictEqual } from "node:util";
import type { z } from "zod";
import type { SessionId } from "../schema/id.ts";
import type { ModelEndpoint } from "../schema/model.ts";
import type { PermissionPolicy } from "../schema/permission.ts";
import type { HostName, RuntimeName } from "../schema/runtime.ts";
import type { SessionInfo } from "../schema/session.ts";
import { Limits, StartRequest } from "../schema/start-request.ts";
import type { Adapter } from "./adapter.ts";
import { HalyardError } from "./error.ts";
import { parseInput } from "./parse-input.ts";
import { noUsage } from "./usage.ts";

/** A request that is checked; where it runs is open yet where it does not say so. */
export type AskedRequest = Omit<z.output<typeof StartRequest>, "model"> & {
  readonly model?: ModelEndpoint;
};

/** A request with everything filled in that has a default. */
export type SessionRequest = AskedRequest & {
  readonly host: HostName;
  readonly permissions: PermissionPolicy;
};

/** Checks what a session is to be started with, down to the directory. */
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

/** Refuses what the runtime never claimed it could do. */
export function requireCapabilities(
  { name, capabilities, accountVariable }: Adapter,
  request: AskedRequest,
): void {
  if (request.plan && !capabilities.includes("plan")) {
    throw new HalyardError("unsupported", `${name} has no plan mode`);
  }
  if (request.tools && !capabilities.includes("tool-lists")) {
    throw new HalyardError("unsupported", `${name} cannot be told which tools it has`);
  }
  const { mcpServers } = request.options;
  if (Object.keys(Object(mcpServers)).length > 0 && !capabilities.includes("mcp")) {
    throw new HalyardError(
      "unsupported",
      `${name} takes no MCP servers: leave the option mcpServers out, or choose a runtime that can do mcp (\`halyard runtime list\`)`,
    );
  }
  if (request.accountDir !== undefined && accountVariable === undefined) {
    throw new HalyardError("unsupported", `${name} cannot be told which account to use`);
  }
  const { baseUrl, api, apiKey } = request.model ?? {};
  if ((baseUrl ?? api ?? apiKey) !== undefined && !capabilities.includes("endpoints")) {
    throw new HalyardError("unsupported", `${name} takes no model endpoint; leave it out`);
  }
}

/** Where a session comes from, beyond its request. */
export type Origin = Partial<Pick<SessionInfo, "parent" | "depth" | "fallback">>;

/** The session as it is before anything has happened in it. */
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
    ...(reasoning !== undefined && { reasoning }),
    ...(request.model && { model }),
    ...(request.trust === true && { trust: true }),
    ...(!request.attended && { attended: false }),
    ...(request.raw && { raw: true }),
    ...(request.record !== undefined && { record: request.record }),
    ...(!isDeepStrictEqual(limits, Limits.parse({})) && { limits }),
  };
}

async function requireDirectory(cwd: string): Promise<void> {
  const found = await stat(cwd).catch(() => undefined);
  if (found === undefined) {
    throw new HalyardError("invalid_input", `the working directory ${cwd} does not exist`);
  }
  if (!found.isDirectory()) {
    throw new HalyardError("invalid_input", `the working directory ${cwd} is not a directory`);
  }
}
