import type { Halyard, Session } from "../../contracts/halyard.ts";
import { HalyardError } from "../../errors/error.ts";
import { sentence } from "../../errors/sentence.ts";
import type { SessionChanges } from "../../schema/session/session-changes.ts";
import { liveStates } from "../../schema/session/session-state.ts";
import type { SessionInfo } from "../../schema/session.ts";

/** A session that was restarted. If the runtime rejected the change, the session has its previous settings. */
export interface Reopened {
  readonly session: Session;
  readonly refusal?: unknown;
}

/** Options of `reopen`. */
export interface ReopenOptions {
  /** True if a turn is running or about to start. */
  readonly isBusy: boolean;
  /** Opens the session with the settings in `info`, whether or not they are recorded. */
  readonly resume: (info: SessionInfo) => Promise<Session>;
}

/**
 * Changes the settings of a session. Returns undefined if the running runtime applied the change. Otherwise, starts the
 * runtime again with the new settings and returns the new `Session`. Rejects if that is necessary during a turn. If the
 * runtime rejects the new settings, restores the previous settings and returns the error as `refusal`.
 */
export async function reopen(
  halyard: Halyard,
  info: SessionInfo,
  changes: SessionChanges,
  { isBusy, resume }: ReopenOptions,
): Promise<Reopened | undefined> {
  if (liveStates.includes(info.state)) {
    if (await changeRunning(halyard, info, changes, isBusy)) return undefined;
    await halyard.stop(info.id, "restarted to change its settings");
  }
  try {
    const tried = await tryModel(info, changes, resume);
    return { session: tried ?? (await resume(await halyard.update(info.id, changes))) };
  } catch (refusal) {
    await halyard.update(info.id, asItWas(info));
    return { session: await resume(info), refusal };
  }
}

/**
 * Changes a live session. Returns false if the session must be restarted for the change. Rejects if the restart would
 * interrupt a turn or lose the conversation.
 */
async function changeRunning(
  halyard: Halyard,
  { id, resumable, turns }: SessionInfo,
  changes: SessionChanges,
  isBusy: boolean,
): Promise<boolean> {
  try {
    await halyard.update(id, changes);
    return true;
  } catch (error) {
    const canGoOn = resumable || turns === 0;
    if (!(error instanceof HalyardError) || error.code !== "unsupported" || !canGoOn) throw error;
    if (!isBusy) return false;
    throw new HalyardError("unsupported", `${sentence(error.message)} Wait for the turn to end.`);
  }
}

/**
 * Tests the first model of a session before the model is recorded, because a recorded model cannot be removed. Returns
 * the session if the test also recorded the model.
 */
async function tryModel(
  info: SessionInfo,
  { model: id }: SessionChanges,
  resume: ReopenOptions["resume"],
): Promise<Session | undefined> {
  if (id === undefined || info.model?.id !== undefined) return undefined;
  const session = await resume({ ...info, model: { ...info.model, id } });
  if (session.info.model?.id === id) return session;
  await session.stop("restarted to change its settings");
  return undefined;
}

function asItWas({ permissions, plan, reasoning, model }: SessionInfo): SessionChanges {
  return {
    permissions,
    plan,
    ...(reasoning !== undefined && { reasoning }),
    ...(model?.id !== undefined && { model: model.id }),
  };
}
