import { resolve } from "node:path";
import type { Halyard, Session } from "../../contracts/halyard.ts";
import { HalyardError } from "../../errors/error.ts";
import { findById } from "../../halyard/find-session.ts";
import type { ReasoningLevel } from "../../schema/model.ts";
import type { SessionInfo } from "../../schema/session.ts";
import type {
  AgentRuntimeKind,
  AgentRuntimeMeta,
  AgentRuntimeRunParams,
  MessagingParams,
} from "./agent-runtime.ts";
import { modelOf, type RunConfig } from "./run-config.ts";

/** Resumes the conversation's session. Starts a new session if there is none, or if the runtime cannot resume it. */
export async function openRunSession(
  halyard: Halyard,
  kind: AgentRuntimeKind,
  config: RunConfig,
  params: AgentRuntimeRunParams,
): Promise<{ session: Session; opened: AgentRuntimeMeta["session"] }> {
  const cwd = resolve(params.workspaceDir);
  const labels = labelsOf(params);
  const known = await findConversation(halyard, params.sessionId, { runtime: kind, cwd });
  const { thinkLevel, permissions = "allow-all", extraSystemPrompt: systemPrompt } = params;
  const settings = {
    systemPrompt,
    model: modelOf(config, { kind, ...params }),
    attended: false,
    options: optionsFor(kind, config, params),
    permissions,
    ...(thinkLevel && { reasoning: reasoning[thinkLevel] }),
  };
  const start = () => halyard.start({ runtime: kind, cwd, labels, ...settings });
  if (known === undefined) return { session: await start(), opened: { opened: "started" } };
  try {
    const session = await halyard.resume(known.id, settings);
    const name = known.labels[CONVERSATION] ?? params.sessionId;
    const kept = { ...known.labels, ...labels, [CONVERSATION]: name };
    await halyard.update(known.id, { labels: kept });
    return { session, opened: { opened: "resumed" } };
  } catch (error) {
    if (!(error instanceof HalyardError && gone.has(error.code))) throw error;
    const { message: reason } = error;
    await halyard.update(known.id, { labels: { ...known.labels, [CONVERSATION]: "" } });
    return { session: await start(), opened: { opened: "fresh", reason } };
  }
}

/** Finds a conversation's session by the caller's id, or by `meta.sessionId`, with the same runtime and directory. */
async function findConversation(
  halyard: Halyard,
  sessionId: string,
  { runtime, cwd }: { readonly runtime: string; readonly cwd: string },
): Promise<SessionInfo | undefined> {
  const filter = { runtime, cwd, labels: { [CONVERSATION]: sessionId }, limit: 1 };
  const [named] = await halyard.sessions(filter);
  if (named) return named;
  const own = await findById(halyard, sessionId, { runtime, cwd });
  const isOurs = own?.runtime === runtime && own.cwd === cwd && own.labels[CONVERSATION];
  return isOurs ? own : undefined;
}

/** The label that stores a session's conversation id. */
const CONVERSATION = "run.session";

const gone: ReadonlySet<string> = new Set(["not_resumable", "runtime_session_not_found"]);

/**
 * Returns the runtime's own options. Pi receives the session file, because Pi writes this file itself, and the provider,
 * unless the gateway's configuration contains the provider's endpoint.
 */
function optionsFor(
  kind: AgentRuntimeKind,
  { models }: RunConfig,
  { sessionFile, provider, ccsdkOptions }: AgentRuntimeRunParams,
): Record<string, unknown> {
  const isOwnProvider = models?.providers?.[provider] === undefined;
  if (kind === "pi")
    return { sessionFile: resolve(sessionFile), ...(isOwnProvider && { provider }) };
  return kind === "ccsdk" && ccsdkOptions ? { ccsdkOptions } : {};
}

const messaging = [
  "messageChannel",
  "messageProvider",
  "messageTo",
  "messageThreadId",
  "groupId",
  "groupChannel",
  "senderId",
  "senderName",
] as const satisfies readonly (keyof MessagingParams)[];

function labelsOf(params: AgentRuntimeRunParams): Record<string, string> {
  const pairs = messaging.flatMap((name) => {
    const value = params[name];
    return value === undefined ? [] : [[`run.${name}`, String(value)] as const]; // some messengers use numbers
  });
  return { ...Object.fromEntries(pairs), [CONVERSATION]: params.sessionId };
}

const reasoning = {
  off: "off",
  minimal: "minimal",
  low: "low",
  medium: "medium",
  high: "high",
  xhigh: "max",
} as const satisfies Record<NonNullable<AgentRuntimeRunParams["thinkLevel"]>, ReasoningLevel>;
