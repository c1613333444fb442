import { isDeepStrictEqual } from "node:util";
import type { Halyard, Session } from "../../contracts/halyard.ts";
import { HalyardError } from "../../errors/error.ts";
import { findById } from "../../halyard/find-session.ts";
import { hasEnded } from "../../log/projection.ts";
import type { SessionId } from "../../schema/id.ts";
import type { ModelEndpoint } from "../../schema/model.ts";
import type { PermissionPolicy } from "../../schema/permission.ts";
import { canonicalName } from "../../schema/runtimes/built-in-runtimes.ts";
import type { StartRequest } from "../../schema/session/start-request.ts";
import type { SessionInfo } from "../../schema/session.ts";
import type { Autonomy, ExecuteRequest, RuntimeContext } from "./execute-request.ts";
import type { Completed } from "./runtime-config.ts";
import { joinSession } from "./session-users.ts";

/** A request's runtime, and the settings that the configuration adds. */
export interface Opening {
  readonly runtime: string;
  /** Adds the model's endpoint and key, and the runtime's own options. */
  complete(request: RuntimeContext, recorded?: ModelEndpoint): Promise<Completed>;
}

/** The session that runs one request. */
export interface OpenedSession {
  readonly session: Session;
  /** The `seq` before the request's first event. */
  readonly after: number;
  /** Ends the request's use of the session. Returns true if no other request uses it. */
  leave(): boolean;
  /** Stops a session that was opened only for this request. */
  abandon(): Promise<void>;
}

/** Opens the session that a request names, or starts a new one. */
export async function openSession(
  halyard: Halyard,
  request: ExecuteRequest,
  opening: Opening,
): Promise<OpenedSession> {
  const known = request.sessionID ?? request.runtimeSessionID;
  if (known === undefined) {
    const session = await start(halyard, request, opening);
    const leave = joinSession(halyard, session.id);
    const abandon = () => stopUnless(!leave(), session);
    return { session, after: session.openedAfter, leave, abandon };
  }
  const info = await findSession(
    halyard,
    opening.runtime,
    known,
    request.sessionID === undefined ? "runtimeSessionID" : "sessionID",
  );
  await refuseChanges(halyard, request, info);
  const wasRunning = !hasEnded(info);
  const leave = joinSession(halyard, info.id); // joined first, so that no other request stops the session
  try {
    const settings = settingsOf(request, await opening.complete(request, info.model ?? {}));
    const { systemPrompt } = request;
    const session = await halyard.resume(info.id, { ...settings, systemPrompt });
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
  const { enabledTools: enabled, disabledTools: disabled } = request;
  const parent = await findParent(halyard, request);
  return halyard.start({
    ...(await startRequest(request, opening)),
    parent,
    systemPrompt: request.systemPrompt,
    ...((enabled ?? disabled) && {
      tools: { ...(enabled && { enabled }), ...(disabled && { disabled }) },
    }),
  });
}

/** Returns a session's id, and its values that decide which OpenCode server it shares. */
export function contextOfSession({ id, cwd, host, project, container }: SessionInfo) {
  const location = { sessionID: id, workingDir: cwd, host, ...(container && { container }) };
  return { ...location, ...(project !== undefined && { projectID: project }) };
}

/** Returns the part of a new session's request that decides which OpenCode server the session shares. */
export async function startRequest(
  request: RuntimeContext & Partial<Pick<ExecuteRequest, "useSpec" | "parentID" | "sessionID">>,
  { runtime, complete }: Opening,
): Promise<StartRequest> {
  const { container, host = container && "container" } = request;
  const completed = await complete(request);
  if ((request.parentID ?? request.sessionID) === undefined)
    requireRuntime(runtime, request, completed);
  return {
    ...settingsOf(request, completed),
    runtime,
    cwd: request.workingDir ?? process.cwd(),
    host,
    container,
    project: request.projectID,
  };
}

/**
 * Throws `invalid_input` if the project's metadata names another runtime, because the project takes precedence over the
 * server. Not called for a child, which uses its parent's runtime, or for a continued session, which uses its own.
 */
function requireRuntime(
  runtime: string,
  { projectID }: RuntimeContext,
  { projectRuntime: wanted = "auto" }: Completed,
): void {
  if (wanted === "auto" || canonicalName(wanted) === runtime) return;
  const message = `Project ${projectID} runs on ${wanted}, and this runtime is ${runtime}. Create the project's runtime with newRuntime(await loadAgentConfig({ projectID: "${projectID}" })).`;
  throw new HalyardError("invalid_input", message);
}

function settingsOf(
  request: RuntimeContext & Pick<ExecuteRequest, "useSpec">,
  { model, options }: Completed,
) {
  const { reasoning, useSpec: plan, env, autonomy = "off" } = request;
  const permissions = policies[autonomy];
  return { model, reasoning, plan, env, permissions, attended: false, options };
}

/** The policy for each autonomy level. */
const policies = {
  off: "allow-all",
  high: "allow-all",
  medium: "allow-edits",
  low: "deny",
} as const satisfies Record<Autonomy, PermissionPolicy>;

/**
 * Rejects a request that changes a setting of its session, if only a new session accepts the setting. Accepts the same
 * value. Also rejects a system prompt for a running session, which has already read its own.
 */
async function refuseChanges(
  halyard: Halyard,
  { systemPrompt, enabledTools, disabledTools, parentID, depth }: ExecuteRequest,
  info: SessionInfo,
): Promise<void> {
  const parent = parentID && ((await findById(halyard, parentID))?.id ?? parentID);
  const settings: readonly (readonly [name: string, asked: unknown, recorded: unknown])[] = [
    ["enabledTools", enabledTools, info.tools?.enabled],
    ["disabledTools", disabledTools, info.tools?.disabled],
    ["parentID", parent, info.parent],
    ["depth", depth, info.depth],
  ];
  for (const [name, asked, recorded] of settings)
    if (asked !== undefined && !isDeepStrictEqual(asked, recorded))
      throw new HalyardError(
        "unsupported",
        `${name}: only a new session accepts another value. Start a new session, or omit ${name}.`,
      );
  if (systemPrompt === undefined || hasEnded(info)) return;
  const message = `systemPrompt: session ${info.id} is running and keeps its instructions. Close its executor first, or omit systemPrompt.`;
  throw new HalyardError("unsupported", message);
}

/**
 * Returns the parent's id, or undefined if the request has no parent. Rejects an unknown parent, and a `depth` that does
 * not match the parent.
 */
async function findParent(
  halyard: Halyard,
  { parentID, depth }: ExecuteRequest,
): Promise<SessionId | undefined> {
  const parent = parentID === undefined ? undefined : await findById(halyard, parentID);
  if (parentID !== undefined && parent === undefined)
    throw new HalyardError(
      "session_not_found",
      `parentID: session ${parentID} not found. Run "halyard sessions" to list sessions.`,
    );
  const actual = parent ? parent.depth + 1 : 0;
  if (depth === undefined || depth === actual) return parent?.id;
  const message = `depth: must be ${actual} for this parentID, not ${depth}. Omit depth to derive it from parentID.`;
  throw new HalyardError("invalid_input", message);
}

async function findSession(
  halyard: Halyard,
  runtime: string,
  text: string,
  field: "sessionID" | "runtimeSessionID",
): Promise<SessionInfo> {
  const found = await findById(halyard, text, { runtime });
  if (found === undefined)
    throw new HalyardError(
      "session_not_found",
      `${field}: session ${text} not found. Run "halyard sessions" to list sessions.`,
    );
  if (found.runtime === runtime) return found;
  const message = `${field}: session ${text} belongs to the runtime ${found.runtime} and cannot continue on ${runtime}. Continue it with the runtime ${found.runtime}.`;
  throw new HalyardError("invalid_input", message);
}
