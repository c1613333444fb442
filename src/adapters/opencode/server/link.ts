import { unknownTool } from "../../../adapter-kit/unknown-tool.ts";
import type { ConnectRequest } from "../../../contracts/adapter.ts";
import { HalyardError } from "../../../errors/error.ts";
import { modelSource } from "../config/model.ts";
import { promptSettings } from "../config/prompt-settings.ts";
import type { EventFeed } from "../events/event-feed.ts";
import { opencodeTools, sessionRules } from "../policy.ts";
import type { ServerContext } from "./server-request.ts";
import type { Lease } from "./servers.ts";
import { type OpenCodeSession, type PromptSettings, SessionApi } from "./session-api.ts";

/** An open session on a running server. */
export interface Link {
  readonly lease: Lease;
  readonly api: SessionApi;
  readonly feed: EventFeed;
  readonly sessionId: string;
  readonly directory: string;
  readonly settings: PromptSettings;
}

/**
 * Opens the session `known` on its server. If `known` is undefined, creates a session or forks one. Rejects with
 * `runtime_session_not_found` if OpenCode does not have the session to open or fork.
 */
export async function openLink(
  lease: Lease,
  known: string | undefined,
  request: ConnectRequest,
  context: ServerContext,
): Promise<Link> {
  const { client, feed } = await lease.server.ready;
  const api = new SessionApi(client, request.cwd);
  const rules = sessionRules(request);
  if (request.tools) await requireTools(api, request.tools);
  const session = await openSession(api, known, request, rules);
  if (known !== undefined || request.fork) await api.permit(session.id, rules);
  const { id: sessionId, directory } = session;
  const source = modelSource(request.model, { ...context.env, ...request.env });
  const here = new SessionApi(client, directory);
  const settings = await promptSettings(request, source, here);
  return { lease, api: here, feed, sessionId, directory, settings };
}

/** Throws if a list names a tool that neither OpenCode nor one of its MCP servers has. Accepts every pattern with `*`. */
async function requireTools(
  api: SessionApi,
  { enabled = [], disabled = [] }: NonNullable<ConnectRequest["tools"]>,
): Promise<void> {
  const [names, servers] = await Promise.all([api.toolNames(), api.mcpServers()]);
  const known = [...new Set([...opencodeTools, ...names])];
  const prefixes = Object.keys(servers).map((name) => `${name.replaceAll(/[^\w-]/g, "_")}_`);
  const isKnown = (name: string): boolean =>
    known.includes(name) ||
    name.includes("*") ||
    prefixes.some((prefix) => name.startsWith(prefix));
  const unknown = [...enabled, ...disabled].find((name) => !isKnown(name));
  if (unknown !== undefined) throw unknownTool("OpenCode", unknown, known);
}

const TITLE = "Halyard";

async function openSession(
  api: SessionApi,
  known: string | undefined,
  { fork }: ConnectRequest,
  rules: ReturnType<typeof sessionRules>,
): Promise<OpenCodeSession> {
  if (known !== undefined) return findSession(api, known);
  if (fork === undefined) return api.create(TITLE, rules);
  const { id } = await findSession(api, fork.runtimeSessionId);
  return api.fork(id, TITLE);
}

async function findSession(api: SessionApi, id: string): Promise<OpenCodeSession> {
  const session = await api.find(id);
  if (session?.id === id) return session;
  throw new HalyardError(
    "runtime_session_not_found",
    `OpenCode has no session ${id}. Start a new session.`,
  );
}
