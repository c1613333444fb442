import { mkdir, rm } from "node:fs/promises";
import type { SessionInfo } from "../schema/session.ts";
import type { Adapter, AttachPoint, Connection, ConnectRequest } from "./adapter.ts";
import { HalyardError, toErrorInfo } from "./error.ts";
import { EventLog } from "./event-log.ts";
import type { Machine } from "./machine.ts";
import type { OpenTurn } from "./open-turn.ts";
import { openRecording, type Recording } from "./recording.ts";
import { createRedactor, isSecretName, type Redactor } from "./redaction.ts";
import { restoreTurns } from "./restore.ts";
import { LiveSession } from "./session.ts";
import type { SessionRequest } from "./session-request.ts";
import type { Writer } from "./store.ts";
import { followStore } from "./store-source.ts";
import { within } from "./watchdog.ts";

/** How a runtime comes to a session: started, continued from its own record, or found still running. */
export type Opening =
  | { readonly opened: "started" }
  | { readonly opened: "resumed"; readonly resume: string }
  | { readonly opened: "attached"; readonly attach: AttachPoint };

export interface OpenSessionOptions {
  readonly adapter: Adapter;
  readonly request: SessionRequest;
  readonly info: SessionInfo;
  readonly writer: Writer;
  readonly opening: Opening;
  /** The session is over, or goes on without us. */
  readonly onRelease: () => void;
}

/** Connects a session on record to its runtime. A runtime that cannot be started leaves a failed session behind. */
export async function openSession(
  machine: Machine,
  options: OpenSessionOptions,
): Promise<LiveSession> {
  const { adapter, request, info, writer, opening, onRelease } = options;
  const { store, clock } = machine;
  const { run } = machine.directories(info.id);
  const redactor = createRedactor([...machine.secrets, ...secretsOf(request)]);
  const log = new EventLog(store, writer, info, clock);
  const isAttached = opening.opened === "attached";
  let recording: Recording | undefined;
  const release = async () => {
    await log.release().catch(() => {}); // what cannot be given back is recovered once this process has ended
    recording?.close();
    if (log.info.state !== "detached") await rm(run, { recursive: true, force: true });
    onRelease();
  };
  try {
    if (request.record !== undefined) recording = openRecording(request.record, redactor);
    const timeoutMs = request.limits.turnMs;
    const restored =
      isAttached && (await restoreTurns(store, info, { clock, redactor, timeoutMs }));
    const connection = await connect(machine, options, recording?.hear);
    return new LiveSession({
      opened: opening.opened,
      connection,
      capabilities: adapter.capabilities,
      log,
      clock,
      redactor,
      limits: request.limits,
      attended: request.attended,
      raw: request.raw,
      cursor: isAttached ? opening.attach.cursor : 0,
      ...(restored && { restored }),
      outlive: (turn) => void outlive(machine, info, turn).catch((error) => turn.settle(error)),
      release,
    });
  } catch (error) {
    await recordFailure(log, error, redactor);
    await release();
    throw error;
  }
}

async function connect(
  machine: Machine,
  options: OpenSessionOptions,
  hear: ConnectRequest["hear"],
): Promise<Connection> {
  const { adapter, request, info, opening } = options;
  const { run, state } = machine.directories(info.id);
  const host = machine.hosts.get(request.host);
  if (host === undefined) {
    throw new HalyardError("unsupported", `there is no host "${request.host}" here`);
  }
  await mkdir(run, { recursive: true, mode: 0o700 });
  await mkdir(state, { recursive: true, mode: 0o700 });
  const { cwd, permissions, plan, model, reasoning, systemPrompt, env, limits } = request;
  const connectRequest: ConnectRequest = {
    cwd,
    host,
    runDir: run,
    stateDir: state,
    permissions,
    plan,
    env,
    limits,
    options: request.options,
    ...(hear && { hear }),
    ...(model && { model }),
    ...(reasoning && { reasoning }),
    ...(systemPrompt !== undefined && { systemPrompt }),
    ...(opening.opened === "resumed" && { resume: opening.resume }),
    ...(opening.opened === "attached" && { attach: opening.attach }),
  };
  const what = `starting ${adapter.name}`;
  return within("start", limits.startMs, what, adapter.connect(connectRequest));
}

async function recordFailure(log: EventLog, reason: unknown, redactor: Redactor): Promise<void> {
  const error = redactor.redact(toErrorInfo(reason, "start_failed"));
  await log.append([
    { type: "error", ...error },
    {
      type: "system",
      subtype: "session_stopped",
      text: error.message,
      data: { state: "failed", error },
    },
  ]);
}

/** A turn that goes on in another process ends here when its completion is in the log. */
async function outlive(machine: Machine, info: SessionInfo, turn: OpenTurn): Promise<void> {
  for await (const event of followStore(machine.store, info.id, { after: turn.after })) {
    if (event.type !== "completion" || event.turnId !== turn.id) continue;
    turn.outcome.resolve(event.outcome);
    return;
  }
}

function secretsOf({ model, env }: SessionRequest): string[] {
  const fromEnv = Object.entries(env).filter(([name]) => isSecretName(name));
  return [...(model?.apiKey ? [model.apiKey] : []), ...fromEnv.map(([, value]) => value)];
}
