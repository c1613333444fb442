import type { ConnectRequest } from "../../../contracts/adapter.ts";
import type { ForkSource } from "../../../contracts/fork-source.ts";
import { HalyardError, reasonOf } from "../../../errors/error.ts";
import { JsonRpcError } from "../../../wire/json-rpc-error.ts";
import { AUTH_REQUIRED, messageOf as agentMessageOf } from "../events/failure.ts";
import { readOptions } from "../options.ts";
import type { Agreement } from "./agreement.ts";
import { setEndpoint } from "./endpoint.ts";
import type { SendRequest } from "./initialize.ts";
import { toMcpServers } from "./mcp-servers.ts";
import { SessionResponse } from "./runtime-options.ts";
import { applySettings } from "./settings.ts";

/** A session that the agent has opened, resumed or forked. */
export interface NewSession {
  readonly sessionId: string;
  /** Warnings about optional settings that the agent does not support. */
  readonly warnings: readonly string[];
}

/** Signs in if the options name a method, opens, resumes or forks the session, and applies its settings. */
export async function openSession(
  request: ConnectRequest,
  agreement: Agreement,
  send: SendRequest,
): Promise<NewSession> {
  const { authenticate, mcpServers, mode, additionalDirectories } = readOptions(request);
  const { agent, version } = agreement;
  if (authenticate !== undefined) await signIn(authenticate, agreement, send);
  const { cwd, systemPrompt, resume, fork, model, permissions, plan, reasoning } = request;
  const hasEndpoint = await setEndpoint(model, agreement, send);
  const params = {
    cwd,
    mcpServers: toMcpServers(mcpServers, agreement),
    ...toDirectories(additionalDirectories, agreement),
    ...(systemPrompt !== undefined &&
      agreement.takesSystemPrompt && { systemPrompt: instructions(systemPrompt) }),
  };
  const response = SessionResponse.parse(
    resume !== undefined
      ? await resumeSession(resume, params, agreement, send)
      : fork
        ? await forkSession(fork, params, agreement, send)
        : await send("session/new", params).catch(explain(agreement)),
  );
  const sessionId = resume ?? response?.sessionId;
  if (sessionId === undefined)
    throw new HalyardError(
      "start_failed",
      `${agent} opened a session without returning its id. Update the agent, or choose another runtime.`,
    );
  const settings = {
    model: model?.id,
    hasEndpoint,
    permissions,
    plan,
    mode,
    ...(reasoning && { reasoning }),
  };
  const warnings = await applySettings(settings, response, { sessionId, version, agent }, send);
  return { sessionId, warnings };
}

async function signIn(methodId: string, agreement: Agreement, send: SendRequest): Promise<void> {
  const { agent, signIn: methods, version } = agreement;
  if (!methods.some(({ id }) => id === methodId))
    throw new HalyardError(
      "invalid_input",
      `${agent} has no sign-in method ${methodId}. ${signInHelp(agreement)}`,
    );
  const method = version === 2 ? "auth/login" : "authenticate";
  await send(method, { methodId }).catch((error) => {
    const message = `${agent} rejected the sign-in method ${methodId} (${messageOf(error)}). Sign in with the agent itself.`;
    throw new HalyardError("not_signed_in", message, { cause: error });
  });
}

/**
 * Resumes a session. Any JSON-RPC error except a missing sign-in counts as an unknown session, because agents do not
 * share an error code for an unknown session.
 */
async function resumeSession(
  resume: string,
  params: object,
  agreement: Agreement,
  send: SendRequest,
): Promise<unknown> {
  const { agent, resumeBy } = agreement;
  if (resumeBy === undefined)
    throw new HalyardError(
      "not_resumable",
      `${agent} cannot resume sessions. Start a new session.`,
    );
  return send(resumeBy, { sessionId: resume, ...params }).catch(
    unknownSession(agreement, `resume session ${resume}`),
  );
}

/** Opens a copy of a session. Maps errors in the same way as a resume. */
async function forkSession(
  { runtimeSessionId: sessionId, stateDir }: ForkSource,
  params: object,
  agreement: Agreement,
  send: SendRequest,
): Promise<unknown> {
  const advice =
    stateDir === undefined
      ? "Continue the session in the agent itself: Halyard does not change a session that it did not start."
      : 'Run "halyard handoff SESSION --to RUNTIME" to continue the work in a new session.';
  if (!agreement.forks)
    throw new HalyardError(
      "unsupported",
      `${agreement.agent} cannot fork sessions over ACP. ${advice}`,
    );
  return send("session/fork", { sessionId, ...params }).catch(
    unknownSession(agreement, `fork session ${sessionId}`),
  );
}

function unknownSession(agreement: Agreement, action: string): (error: unknown) => never {
  return (error) => {
    if (!(error instanceof JsonRpcError) || error.code === AUTH_REQUIRED)
      return explain(agreement)(error);
    const message = `${agreement.agent} cannot ${action} (${messageOf(error)}). Start a new session.`;
    throw new HalyardError("runtime_session_not_found", message, { cause: error });
  };
}

function toDirectories(
  additionalDirectories: readonly string[],
  { takesDirectories, agent }: Agreement,
): { additionalDirectories?: readonly string[] } {
  if (additionalDirectories.length === 0) return {};
  if (takesDirectories) return { additionalDirectories };
  throw new HalyardError(
    "unsupported",
    `${agent} supports one directory per session. Remove the option "additionalDirectories".`,
  );
}

/**
 * Returns a function that throws `not_signed_in` or `start_failed` for an error response of the agent. The function
 * throws any other error unchanged.
 */
export function explain(
  agreement: Agreement,
  action = "open a session",
): (error: unknown) => never {
  return (error) => {
    if (!(error instanceof JsonRpcError)) throw error;
    const { agent } = agreement;
    if (error.code === AUTH_REQUIRED)
      throw new HalyardError(
        "not_signed_in",
        `${agent} is not signed in (${messageOf(error)}). ${signInHelp(agreement)}`,
        { cause: error },
      );
    const message = `${agent} cannot ${action} (${messageOf(error)}). Check the agent's own configuration.`;
    throw new HalyardError("start_failed", message, { cause: error });
  };
}

/** Lists the sign-in methods. Halyard does not try any of them, because a method may open a browser or cost money. */
function signInHelp({ signIn }: Pick<Agreement, "signIn">): string {
  if (signIn.length === 0) return "The agent lists no sign-in method. See its documentation.";
  const methods = signIn.map(
    ({ id, name, description }) => `${name} (${id})${description ? `: ${description}` : ""}`,
  );
  return `Sign-in methods: ${methods.join("; ")}. Sign in with the agent itself, or set the option "authenticate" to an id.`;
}

function instructions(text: string) {
  return { mode: "append", content: [{ type: "text", text }] };
}

function messageOf(error: unknown): string {
  if (error instanceof JsonRpcError)
    return agentMessageOf({ code: error.code, message: error.message, data: error.data });
  return reasonOf(error);
}
