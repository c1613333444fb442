import { HalyardError } from "../../core/error.ts";
import type { Halyard, Session } from "../../core/halyard.ts";
import { hasEnded } from "../../core/projection.ts";
import { SessionId } from "../../schema/id.ts";
import type { PermissionPolicy } from "../../schema/permission.ts";
import type { SessionChanges, SessionInfo } from "../../schema/session.ts";
import type { Autonomy, ExecuteRequest } from "./execute-request.ts";

/** What a request is run with beside what it says. */
export interface Opening {
  readonly runtime: string;
  /** What only that runtime understands. */
  readonly options: Readonly<Record<string, unknown>>;
}

/** A session for a request: the one it names, or a new one. `after` is where what belongs to the request begins. */
export async function openSession(
  halyard: Halyard,
  request: ExecuteRequest,
  opening: Opening,
): Promise<{ session: Session; after: number }> {
  if (request.containerID !== undefined)
    throw new HalyardError(
      "unsupported",
      "containerID: a session's container is its project's; give projectID and the host instead",
    );
  if (request.sessionID === undefined) {
    const session = await start(halyard, request, opening);
    return { session, after: session.openedAfter };
  }
  const info = await findSession(halyard, opening.runtime, request.sessionID);
  return { session: await resume(halyard, info, request, opening), after: info.lastSeq };
}

async function start(
  halyard: Halyard,
  request: ExecuteRequest,
  { runtime, options }: Opening,
): Promise<Session> {
  const { workingDir: cwd, parentID: parent, autonomy } = request;
  if (cwd === undefined)
    throw new HalyardError("invalid_input", "workingDir: say where the session is to work");
  await checkDepth(halyard, request);
  return halyard.start({
    runtime,
    cwd,
    host: request.host,
    project: request.projectID,
    parent,
    model: request.model,
    reasoning: request.reasoning,
    plan: request.useSpec,
    systemPrompt: request.systemPrompt,
    env: request.env,
    permissions: autonomy && policies[autonomy],
    ...toolLists(request),
    attended: false,
    options: { ...options },
  });
}

/** What a session was started with stays; a request to continue it may change the rest. */
async function resume(
  halyard: Halyard,
  info: SessionInfo,
  request: ExecuteRequest,
  { options }: Opening,
): Promise<Session> {
  const fixed = ["systemPrompt", "enabledTools", "disabledTools", "parentID", "depth"] as const;
  for (const name of fixed)
    if (request[name] !== undefined)
      throw new HalyardError("unsupported", `${name}: only a new session can be given this`);
  const { id } = info;
  const { autonomy, reasoning, useSpec: plan, model, env } = request;
  const changes: SessionChanges = {
    ...(autonomy && { permissions: policies[autonomy] }),
    ...(reasoning && { reasoning }),
    ...(plan !== undefined && { plan }),
    ...(typeof model === "string" && { model }),
  };
  const change = async () => {
    if (Object.keys(changes).length > 0) await halyard.update(id, changes);
  };
  if (hasEnded(info)) await change();
  const endpoint = typeof model === "object" ? { model } : {};
  const session = await halyard.resume(id, { ...endpoint, env, options: { ...options } });
  if (!hasEnded(info)) await change();
  return session;
}

/** How far a session goes by itself. */
const policies = {
  off: "allow-all",
  high: "allow-all",
  medium: "allow-edits",
  low: "deny",
} as const satisfies Record<Autonomy, PermissionPolicy>;

function toolLists({ enabledTools: enabled, disabledTools: disabled }: ExecuteRequest) {
  if (enabled === undefined && disabled === undefined) return {};
  return { tools: { ...(enabled && { enabled }), ...(disabled && { disabled }) } };
}

async function checkDepth(halyard: Halyard, { parentID, depth }: ExecuteRequest): Promise<void> {
  if (depth === undefined) return;
  const parent = parentID && (await halyard.find(parentID));
  const actual = parent ? parent.depth + 1 : 0;
  if (depth === actual) return;
  throw new HalyardError(
    "invalid_input",
    `depth: it follows from parentID and is ${actual} here, not ${depth}`,
  );
}

async function findSession(halyard: Halyard, runtime: string, text: string): Promise<SessionInfo> {
  const id = SessionId.safeParse(text).data;
  const found =
    (id && (await halyard.find(id))) ??
    (await halyard.sessions({ runtime })).find(({ runtimeSessionId }) => runtimeSessionId === text);
  if (found === undefined)
    throw new HalyardError("session_not_found", `sessionID: there is no session ${text}`);
  if (found.runtime === runtime) return found;
  throw new HalyardError(
    "invalid_input",
    `sessionID: ${text} is a session of ${found.runtime} and stays with it; this is ${runtime}`,
  );
}
