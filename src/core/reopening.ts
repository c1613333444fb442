import type { SessionInfo } from "../schema/session.ts";
import { HalyardError } from "./error.ts";
import { EventLog } from "./event-log.ts";
import type { Machine } from "./machine.ts";
import type { Opening } from "./open-session.ts";
import { hasEnded } from "./projection.ts";
import { declareLost, isRunning } from "./recovery.ts";
import { whyNotResumable } from "./resume-request.ts";
import type { SessionRecord, Writer } from "./store.ts";

/** How a session on record goes on, and the session as it is by then. */
export interface Reopening {
  readonly info: SessionInfo;
  readonly opening: Opening;
}

/** Finds out whether its runtime still runs or can continue it. Where neither is so the right to write is given back. */
export async function findReopening(
  machine: Machine,
  record: SessionRecord,
  writer: Writer,
): Promise<Reopening> {
  try {
    if (await isRunning(machine, record)) return { info: record.info, opening: attached(record) };
    const info = await settle(machine, record, writer);
    if (info.resumable && info.runtimeSessionId !== undefined)
      return { info, opening: { opened: "resumed", resume: info.runtimeSessionId } };
    const why = whyNotResumable(record.info);
    throw new HalyardError("not_resumable", `${info.id} cannot be continued: ${why}`);
  } catch (error) {
    await writer.release();
    throw error;
  }
}

function attached({ info, cursor, turnCursor }: SessionRecord): Opening {
  const { runtimeSessionId, turn } = info;
  const known = runtimeSessionId !== undefined && { runtimeSessionId };
  const underWay = turn && { turnId: turn.id };
  return { opened: "attached", attach: { cursor, turnCursor, ...known, ...underWay } };
}

/** A session whose runtime went away while nobody held it ends as lost before it is continued. */
async function settle(
  machine: Machine,
  record: SessionRecord,
  writer: Writer,
): Promise<SessionInfo> {
  if (hasEnded(record.info)) return record.info;
  const log = new EventLog(machine, writer, record.info);
  await declareLost(machine, log);
  return log.info;
}
