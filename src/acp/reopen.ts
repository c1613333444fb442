import { HalyardError } from "../core/error.ts";
import type { Halyard, Session } from "../core/halyard.ts";
import type { SessionInfo } from "../schema/session.ts";
import type { SessionChanges } from "../schema/session-changes.ts";
import { liveStates } from "../schema/session-state.ts";

/** A session that had to be opened anew: as it was, where the change was refused. */
export interface Reopened {
  readonly session: Session;
  readonly refusal?: unknown;
}

/** How to change a session. */
export interface ReopenOptions {
  /** A turn is under way in it, or about to be. */
  readonly isBusy: boolean;
  /** Opens it with what `info` says, whether or not that is on its record. */
  readonly resume: (info: SessionInfo) => Promise<Session>;
}

/**
 * Changes a session. A runtime that cannot change while it runs is ended and goes on as it is to be, which gives
 * another `Session`; nothing is ended in mid-turn. What the runtime refuses then is taken back.
 */
export async function reopen(
  halyard: Halyard,
  info: SessionInfo,
  changes: SessionChanges,
  { isBusy, resume }: ReopenOptions,
): Promise<Reopened | undefined> {
  if (liveStates.includes(info.state)) {
    if (await changeRunning(halyard, info, changes, isBusy)) return undefined;
    await halyard.stop(info.id, "to be changed");
  }
  try {
    const tried = await tryModel(info, changes, resume);
    return { session: tried ?? (await resume(await halyard.update(info.id, changes))) };
  } catch (refusal) {
    await halyard.update(info.id, asItWas(info));
    return { session: await resume(info), refusal };
  }
}

/** False where it has to be ended for that, and can be. */
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
    throw new HalyardError("unsupported", `${error.message}; wait for its turn to end`);
  }
}

/**
 * A model cannot be taken off a record again, so one that is the first there is tried before it is written down.
 * Gives the session where that has written it down already.
 */
async function tryModel(
  info: SessionInfo,
  { model: id }: SessionChanges,
  resume: ReopenOptions["resume"],
): Promise<Session | undefined> {
  if (id === undefined || info.model?.id !== undefined) return undefined;
  const session = await resume({ ...info, model: { ...info.model, id } });
  if (session.info.model?.id === id) return session;
  await session.stop("to be changed");
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
