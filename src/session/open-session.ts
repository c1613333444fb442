import { mkdir, rm } from "node:fs/promises";
import { within } from "../async/watchdog.ts";
import type { Adapter, AttachPoint, Connection, ConnectRequest } from "../contracts/adapter.ts";
import { warning } from "../contracts/event-draft.ts";
import type { Host } from "../contracts/host.ts";
import type { Machine } from "../contracts/machine.ts";
import type { SessionRequest } from "../contracts/session-request.ts";
import type { Writer } from "../contracts/store.ts";
import { HalyardError, toErrorInfo } from "../errors/error.ts";
import { homeError } from "../errors/home-error.ts";
import { EventLog, noOutput } from "../log/event-log.ts";
import { follow } from "../log/follow.ts";
import { type NativeLog, openNativeLog, requireOutOfReach } from "../log/native-log.ts";
import { createRedactor } from "../log/redaction/redaction.ts";
import { storeSource } from "../log/store-source.ts";
import { makeAgentDirectory } from "../permissions/agent-writable.ts";
import { protectedFrom } from "../permissions/protected-directories.ts";
import { noFileMonitor } from "../programs/git-settings.ts";
import type { ErrorInfo } from "../schema/error.ts";
import type { SessionInfo } from "../schema/session.ts";
import { attachmentFiles } from "./attachments/attachment-files.ts";
import { Checkpoints } from "./checkpoints.ts";
import { writeTranscript } from "./handed-off.ts";
import type { ProjectTrust } from "./project-trust.ts";
import { lastEvents } from "./recovery/last-events.ts";
import { endTurns, findProcess } from "./recovery/recovery.ts";
import { restoreTurns } from "./recovery/restore.ts";
import { LiveSession } from "./session.ts";
import type { SessionParts } from "./session-parts.ts";
import { secretsOf, secretsOfRunning, writeSealed } from "./session-secrets.ts";
import type { OpenTurn } from "./turns/open-turn.ts";

/**
 * How the session gets its runtime: by a new start, by a resume of the runtime's own record, or by an attach to a
 * running one.
 */
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
  /** Stops the session after this process has detached from it. */
  readonly stopElsewhere: SessionParts["stopElsewhere"];
  /**
   * Called when this process no longer runs the session. `isRecorded` is false if the store could not record the
   * release.
   */
  readonly onRelease: (options: { isRecorded: boolean }) => void;
}

/** Connects a recorded session to its runtime. If the runtime cannot be started, the session is recorded as failed. */
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
  const onBlocked = (reason: HalyardError) => machine.onBlocked?.(info.id, reason);
  const log = new EventLog(machine, writer, info, { onBlocked });
  let nativeLog: NativeLog | undefined;
  const { workspaces } = machine;
  const checkpoints =
    workspaces && request.checkpoints
      ? new Checkpoints({ log, redactor, open: () => workspaces.open(info.id, info.cwd) })
      : undefined;
  const release: SessionParts["release"] = async ({ isLeftRunning }) => {
    const isRecorded = await log.release().then(
      () => true,
      () => false,
    );
    nativeLog?.close();
    if (!isLeftRunning) await rm(run, { recursive: true, force: true });
    onRelease({ isRecorded });
  };
  /** Records why the session could not be opened, and stops its runtime. */
  const giveUp = async (reason: unknown) => {
    await checkpoints?.abandon();
    let isLeftRunning = isAttached;
    try {
      const error = redactor.redact(toErrorInfo(reason, "start_failed"));
      const isReported = isAttached && (await abandon(machine, log, error));
      isLeftRunning = false;
      const ending = { state: "failed", reason: error.message, error } as const;
      await log.append(lastEvents(ending, { isReported }), { ...noOutput, waits: true });
    } finally {
      await release({ isLeftRunning });
    }
  };
  try {
    if (request.record !== undefined) {
      if (request.host === "container") requireOutOfReach(request.record, request.cwd);
      nativeLog = openNativeLog(request.record, redactor, (problem) => {
        log.append([warning(problem)], { waits: true }).catch(() => {}); // the log has failed already, which ends the session
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
    checkpoints?.begin();
    const neededFrom = () => log.turnCursor;
    const onNativeMessage = nativeLog?.onNativeMessage;
    const { connection, host } = await connect(machine, options, {
      neededFrom,
      ...(onNativeMessage && { onNativeMessage }),
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
      protectedDirs: protectedDirsOf(machine, info),
      raw: request.raw,
      cursor: isAttached ? opening.attach.cursor : 0,
      ...(restored && { restored }),
      ...(checkpoints && { checkpoints }),
      ...(gate && { admitTurn: () => gate.admitTurn(log.info) }),
      requireResponsive: async () => host.requireResponsive?.(),
      attachments: attachmentFiles(machine, info.id),
      finishElsewhere: (turn) => void finishElsewhere(machine, info, turn),
      stopElsewhere,
      release,
    });
    if (project.warnings.length > 0)
      log.append(project.warnings.map(warning), { waits: true }).catch(() => {}); // the session fails for the same reason
    return session;
  } catch (reason) {
    await log.unlessBlocked(giveUp(reason));
    throw reason;
  }
}

/**
 * Ends the turns and the process of a runtime that runs but cannot be attached to. It would otherwise run unobserved.
 */
async function abandon(machine: Machine, log: EventLog, error: ErrorInfo): Promise<boolean> {
  const isReported = await endTurns(machine, log, { status: "failed", error });
  const left = await findProcess(machine, log.info);
  await left?.[Symbol.asyncDispose]();
  return isReported;
}

async function connect(
  machine: Machine,
  options: OpenSessionOptions,
  output: Pick<ConnectRequest, "neededFrom" | "onNativeMessage">,
): Promise<{ connection: Connection; host: Host }> {
  const { adapter, request, info, opening, project } = options;
  const { run, state } = machine.directories(info.id, info);
  const shared = machine.hosts.get(request.host);
  if (shared === undefined) {
    throw new HalyardError("unsupported", `this Halyard has no host "${request.host}"`);
  }
  const { permissions, plan, reasoning, systemPrompt, limits, tools } = request;
  const own = await shared.forSession?.(request);
  const cwd = own?.cwd ?? request.cwd;
  await makeDirectories({ run, state }, opening.opened === "attached" ? [] : secretsOf(request));
  if (opening.opened === "started") await writeTranscript(machine, info);
  const { host, model } = own ?? { host: shared, model: request.model };
  const connectRequest: ConnectRequest = {
    cwd,
    host,
    runDir: run,
    stateDir: state,
    protectedDirs: protectedDirsOf(machine, info),
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

function protectedDirsOf({ protectedDirs = [] }: Machine, info: SessionInfo): string[] {
  return protectedFrom(info.worktree?.path ?? info.cwd, protectedDirs);
}

async function makeDirectories(
  directories: { readonly run: string; readonly state: string },
  secrets: readonly string[],
): Promise<void> {
  try {
    await mkdir(directories.run, { recursive: true, mode: 0o700 });
    makeAgentDirectory(directories.state);
    writeSealed(directories.run, secrets);
  } catch (cause) {
    throw homeError("the directories of the session cannot be created", cause);
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

/** Settles a turn that continues in another process, when its completion is in the log. */
async function finishElsewhere(machine: Machine, info: SessionInfo, turn: OpenTurn): Promise<void> {
  try {
    for await (const event of follow(storeSource(machine.store, info.id), { after: turn.after })) {
      if (event.type !== "completion" || event.turnId !== turn.id) continue;
      turn.outcome.resolve(event.outcome);
      return;
    }
  } catch (cause) {
    const message = `${info.id} was detached; the turn continues, and its end will be in the log`;
    turn.settle(new HalyardError("session_stopped", message, { cause }));
  }
}
