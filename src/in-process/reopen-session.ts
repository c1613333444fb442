import type { HalyardParts } from "../contracts/halyard-parts.ts";
import type { ResumeOptions } from "../contracts/resume-options.ts";
import type { SessionRequest } from "../contracts/session-request.ts";
import type { SessionRecord, Writer } from "../contracts/store.ts";
import { onOneMachine } from "../errors/on-one-machine.ts";
import { resumeRequest } from "../halyard/resume-request.ts";
import { requireWritableLog } from "../log/native-log.ts";
import type { SessionId } from "../schema/id.ts";
import type { SessionInfo } from "../schema/session.ts";
import { resumeOptions } from "../session/lasting-options.ts";
import type { Opening } from "../session/open-session.ts";
import { judgeProject, type ProjectTrust } from "../session/project-trust.ts";
import { claim, isHere } from "../session/recovery/claim.ts";
import { giveBack } from "../session/recovery/give-back.ts";
import { findReopening } from "../session/recovery/reopening.ts";
import { type TakenOver, takeOver } from "../session/saved/take-over.ts";
import { readRequest, requireCapabilities } from "../session/session-request.ts";
import { changedRecord } from "./change-record.ts";
import { usableAdapter } from "./runtimes.ts";

/** A session that this process has claimed in order to attach to its runtime or to resume it. */
interface ReopenedSession {
  readonly request: SessionRequest;
  readonly info: SessionInfo;
  readonly writer: Writer;
  readonly opening: Opening;
  /** The trust of the project's settings. Undefined if the runtime is still running and has already read them. */
  readonly project?: ProjectTrust;
}

/**
 * Fills in the recorded request from the configuration, and claims the session. Moves the session to this machine first
 * if another machine of the cluster holds its files.
 */
export async function reopenSession(
  parts: HalyardParts,
  id: SessionId,
  options: ResumeOptions,
): Promise<ReopenedSession> {
  if (options.on !== undefined) throw onOneMachine(options.on, "resume");
  const record = await changedRecord(parts, id, options);
  if (isHere(parts, record)) return reopen(parts, record, options);
  const taken = await takeOverHere(parts, record);
  try {
    return await reopen(parts, taken.record, options, taken.writer);
  } catch (error) {
    await giveBack(parts, id, taken.writer);
    throw error;
  }
}

/** Moves a session from another machine to this one. Rejects if its runtime is not available on this machine. */
async function takeOverHere(parts: HalyardParts, record: SessionRecord): Promise<TakenOver> {
  const { runtime, host } = record.info;
  const { conversation } = await usableAdapter(parts.adapters, runtime, { host });
  return takeOver(parts, record, host === "container" ? undefined : conversation);
}

async function reopen(
  parts: HalyardParts,
  record: SessionRecord,
  options: ResumeOptions,
  held?: Writer,
): Promise<ReopenedSession> {
  const { runtime, host } = record.info;
  const read = await readRequest(resumeRequest(record.info, options));
  if (options.record !== undefined) requireWritableLog(options.record); // checked before the session changes
  const adapter = await usableAdapter(parts.adapters, runtime, { ...read, host });
  const asked = {
    ...read,
    options: resumeOptions(adapter, record.info.options, options.options ?? {}),
  };
  const { request } = await parts.resolve(
    { ...asked, runtime: undefined, host },
    { isNew: false, session: record.info },
  );
  requireCapabilities(adapter, request);
  const writer = held ?? (await claim(parts, record));
  const here = { ...record, info: onMachine(record.info, parts.self.machine) };
  const { info, opening } = await findReopening(parts, here, writer);
  if (opening.opened === "attached") return { request, info, writer, opening };
  try {
    const project = await judgeProject(parts, adapter, { ...asked, options: request.options });
    return { request, info, writer, opening, project };
  } catch (error) {
    await giveBack(parts, info.id, writer);
    throw error;
  }
}

/** Returns the session's info with this machine as its location. */
function onMachine(info: SessionInfo, machine: string | undefined): SessionInfo {
  return machine === undefined ? info : { ...info, machine };
}
