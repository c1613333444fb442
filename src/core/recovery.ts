import { existsSync } from "node:fs";
import { rm } from "node:fs/promises";
import type { SessionInfo } from "../schema/session.ts";
import { liveStates } from "../schema/session-state.ts";
import { errorInfo, HalyardError } from "./error.ts";
import { EventLog, noOutput } from "./event-log.ts";
import type { HostProcess } from "./host.ts";
import { type Ending, lastEvents } from "./last-events.ts";
import type { Machine } from "./machine.ts";
import type { Cause } from "./open-turn.ts";
import { createRedactor } from "./redaction.ts";
import { restoreTurns } from "./restore.ts";
import type { SessionRecord, StoredEvent } from "./store.ts";

/**
 * Sees to sessions whose process died: those whose runtime still runs become `detached`, to be resumed by whoever
 * asks; the others become `lost`, every turn they had open ended as such. Safe to be run by several processes at once.
 */
export async function recoverSessions(machine: Machine): Promise<void> {
  const records = await machine.store.list({ states: liveStates });
  const ownerless = await withoutOwner(machine, records);
  for (let at = 0; at < ownerless.length; at += AT_ONCE) {
    await Promise.all(ownerless.slice(at, at + AT_ONCE).map((one) => recover(machine, one)));
  }
}

/** Those whose owner is dead; the many sessions of one owner are told by one look. */
async function withoutOwner(
  { health }: Machine,
  records: readonly SessionRecord[],
): Promise<SessionRecord[]> {
  const owners = new Map(records.map(({ owner }) => [JSON.stringify(owner), owner]));
  const dead = new Set<string>();
  for (const [key, owner] of owners)
    if (owner === null || (await health(owner)) === "dead") dead.add(key);
  return records.filter(({ owner }) => dead.has(JSON.stringify(owner)));
}

/** What is written together shares its commits: thousands are seen to in a second. */
const AT_ONCE = 100;

async function recover(machine: Machine, record: SessionRecord): Promise<void> {
  const { info, owner } = record;
  const goesOn = await isRunning(machine, record).catch(cannotTell);
  if (goesOn === undefined) return;
  if (goesOn && info.state === "detached") return;
  const writer = await machine.store.claim(info.id, machine.self, owner).catch(takenByAnother);
  if (writer === undefined) return;
  const log = new EventLog(machine, writer, info);
  if (goesOn) {
    await log.append([{ type: "system", subtype: "session_detached" }]);
  } else {
    await declareLost(machine, log);
  }
  await log.release();
}

/** Whoever can tell sees to it: it is nobody's meanwhile. */
function cannotTell(error: unknown): undefined {
  if (error instanceof HalyardError && error.code === "host_unavailable") return undefined;
  throw error;
}

function takenByAnother(error: unknown): undefined {
  if (error instanceof HalyardError && error.code === "session_owned") return undefined;
  throw error;
}

/** Whether the runtime of a session goes on without whoever started it; rejects where that cannot be told. */
export async function isRunning(machine: Machine, { info }: SessionRecord): Promise<boolean> {
  const process = await findProcess(machine, info);
  const health = await process?.health();
  await process?.detach();
  if (health === "unknown") {
    await process?.requireKnown?.();
    throw new HalyardError(
      "host_unavailable",
      `The host (${info.host}) of ${info.id} does not answer, so the session may still run. Try again.`,
    );
  }
  return health === "alive";
}

/** The runtime's process, if it can still be identified. */
export async function findProcess(
  { adapters, hosts, directories }: Machine,
  session: SessionInfo,
): Promise<HostProcess | undefined> {
  const { id, host: name, runtime } = session;
  const host = hosts.get(name);
  if (host === undefined) return undefined;
  const runDir = directories(id, session).run;
  if (!existsSync(runDir)) return undefined; // whatever was started has left its record there
  const isKnown = (await adapters.names()).includes(runtime);
  const adapter = isKnown ? await adapters.load(runtime, name) : undefined;
  try {
    return await (adapter?.findProcess?.({ host, runDir }) ?? host.attach(runDir));
  } catch (error) {
    if (error instanceof HalyardError && error.code === "lost") return undefined;
    throw error;
  }
}

/** Ends a session whose runtime is gone. */
export function declareLost(machine: Machine, log: EventLog): Promise<void> {
  const reason = "the process that ran this session died; what it said until then is kept";
  const error = errorInfo("lost", reason);
  return endRecord(machine, log, { state: "lost", reason, error });
}

/** Ends what the session had open, and the session. What its runtime may have left running is ended too. */
export async function endRecord(machine: Machine, log: EventLog, ending: Ending): Promise<void> {
  const { info } = log;
  const { run } = machine.directories(info.id, info);
  const { reason, error } = ending;
  const cause: Cause = error ? { status: "failed", error } : { status: "cancelled", reason };
  const isTold = await endTurns(machine, log, cause);
  await log.append(lastEvents(ending, { isTold }), noOutput);
  if (!existsSync(run)) return;
  const left = await findProcess(machine, info);
  await left?.[Symbol.asyncDispose]();
  await rm(run, { recursive: true, force: true });
}

/** Ends the turns that an earlier process had open, and denies what they had asked; says whether there were any. */
export async function endTurns(
  { store, clock, secrets }: Machine,
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
    const text = "the session ended before it was answered";
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
