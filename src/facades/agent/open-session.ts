import { HalyardError } from "../../core/error.ts";
import { findById } from "../../core/find-session.ts";
import type { Halyard, Session } from "../../core/halyard.ts";
import { hasEnded } from "../../core/projection.ts";
import type { PermissionPolicy } from "../../schema/permission.ts";
import type { SessionInfo } from "../../schema/session.ts";
import type { Autonomy, ExecuteRequest } from "./execute-request.ts";
import { joinSession } from "./session-users.ts";

/** What a request is run with beside what it says. */
export interface Opening {
  readonly runtime: string;
  /** What only that runtime understands. */
  readonly options: Readonly<Record<string, unknown>>;
}

/** A session for one request. */
export interface OpenedSession {
  readonly session: Session;
  /** The `seq` before the first event that belongs to the request. */
  readonly after: number;
  /** The request is through with it. Whether nobody else uses it. */
  leave(): boolean;
  /** The request came to nothing: a session that was opened for it alone is stopped. */
  abandon(): Promise<void>;
}

/** Opens the session that a request names, or a new one. */
export async function openSession(
  halyard: Halyard,
  request: ExecuteRequest,
  opening: Opening,
): Promise<OpenedSession> {
  refuse(request, ["containerID"], "a session's container is its project's; give projectID");
  if (request.sessionID === undefined) {
    const session = await start(halyard, request, opening);
    const leave = joinSession(halyard, session.id);
    const abandon = () => stopUnless(!leave(), session);
    return { session, after: session.openedAfter, leave, abandon };
  }
  refuse(request, fixed, "only a new session can be given this");
  const info = await findSession(halyard, opening.runtime, request.sessionID);
  const wasRunning = !hasEnded(info);
  const leave = joinSession(halyard, info.id); // first, so that nobody stops it meanwhile
  try {
    const session = await halyard.resume(info.id, settingsOf(request, opening));
    const abandon = () => stopUnless(!leave() || wasRunning, session);
    return { session, after: info.lastSeq, leave, abandon };
  } catch (error) {
    leave();
    throw error;
  }
}

async function stopUnless(isNeeded: boolean, session: Session): Promise<void> {
  if (!isNeeded) await session.stop("closed");
}

async function start(
  halyard: Halyard,
  request: ExecuteRequest,
  opening: Opening,
): Promise<Session> {
  const { workingDir: cwd, enabledTools: enabled, disabledTools: disabled } = request;
  if (cwd === undefined)
    throw new HalyardError("invalid_input", "workingDir: say where the session is to work");
  await checkDepth(halyard, request);
  return halyard.start({
    ...settingsOf(request, opening),
    runtime: opening.runtime,
    cwd,
    host: request.host,
    project: request.projectID,
    parent: request.parentID,
    systemPrompt: request.systemPrompt,
    ...((enabled ?? disabled) && {
      tools: { ...(enabled && { enabled }), ...(disabled && { disabled }) },
    }),
    attended: false,
  });
}

/** What a session was started with stays; a request to continue it may change the rest. */
const fixed = ["systemPrompt", "enabledTools", "disabledTools", "parentID", "depth"] as const;

function settingsOf(request: ExecuteRequest, { options }: Opening) {
  const { model, reasoning, useSpec: plan, env, autonomy } = request;
  const permissions = autonomy && policies[autonomy];
  return { model, reasoning, plan, env, permissions, options: { ...options } };
}

/** How far a session goes by itself. */
const policies = {
  off: "allow-all",
  high: "allow-all",
  medium: "allow-edits",
  low: "deny",
} as const satisfies Record<Autonomy, PermissionPolicy>;

function refuse(request: ExecuteRequest, names: readonly (keyof ExecuteRequest)[], why: string) {
  const given = names.find((name) => request[name] !== undefined);
  if (given) throw new HalyardError("unsupported", `${given}: ${why}`);
}

async function checkDepth(halyard: Halyard, { parentID, depth }: ExecuteRequest): Promise<void> {
  if (depth === undefined) return;
  const parent = parentID && (await halyard.find(parentID));
  const actual = parent ? parent.depth + 1 : 0;
  if (depth === actual) return;
  const message = `depth: it follows from parentID and is ${actual} here, not ${depth}`;
  throw new HalyardError("invalid_input", message);
}

async function findSession(halyard: Halyard, runtime: string, text: string): Promise<SessionInfo> {
  const found = await findById(halyard, text, { runtime });
  if (found === undefined)
    throw new HalyardError("session_not_found", `sessionID: there is no session ${text}`);
  if (found.runtime === runtime) return found;
  const message = `sessionID: ${text} is a session of ${found.runtime} and stays with it; this is ${runtime}`;
  throw new HalyardError("invalid_input", message);
}
