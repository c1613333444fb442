import type { ConnectRequest } from "../../core/adapter.ts";
import { HalyardError, reasonOf } from "../../core/error.ts";
import { JsonRpcError } from "../../wire/json-rpc-error.ts";
import type { Agreement } from "./agreement.ts";
import { AUTH_REQUIRED, wordsOf as wordsOfAgent } from "./failure.ts";
import type { Ask } from "./greet.ts";
import { SessionAnswer } from "./knobs.ts";
import { toMcpServers } from "./mcp-servers.ts";
import { readOptions } from "./options.ts";
import { applyWishes } from "./settings.ts";

export interface NewSession {
  readonly sessionId: string;
  /** What could not be done as asked, and is not worth failing for. */
  readonly warnings: readonly string[];
}

/** Signs in where that was asked for, opens the session or goes on with the one to be resumed, and sets it up. */
export async function openSession(
  request: ConnectRequest,
  agreement: Agreement,
  ask: Ask,
): Promise<NewSession> {
  const { authenticate, mcpServers, mode } = readOptions(request);
  const { agent, version } = agreement;
  if (authenticate !== undefined) await signIn(authenticate, agreement, ask);
  const { cwd, systemPrompt, resume, model, permissions, plan, reasoning } = request;
  const params = {
    cwd,
    mcpServers: toMcpServers(mcpServers, agreement),
    ...(systemPrompt !== undefined &&
      agreement.takesSystemPrompt && { systemPrompt: instructions(systemPrompt) }),
  };
  const answer = SessionAnswer.parse(
    resume === undefined
      ? await ask("session/new", params).catch(explain(agreement))
      : await goOn(resume, params, agreement, ask),
  );
  const sessionId = resume ?? answer?.sessionId;
  if (sessionId === undefined)
    throw new HalyardError("start_failed", `${agent} opened a session and did not say which`);
  const wishes = { model: model?.id, permissions, plan, mode, ...(reasoning && { reasoning }) };
  const warnings = await applyWishes(wishes, answer, { sessionId, version, agent }, ask);
  return { sessionId, warnings };
}

async function signIn(methodId: string, agreement: Agreement, ask: Ask): Promise<void> {
  const { agent, signIn: methods, version } = agreement;
  if (!methods.some(({ id }) => id === methodId))
    throw new HalyardError(
      "invalid_input",
      `${agent} has no sign-in method ${methodId}. ${waysIn(agreement)}`,
    );
  const method = version === 2 ? "auth/login" : "authenticate";
  await ask(method, { methodId }).catch((error) => {
    throw new HalyardError("not_signed_in", `${agent}: ${wordsOf(error)}`, { cause: error });
  });
}

/** Agents have no code in common for a session they do not know. */
async function goOn(
  resume: string,
  params: object,
  agreement: Agreement,
  ask: Ask,
): Promise<unknown> {
  const { agent, resumeBy } = agreement;
  if (resumeBy === undefined)
    throw new HalyardError(
      "not_resumable",
      `${agent} cannot go on with a session of an earlier process`,
    );
  return ask(resumeBy, { sessionId: resume, ...params }).catch((error) => {
    if (!(error instanceof JsonRpcError) || error.code === AUTH_REQUIRED)
      return explain(agreement)(error);
    const message = `${agent} cannot go on with ${resume}: ${wordsOf(error)}`;
    throw new HalyardError("runtime_session_not_found", message, { cause: error });
  });
}

function explain(agreement: Agreement): (error: unknown) => never {
  return (error) => {
    if (!(error instanceof JsonRpcError)) throw error;
    const { agent } = agreement;
    if (error.code === AUTH_REQUIRED)
      throw new HalyardError(
        "not_signed_in",
        `${agent} is not signed in (${wordsOf(error)}). ${waysIn(agreement)}`,
        { cause: error },
      );
    throw new HalyardError("start_failed", `${agent} opens no session: ${wordsOf(error)}`, {
      cause: error,
    });
  };
}

/** None is tried unasked: a wrong one may open a browser, or cost money. */
function waysIn({ signIn }: Pick<Agreement, "signIn">): string {
  if (signIn.length === 0) return "It names no way to sign in: see its own documentation";
  const ways = signIn.map(
    ({ id, name, description }) => `${name} (${id})${description ? `: ${description}` : ""}`,
  );
  return `It can be signed in by ${ways.join("; ")}. Sign in with the agent itself, or give the id as option "authenticate"`;
}

function instructions(text: string) {
  return { mode: "append", content: [{ type: "text", text }] };
}

function wordsOf(error: unknown): string {
  if (error instanceof JsonRpcError)
    return wordsOfAgent({ code: error.code, message: error.message, data: error.data });
  return reasonOf(error);
}
