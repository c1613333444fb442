import type { Machine } from "../contracts/machine.ts";
import type { ResumeOptions } from "../contracts/resume-options.ts";
import type { SessionRequest } from "../contracts/session-request.ts";
import type { Writer } from "../contracts/store.ts";
import { resumeRequest } from "../halyard/resume-request.ts";
import type { SessionId } from "../schema/id.ts";
import type { SessionInfo } from "../schema/session.ts";
import type { Opening } from "../session/open-session.ts";
import { judgeProject, type ProjectTrust } from "../session/project-trust.ts";
import { claim } from "../session/recovery/claim.ts";
import { findReopening } from "../session/recovery/reopening.ts";
import { readRequest, requireCapabilities } from "../session/session-request.ts";
import { changedRecord } from "./change-record.ts";
import { usableAdapter } from "./runtimes.ts";

/** A session that this process has claimed, to attach to its runtime or to let the runtime continue. */
interface ReopenedSession {
  readonly request: SessionRequest;
  readonly info: SessionInfo;
  readonly writer: Writer;
  readonly opening: Opening;
  /** Undefined if the runtime still runs and has already read its settings. */
  readonly project?: ProjectTrust;
}

/** Completes the recorded request from the configuration, and claims the session. */
export async function reopenSession(
  machine: Machine,
  id: SessionId,
  options: ResumeOptions,
): Promise<ReopenedSession> {
  const record = await changedRecord(machine, id, options);
  const { runtime, host } = record.info;
  const asked = await readRequest(resumeRequest(record.info, options));
  const adapter = await usableAdapter(machine.adapters, runtime, { ...asked, host });
  const { request } = await machine.resolve({ ...asked, runtime, host }, { isNew: false });
  requireCapabilities(adapter, request);
  const writer = await claim(machine, record);
  const { info, opening } = await findReopening(machine, record, writer);
  if (opening.opened === "attached") return { request, info, writer, opening };
  try {
    const project = await judgeProject(machine, adapter, asked);
    return { request, info, writer, opening, project };
  } catch (error) {
    await writer.release();
    throw error;
  }
}
