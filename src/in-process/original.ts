import type { ForkSource } from "../contracts/fork-source.ts";
import type { HalyardParts } from "../contracts/halyard-parts.ts";
import type { AskedRequest } from "../contracts/session-request.ts";
import { HalyardError } from "../errors/error.ts";
import { whyNotResumable } from "../halyard/resume-request.ts";
import { busyError } from "../session/message-error.ts";
import { requireRecord } from "../session/recovery/claim.ts";

/** The conversation that a fork copies. */
interface Original {
  readonly fork: ForkSource;
  /** The settings that the fork must share with the original. */
  readonly same: Partial<Pick<AskedRequest, "runtime" | "host">>;
}

/**
 * Returns the conversation that a request continues as a copy, or undefined if the request starts a new conversation.
 * Rejects if the request names a runtime or host other than that of the original session. Also rejects if a turn of
 * that session runs, or if its runtime has no record of the conversation.
 */
export async function originalOf(
  parts: HalyardParts,
  { forkedFrom, continuedFrom, runtime, host }: AskedRequest,
): Promise<Original | undefined> {
  if (forkedFrom === undefined)
    return continuedFrom === undefined
      ? undefined
      : { fork: { runtimeSessionId: continuedFrom }, same: {} };
  const { info } = await requireRecord(parts, forkedFrom);
  if ((runtime ?? info.runtime) !== info.runtime || (host ?? info.host) !== info.host) {
    const message = `A fork of ${info.id} must use the runtime ${info.runtime} and the host ${info.host}. Omit the runtime and the host, or run "halyard handoff ${info.id} --to RUNTIME" to continue the work on another runtime.`;
    throw new HalyardError("invalid_input", message);
  }
  if (info.turn) throw busyError(info.id);
  const { runtimeSessionId, resumable } = info;
  if (!resumable || runtimeSessionId === undefined)
    throw new HalyardError(
      "not_resumable",
      `Session ${info.id} cannot be forked: ${whyNotResumable(info)}. Start a new session.`,
    );
  const { state: stateDir } = parts.directories(info.id, info);
  return {
    fork: { runtimeSessionId, stateDir },
    same: { runtime: info.runtime, host: info.host },
  };
}
