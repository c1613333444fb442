import type { Halyard, Session } from "../../contracts/halyard.ts";
import type { Turn } from "../../contracts/turn.ts";
import { HalyardError } from "../../errors/error.ts";
import type { RuntimeName } from "../../schema/runtime.ts";
import type { StartRequest } from "../../schema/session/start-request.ts";
import type { SessionInfo } from "../../schema/session.ts";
import { requireSession } from "../find-session.ts";
import { briefOf, taskOf } from "./brief.ts";
import { type LogSummary, summarizeLog } from "./log-summary.ts";

/** Options of `handoff`. */
export interface HandoffOptions {
  /** The next task. Defaults to continuing the first task. */
  readonly message?: string | undefined;
  /**
   * Settings of the new session. Settings that do not depend on the runtime, such as the directory, host, project,
   * policy and labels, default to those of the old session.
   */
  readonly request?: Omit<Partial<StartRequest>, "runtime" | "handedOffFrom"> | undefined;
}

/** The session that continues the work of another session. */
export interface HandedOff {
  readonly session: Session;
  /** The turn that sends the brief. */
  readonly turn: Turn;
  /** The first message of the session. */
  readonly brief: string;
  /** A sentence that states which parts of the old session the new agent receives. */
  readonly notice: string;
}

/**
 * Hands the work of a session over to another runtime: starts a session, by default in the same directory, and sends it
 * a summary of the old log. The model's context is not transferred. If `request.id` names a session that was started for
 * the same handoff, resumes that session. Rejects with `session_not_found` if the old session does not exist. Rejects
 * with `invalid_input` if the old session has a running or queued turn, because two agents would change the same files.
 * @example const { session, turn } = await handoff(halyard, "ses_0123456789abcdef", "codex");
 */
export async function handoff(
  halyard: Halyard,
  id: string,
  to: RuntimeName,
  { message, request = {} }: HandoffOptions = {},
): Promise<HandedOff> {
  const from = await requireSession(halyard, id);
  requireIdle(from);
  const summary = await summarizeLog(halyard, from);
  const goal = await goalOf(halyard, from, summary);
  const changed = await changedFiles(halyard, from);
  const session =
    (await startedBefore(halyard, from, request.id)) ??
    (await halyard.start({
      ...settingsOf(from),
      ...request,
      runtime: to,
      handedOffFrom: from.id,
    }));
  const { handoff } = session.info;
  if (!handoff)
    throw new HalyardError(
      "internal",
      `Session ${session.id} has no record of its handoff. Use the same version of Halyard for client and server.`,
    );
  const { log } = handoff;
  const brief = briefOf({ from, goal, summary: ownTasks(summary), changed, log, message });
  return { session, turn: session.send(brief), brief, notice: noticeOf(from, session.info) };
}

/** Resumes the session with this id if it was started for the same handoff. Otherwise returns undefined. */
async function startedBefore(
  halyard: Halyard,
  from: SessionInfo,
  id: string | undefined,
): Promise<Session | undefined> {
  const known = id === undefined ? undefined : await halyard.find(id);
  return known?.handoff?.from === from.id ? halyard.resume(known.id) : undefined;
}

function requireIdle({ id, turn, queue, name }: SessionInfo): void {
  if (!turn && queue.length === 0) return;
  throw new HalyardError(
    "invalid_input",
    `Session ${id} has a running or queued turn. A handoff now would let two agents change the same files. Run "halyard interrupt ${name ?? id}" or "halyard wait ${name ?? id}" first.`,
  );
}

/** Returns the files that changed since the session started, or undefined if Halyard cannot determine them. */
async function changedFiles(halyard: Halyard, { id }: SessionInfo): Promise<string[] | undefined> {
  try {
    const { files } = await halyard.changes(id);
    return files.map(
      ({ path, status, insertions, deletions }) =>
        `${path} (${status.replace("_", " ")}, +${insertions} -${deletions})`,
    );
  } catch (error) {
    if (error instanceof HalyardError) return undefined;
    throw error;
  }
}

/** Returns the settings of a session that do not depend on its runtime. */
function settingsOf(from: SessionInfo): StartRequest {
  const { cwd, host, permissions, plan, labels, project, container, trust, attended, limits } =
    from;
  const { onLimit } = from;
  return {
    cwd,
    host,
    permissions,
    plan,
    labels,
    ...(project !== undefined && { project }),
    ...(container && { container }),
    ...(trust !== undefined && { trust }),
    ...(attended !== undefined && { attended }),
    ...(limits && { limits }),
    ...(onLimit === "wait" && { onLimit }),
  };
}

/** Returns the first message of the oldest existing session in a chain of handoffs. */
async function goalOf(
  halyard: Halyard,
  from: SessionInfo,
  { requests }: LogSummary,
): Promise<string | undefined> {
  const before = from.handoff && (await halyard.find(from.handoff.from));
  if (!before) return requests[0];
  return goalOf(halyard, before, await summarizeLog(halyard, before));
}

/** Replaces the briefs of earlier handoffs with their tasks, so that a brief never contains another brief. */
function ownTasks(summary: LogSummary): LogSummary {
  return { ...summary, requests: summary.requests.map(taskOf) };
}

function noticeOf(from: SessionInfo, { runtime, handoff }: SessionInfo): string {
  const where = handoff && "file" in handoff.log ? "a transcript file" : "a tool";
  return `${runtime} received a brief and can read the log of ${from.id} with ${where}. The memory of ${from.runtime}'s model was not transferred.`;
}
