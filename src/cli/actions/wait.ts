import { HalyardError } from "../../core/error.ts";
import { findSession } from "../../core/find-session.ts";
import type { Halyard } from "../../core/halyard.ts";
import type { StreamEvent } from "../../schema/event.ts";
import type { SessionId } from "../../schema/id.ts";
import type { SessionInfo } from "../../schema/session.ts";
import { liveStates } from "../../schema/session-state.ts";
import { sessionExitCode } from "../last-outcome.ts";
import { openDaemon } from "../open-daemon.ts";
import { openTerminal } from "../terminal.ts";

export type Until = "idle" | "request" | "done";

export interface WaitOptions {
  readonly until: Until;
  readonly format: "text" | "json";
  /** In seconds. */
  readonly timeout?: number;
}

/** Exits as the session did where it failed, else as its last turn, be it over already; 0 once it asks. */
export async function wait(session: string, options: WaitOptions): Promise<number> {
  const terminal = openTerminal();
  const { until, format, timeout } = options;
  await using halyard = await openDaemon(terminal);
  const { id } = await findSession(halyard, session);
  const limit = timeout === undefined ? undefined : AbortSignal.timeout(timeout * 1000);
  const info = await waitFor(halyard, id, until, limit);
  await terminal.out.write(format === "json" ? `${JSON.stringify(info)}\n` : `${describe(info)}\n`);
  return until === "request" ? 0 : await sessionExitCode(halyard, info);
}

async function waitFor(
  halyard: Halyard,
  id: SessionId,
  until: Until,
  signal: AbortSignal | undefined,
): Promise<SessionInfo> {
  let info = await look(halyard, id);
  const options = { sessionId: id, after: info.lastSeq, ...(signal && { signal }) };
  if (!isOver(info, until))
    for await (const event of halyard.events(options)) {
      if (!mayEndWait(event)) continue;
      info = await look(halyard, id);
      if (isOver(info, until)) break;
    }
  info = await look(halyard, id);
  if (signal?.aborted && !isOver(info, until))
    throw new HalyardError("timed_out", `${id} is ${info.state} still; it goes on`);
  if (until === "request" && info.openRequests.length === 0)
    throw new HalyardError("session_stopped", `${id} ended without asking anything`);
  return info;
}

async function look(halyard: Halyard, id: SessionId): Promise<SessionInfo> {
  const info = await halyard.find(id);
  if (info) return info;
  throw new HalyardError("session_not_found", `${id} was removed`);
}

function isOver(info: SessionInfo, until: Until): boolean {
  if (!liveStates.includes(info.state)) return true;
  switch (until) {
    case "idle":
      return info.state === "idle" && info.queue.length === 0;
    case "request":
      return info.openRequests.length > 0;
    case "done":
      return false;
  }
}

function mayEndWait({ type }: StreamEvent): boolean {
  return type === "system" || type === "completion" || type === "request";
}

function describe({ id, state, openRequests }: SessionInfo): string {
  const asked = openRequests.map(({ requestId }) => requestId).join(" ");
  return [id, state, asked].filter(Boolean).join(" ");
}
