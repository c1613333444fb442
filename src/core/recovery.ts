import { rm } from "node:fs/promises";
import type { SessionInfo, SessionState } from "../schema/session.ts";
import { HalyardError, toErrorInfo } from "./error.ts";
import { EventLog } from "./event-log.ts";
import type { HostProcess } from "./host.ts";
import type { Machine } from "./machine.ts";
import { createRedactor } from "./redaction.ts";
import { restoreTurns } from "./restore.ts";
import type { SessionRecord, StoredEvent } from "./store.ts";

const live: readonly SessionState[] = ["starting", "idle", "running", "waiting", "detached"];

/**
 * Sees to sessions whose process died: those whose runtime still runs become `detached`, to be resumed by whoever
 * asks; the others become `lost`, every turn they had open ended as such. Safe to be run by several processes at once.
 */
export async function recoverSessions(machine: Machine): Promise<void> {
  for (const record of await machine.store.list({ states: live })) {
    await recover(machine, record);
  }
}

async function recover(machine: Machine, record: SessionRecord): Promise<void> {
  const { info, owner } = record;
  if (owner && (await machine.health(owner)) !== "dead") return;
  const goesOn = await isRunning(machine, record);
  if (goesOn && info.state === "detached") return;
  const writer = await machine.store.claim(info.id, machine.self, owner).catch(takenByAnother);
  if (writer === undefined) return;
  const log = new EventLog(machine.store, writer, info, machine.clock);
  if (goesOn) {
    await log.append([{ type: "system", subtype: "session_detached" }]);
  } else {
    await declareLost(machine, record, log);
  }
  await log.release();
}

function takenByAnother(error: unknown): undefined {
  if (error instanceof HalyardError && error.code === "session_owned") return undefined;
  throw error;
}

/** Whether the runtime of a session goes on without whoever started it. */
export async function isRunning(machine: Machine, { info }: SessionRecord): Promise<boolean> {
  const process = await findProcess(machine, info);
  const health = await process?.health();
  await process?.detach();
  return health === "alive";
}

/** The runtime's process, if it can still be identified. */
export async function findProcess(
  { adapters, hosts, directories }: Machine,
  { id, host: name, runtime }: SessionInfo,
): Promise<HostProcess | undefined> {
  const host = hosts.get(name);
  if (host === undefined) return undefined;
  const runDir = directories(id).run;
  const adapter = adapters.names.includes(runtime) ? await adapters.load(runtime) : undefined;
  try {
    return await (adapter?.findProcess?.({ host, runDir }) ?? host.attach(runDir));
  } catch (error) {
    if (error instanceof HalyardError && error.code === "lost") return undefined;
    throw error;
  }
}

/** Ends what the session had open, and the session. What its runtime may have left running is ended too. */
export async function declareLost(
  machine: Machine,
  { info }: SessionRecord,
  log: EventLog,
): Promise<void> {
  const { store, clock, secrets } = machine;
  const { run } = machine.directories(info.id);
  const lost = toErrorInfo(
    new HalyardError(
      "lost",
      "the process that ran this session died; what it said until then is kept",
    ),
  );
  const redactor = createRedactor(secrets);
  const { current, queue, requests } = await restoreTurns(store, info, {
    clock,
    redactor,
    timeoutMs: 0,
  });
  for (const turn of current ? [current, ...queue] : queue) {
    turn.blame({ status: "failed", error: lost });
    const text = "the session was lost before it was answered";
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
      (events) => log.append(events, { turnId: turn.id }),
    );
  }
  await log.append([
    {
      type: "system",
      subtype: "session_stopped",
      text: lost.message,
      data: { state: "lost", error: lost },
    },
  ]);
  const left = await findProcess(machine, info);
  await left?.[Symbol.asyncDispose]();
  await rm(run, { recursive: true, force: true });
}
