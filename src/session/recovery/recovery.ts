import { existsSync } from "node:fs";
import { rm } from "node:fs/promises";
import type { Adapter } from "../../contracts/adapter.ts";
import { warning } from "../../contracts/event-draft.ts";
import type { HalyardParts } from "../../contracts/halyard-parts.ts";
import type { HostProcess } from "../../contracts/host.ts";
import type { SessionRecord, StoredEvent } from "../../contracts/store.ts";
import { errorInfo, HalyardError } from "../../errors/error.ts";
import { EventLog, noOutput } from "../../log/event-log.ts";
import { createRedactor } from "../../log/redaction/redaction.ts";
import type { SessionId } from "../../schema/id.ts";
import { liveStates } from "../../schema/session/session-state.ts";
import type { HandoffTarget, SessionInfo } from "../../schema/session.ts";
import { adapterOn } from "../adapter-on.ts";
import type { Cause } from "../turns/open-turn.ts";
import { claimUnchanged, isHere } from "./claim.ts";
import { type Ending, lastEvents } from "./last-events.ts";
import { restoreTurns } from "./restore.ts";

/**
 * Recovers this machine's sessions whose owning process died. A session becomes `detached`, and can be resumed, if its
 * runtime is still running or its turn is suspended (see `isSuspended`). Any other session becomes `lost`, and its open
 * turns end. Skips sessions whose host does not respond. Several processes can call this function at the same time.
 */
export async function recoverSessions(parts: HalyardParts): Promise<void> {
  const live = await parts.store.list({ states: liveStates });
  const records = live.filter((record) => isHere(parts, record));
  const ownerless = await withoutOwner(parts, records);
  for (let at = 0; at < ownerless.length; at += AT_ONCE) {
    await Promise.all(ownerless.slice(at, at + AT_ONCE).map((one) => recover(parts, one)));
  }
}

/** Returns the sessions that have no owner or whose owner is dead. The health of each owner is checked once. */
async function withoutOwner(
  { health }: HalyardParts,
  records: readonly SessionRecord[],
): Promise<SessionRecord[]> {
  const owners = new Map(records.map(({ owner }) => [JSON.stringify(owner), owner]));
  const dead = new Set<string>();
  for (const [key, owner] of owners)
    if (owner === null || (await health(owner)) === "dead") dead.add(key);
  return records.filter(({ owner }) => dead.has(JSON.stringify(owner)));
}

/** The number of sessions that are recovered in parallel. Their writes share commits. */
const AT_ONCE = 100;

async function recover(parts: HalyardParts, record: SessionRecord): Promise<void> {
  const { info } = record;
  const isAlive = await isRunning(parts, record).catch(cannotTell);
  if (isAlive === undefined) return;
  if ((isAlive || isSuspended(info)) && info.state === "detached") return;
  const writer = await claimUnchanged(parts, record).catch(ownedByAnother);
  if (writer === undefined) return;
  const log = new EventLog(parts, writer, info);
  if (isAlive || isSuspended(info)) {
    await log.append([{ type: "system", subtype: "session_detached" }]);
  } else {
    await declareLost(parts, log);
  }
  await log.release();
}

/**
 * True if the turn of a session waits for a usage limit or a budget, and its runtime can continue the conversation.
 * Such a session survives the exit of its runtime, for example when the machine restarts.
 */
export function isSuspended({ waiting, resumable, runtimeSessionId }: SessionInfo): boolean {
  return waiting !== undefined && resumable && runtimeSessionId !== undefined;
}

/**
 * Skips a session whose host does not respond. The session stays without an owner, so that another process can recover
 * it later.
 */
function cannotTell(error: unknown): undefined {
  if (error instanceof HalyardError && error.code === "host_unavailable") return undefined;
  throw error;
}

function ownedByAnother(error: unknown): undefined {
  if (error instanceof HalyardError && error.code === "session_owned") return undefined;
  throw error;
}

/** True if the runtime of a session is still running. Rejects with `host_unavailable` if the host cannot check the process. */
export async function isRunning(parts: HalyardParts, { info }: SessionRecord): Promise<boolean> {
  const process = await findProcess(parts, info);
  const health = await process?.health();
  await process?.detach();
  if (health === "unknown") {
    await process?.requireKnown?.();
    throw new HalyardError(
      "host_unavailable",
      `The host (${info.host}) of ${info.id} does not respond, so the session may still be running. Try again when the host responds.`,
    );
  }
  return health === "alive";
}

/**
 * Returns the process of a session's runtime. Returns undefined if this Halyard instance does not have the host, if the
 * session has no run directory, or if the process can no longer be identified.
 */
export async function findProcess(
  { adapters, hosts, directories }: HalyardParts,
  session: SessionInfo,
): Promise<HostProcess | undefined> {
  const { id, host: name, runtime } = session;
  const host = hosts.get(name);
  if (host === undefined) return undefined;
  const runDir = directories(id, session).run;
  if (!existsSync(runDir)) return undefined; // every started process has files in its run directory
  const isKnown = (await adapters.names()).includes(runtime);
  const adapter = isKnown ? await adapters.load(runtime, name) : undefined;
  try {
    return await (adapter?.findProcess?.({ host, runDir }) ?? host.attach(runDir));
  } catch (error) {
    if (error instanceof HalyardError && error.code === "lost") return undefined;
    throw error;
  }
}

/** Ends a session as `lost`, because its owning process and its runtime have exited. */
export function declareLost(parts: HalyardParts, log: EventLog): Promise<void> {
  const reason = "the owning process and the runtime exited; events received before that are kept";
  const { id, resumable } = log.info;
  const advice = resumable ? `Run "halyard resume ${id}" to continue.` : "Start a new session.";
  const message = `The owning process of ${id} and its runtime exited. Events received before that are kept. ${advice}`;
  const error = errorInfo("lost", message);
  return endRecord(parts, log, { state: "lost", reason, error });
}

/** Ends a session: closes its open turns, records its end, and kills the processes that its runtime left behind. */
export async function endRecord(parts: HalyardParts, log: EventLog, ending: Ending): Promise<void> {
  const { reason, error } = ending;
  const cause: Cause = error ? { status: "failed", error } : { status: "cancelled", reason };
  const isReported = await endTurns(parts, log, cause);
  const { id, pendingHandoff } = log.info;
  if (pendingHandoff) await log.append([notHandedOver(id, pendingHandoff)], noOutput);
  await log.append(lastEvents(ending, { isReported }), noOutput);
  await clearRun(parts, log.info);
}

function notHandedOver(id: SessionId, handoff: HandoffTarget): StoredEvent {
  const { runtime } = handoff;
  const text = `The work may not have been handed over to ${runtime}, because the owning process died. Run "halyard handoff ${id} --to ${runtime}".`;
  return { ...warning(text), data: { handoff } };
}

/** Records that the runtime of a suspended session has exited, and clears its run directory for a new runtime. */
export async function endSuspended(parts: HalyardParts, log: EventLog): Promise<void> {
  const text = "the runtime exited while the turn waited; Halyard starts it again";
  await log.append([{ type: "system", subtype: "status", text }], noOutput);
  await clearRun(parts, log.info);
}

/**
 * Kills the processes that a runtime may have left behind, and removes the runtime's keys and run directory. Has no effect
 * if the run directory does not exist.
 */
export async function clearRun(parts: HalyardParts, info: SessionInfo): Promise<void> {
  const { run, state: stateDir } = parts.directories(info.id, info);
  if (!existsSync(run)) return;
  const left = await findProcess(parts, info);
  await left?.[Symbol.asyncDispose]();
  await (await adapterOfSession(parts, info))?.clean?.({ stateDir });
  await rm(run, { recursive: true, force: true });
}

/** Returns the adapter of a session, or undefined if its runtime is no longer registered or cannot run on its host. */
async function adapterOfSession(
  { adapters }: HalyardParts,
  { runtime, host }: SessionInfo,
): Promise<Adapter | undefined> {
  if (!(await adapters.names()).includes(runtime)) return undefined;
  return adapterOn(host, await adapters.load(runtime, host));
}

/** Ends the turns that an earlier process left open and denies their requests. Returns true if a turn was open. */
export async function endTurns(
  { store, clock, secrets }: HalyardParts,
  log: EventLog,
  cause: Cause,
): Promise<boolean> {
  const redactor = createRedactor(secrets);
  const { current, queue, requests } = await restoreTurns(store, log.info, {
    clock,
    redactor,
    timeoutMs: 0,
  });
  const turns = current ? [current, ...queue] : queue;
  for (const turn of turns) {
    turn.blame(cause);
    const text = "the session ended before the request was answered";
    const denied = requests.map(
      ({ requestId }): StoredEvent => ({
        type: "response",
        requestId,
        decision: "deny",
        text,
        by: "policy",
      }),
    );
    await turn.close(
      { type: "completion", status: "failed" },
      turn === current ? denied : [],
      (events) => log.append(events, { turnId: turn.id, waits: true }),
    );
  }
  return turns.length > 0;
}
