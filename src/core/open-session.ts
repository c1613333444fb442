import { mkdir, rm } from "node:fs/promises";
import type { ErrorInfo } from "../schema/error.ts";
import type { SessionInfo } from "../schema/session.ts";
import type { Adapter, AttachPoint, Connection, ConnectRequest } from "./adapter.ts";
import { makeAgentDirectory } from "./agent-writable.ts";
import { warning } from "./draft.ts";
import { HalyardError, toErrorInfo } from "./error.ts";
import { EventLog, noOutput } from "./event-log.ts";
import { follow } from "./follow.ts";
import { noFileMonitor } from "./git-settings.ts";
import { homeError } from "./home-error.ts";
import type { Host } from "./host.ts";
import { lastEvents } from "./last-events.ts";
import type { Machine } from "./machine.ts";
import type { OpenTurn } from "./open-turn.ts";
import type { ProjectTrust } from "./project-trust.ts";
import { openRecording, type Recording, requireOutOfReach } from "./recording.ts";
import { endTurns, findProcess } from "./recovery.ts";
import { createRedactor } from "./redaction.ts";
import { restoreTurns } from "./restore.ts";
import { LiveSession } from "./session.ts";
import type { SessionParts } from "./session-parts.ts";
import type { SessionRequest } from "./session-request.ts";
import { keepSealed, secretsOf, secretsOfRunning } from "./session-secrets.ts";
import type { Writer } from "./store.ts";
import { storeSource } from "./store-source.ts";
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
  readonly project: ProjectTrust;
  /** Ends it after it was let go of here. */
  readonly stopElsewhere: SessionParts["stopElsewhere"];
  /** The session is over, or goes on without us; not told where the store could not be. */
  readonly onRelease: (options: { isTold: boolean }) => void;
}

/** Connects a session on record to its runtime. A runtime that cannot be started leaves a failed session behind. */
export async function openSession(
  machine: Machine,
  options: OpenSessionOptions,
): Promise<LiveSession> {
  const { adapter, request, info, writer, opening, project, onRelease, stopElsewhere } = options;
  const { store, clock, gate } = machine;
  const { run } = machine.directories(info.id, info);
  const isAttached = opening.opened === "attached";
  const theirs = isAttached ? await secretsOfRunning(machine, info) : undefined;
  const known = [...machine.secrets, ...secretsOf(request), ...(theirs?.known ?? [])];
  const redactor = createRedactor(known, theirs?.sealed);
  const onHeldUp = (reason: HalyardError) => machine.onHeldUp?.(info.id, reason);
  const log = new EventLog(machine, writer, info, { onHeldUp });
  let recording: Recording | undefined;
  const release: SessionParts["release"] = async ({ isLeftRunning }) => {
    const isTold = await log.release().then(
      () => true,
      () => false,
    );
    recording?.close();
    if (!isLeftRunning) await rm(run, { recursive: true, force: true });
    onRelease({ isTold });
  };
  /** Puts on record why it could not be opened, and leaves nothing of it running. */
  const giveUp = async (reason: unknown) => {
    let isLeftRunning = isAttached;
    try {
      const error = redactor.redact(toErrorInfo(reason, "start_failed"));
      const isTold = isAttached && (await abandon(machine, log, error));
      isLeftRunning = false;
      const ending = { state: "failed", reason: error.message, error } as const;
      await log.append(lastEvents(ending, { isTold }), { ...noOutput, waits: true });
    } finally {
      await release({ isLeftRunning });
    }
  };
  try {
    if (request.record !== undefined) {
      if (request.host === "container") requireOutOfReach(request.record, request.cwd);
      recording = openRecording(request.record, redactor, (problem) => {
        log.append([warning(problem)], { waits: true }).catch(() => {}); // the log has worse to tell
      });
    }
    const timeoutMs = request.limits.turnMs;
    const restored =
      opening.opened === "attached" &&
      (await restoreTurns(store, info, {
        clock,
        redactor,
        timeoutMs,
      }));
    const neededFrom = () => log.turnCursor;
    const hear = recording?.hear;
    const { connection, host } = await connect(machine, options, {
      neededFrom,
      ...(hear && { hear }),
    });
    const session = new LiveSession({
      opened: opening.opened,
      connection,
      capabilities: adapter.capabilities,
      log,
      clock,
      redactor,
      remedies: { signIn: adapter.signIn, model: request.model },
      limits: request.limits,
      attended: request.attended,
      protectedDirs: machine.protectedDirs ?? [],
      raw: request.raw,
      cursor: isAttached ? opening.attach.cursor : 0,
      ...(restored && { restored }),
      ...(gate && { admitTurn: () => gate.admitTurn(log.info) }),
      requireResponsive: async () => host.requireResponsive?.(),
      outlive: (turn) => void outlive(machine, info, turn),
      stopElsewhere,
      release,
    });
    if (project.warnings.length > 0)
      log.append(project.warnings.map(warning), { waits: true }).catch(() => {}); // the session fails for the same reason
    return session;
  } catch (reason) {
    await log.unlessHeldUp(giveUp(reason));
    throw reason;
  }
}

/** A runtime that runs and cannot be taken hold of would run on unseen: it is ended, and so is what it had to do. */
async function abandon(machine: Machine, log: EventLog, error: ErrorInfo): Promise<boolean> {
  const isTold = await endTurns(machine, log, { status: "failed", error });
  const left = await findProcess(machine, log.info);
  await left?.[Symbol.asyncDispose]();
  return isTold;
}

async function connect(
  machine: Machine,
  options: OpenSessionOptions,
  output: Pick<ConnectRequest, "neededFrom" | "hear">,
): Promise<{ connection: Connection; host: Host }> {
  const { adapter, request, info, opening, project } = options;
  const { run, state } = machine.directories(info.id, info);
  const shared = machine.hosts.get(request.host);
  if (shared === undefined) {
    throw new HalyardError("unsupported", `there is no host "${request.host}" here`);
  }
  const { permissions, plan, reasoning, systemPrompt, limits, tools } = request;
  const own = await shared.forSession?.(request);
  const cwd = own?.cwd ?? request.cwd;
  await makePlace({ run, state }, opening.opened === "attached" ? [] : secretsOf(request));
  const { host, model } = own ?? { host: shared, model: request.model };
  const connectRequest: ConnectRequest = {
    cwd,
    host,
    runDir: run,
    stateDir: state,
    ...(machine.protectedDirs && { protectedDirs: machine.protectedDirs }),
    permissions,
    plan,
    trusted: project.trusted,
    env: environmentOf(adapter, request, project),
    limits,
    options: request.options,
    ...output,
    ...(model && { model }),
    ...(reasoning && { reasoning }),
    ...(tools && { tools }),
    ...(systemPrompt !== undefined && { systemPrompt }),
    ...(opening.opened === "resumed" && { resume: opening.resume }),
    ...(opening.opened === "attached" && { attach: opening.attach }),
  };
  const what = `starting ${adapter.name}`;
  const connection = await within("start", limits.startMs, what, adapter.connect(connectRequest));
  return { connection, host };
}

async function makePlace(
  directories: { readonly run: string; readonly state: string },
  secrets: readonly string[],
): Promise<void> {
  try {
    await mkdir(directories.run, { recursive: true, mode: 0o700 });
    makeAgentDirectory(directories.state);
    keepSealed(directories.run, secrets);
  } catch (cause) {
    throw homeError("the session has no place for its files", cause);
  }
}

function environmentOf(
  { accountVariable }: Adapter,
  { env, accountDir }: SessionRequest,
  { trusted }: ProjectTrust,
): Record<string, string> {
  const account = accountVariable !== undefined && accountDir !== undefined;
  return {
    ...env,
    ...(!trusted && noFileMonitor(env)),
    ...(account && { [accountVariable]: accountDir }),
  };
}

/** A turn that goes on in another process ends here when its completion is in the log. */
async function outlive(machine: Machine, info: SessionInfo, turn: OpenTurn): Promise<void> {
  try {
    for await (const event of follow(storeSource(machine.store, info.id), { after: turn.after })) {
      if (event.type !== "completion" || event.turnId !== turn.id) continue;
      turn.outcome.resolve(event.outcome);
      return;
    }
  } catch (cause) {
    const message = `${info.id} was let go of; the turn goes on, and its end will be in the log`;
    turn.settle(new HalyardError("session_stopped", message, { cause }));
  }
}
