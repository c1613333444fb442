import { mkdir, rm } from "node:fs/promises";
import { within } from "../async/watchdog.ts";
import type { Adapter, AttachPoint, Connection, ConnectRequest } from "../contracts/adapter.ts";
import { warning } from "../contracts/event-draft.ts";
import type { ForkSource } from "../contracts/fork-source.ts";
import type { Halyard } from "../contracts/halyard.ts";
import type { HalyardParts } from "../contracts/halyard-parts.ts";
import type { Host } from "../contracts/host.ts";
import type { SessionRequest } from "../contracts/session-request.ts";
import type { Writer } from "../contracts/store.ts";
import { HalyardError, toErrorInfo } from "../errors/error.ts";
import { homeError } from "../errors/home-error.ts";
import { EventLog, noOutput } from "../log/event-log.ts";
import { type NativeLog, openRequestedLog } from "../log/native-log.ts";
import { createRedactor, type Redactor } from "../log/redaction/redaction.ts";
import { makeAgentDirectory } from "../permissions/agent-writable.ts";
import { protectedFrom } from "../permissions/protected-directories.ts";
import type { ErrorInfo } from "../schema/error.ts";
import type { Usage } from "../schema/outcome.ts";
import type { SessionInfo } from "../schema/session.ts";
import { withEstimate } from "../schema/usage/prices.ts";
import { agentVariables } from "./agent-variables.ts";
import { attachmentFiles } from "./attachments/attachment-files.ts";
import { Checkpoints } from "./checkpoints.ts";
import { finishElsewhere } from "./finish-elsewhere.ts";
import { handOff, writeTranscript } from "./handed-off.ts";
import { withListAdvice } from "./list-advice.ts";
import { budgetAccounts } from "./pauses/budget-accounts.ts";
import { WakeSlots } from "./pauses/wake-slots.ts";
import type { ProjectTrust } from "./project-trust.ts";
import { lastEvents } from "./recovery/last-events.ts";
import { endTurns, findProcess, isSuspended } from "./recovery/recovery.ts";
import { restoreTurns } from "./recovery/restore.ts";
import { createSaver } from "./saved/create-saver.ts";
import { LiveSession } from "./session.ts";
import type { SessionParts } from "./session-parts.ts";
import { secretsOf, secretsOfRunning, writeSealed } from "./session-secrets.ts";

/**
 * How the session is connected to its runtime: a new start, a resume from the runtime's own record, or an attach to a
 * running runtime.
 */
export type Opening =
  | { readonly opened: "started"; readonly fork?: ForkSource }
  | { readonly opened: "resumed"; readonly resume: string }
  | { readonly opened: "attached"; readonly attach: AttachPoint };

/** Options of `openSession`. */
export interface OpenSessionOptions {
  readonly adapter: Adapter;
  readonly request: SessionRequest;
  readonly info: SessionInfo;
  readonly writer: Writer;
  readonly opening: Opening;
  readonly project: ProjectTrust;
  /** The Halyard instance that runs the session. */
  readonly halyard: Halyard;
  /** Starts a session that continues a copy of the conversation. */
  readonly fork: SessionParts["fork"];
  /**
   * Called when this process no longer runs the session. `isRecorded` is false if the store could not record the
   * release.
   */
  readonly onRelease: (options: { isRecorded: boolean }) => void;
}

/** Connects a recorded session to its runtime. If this fails, records the session as failed and rejects with the reason. */
export async function openSession(
  parts: HalyardParts,
  options: OpenSessionOptions,
): Promise<LiveSession> {
  const { adapter, request, info, writer, opening, project, onRelease } = options;
  const { halyard, fork } = options;
  const { store, clock, gate } = parts;
  const { run } = parts.directories(info.id, info);
  const isAttached = opening.opened === "attached";
  const hasOpenTurns = isAttached || (opening.opened === "resumed" && isSuspended(info));
  const theirs = isAttached ? await secretsOfRunning(parts, info) : undefined;
  const known = [...parts.secrets, ...secretsOf(request), ...(theirs?.known ?? [])];
  const redactor = createRedactor(known, theirs?.sealed);
  const onBlocked = (reason: HalyardError) => parts.onBlocked?.(info.id, reason);
  const log = new EventLog(parts, writer, withChanges(options, redactor), { onBlocked });
  let nativeLog: NativeLog | undefined;
  const { workspaces } = parts;
  const saver = createSaver(parts, { adapter, info, current: () => log.info });
  const checkpoints =
    workspaces && request.checkpoints
      ? new Checkpoints({
          log,
          redactor,
          open: () => workspaces.open(info.id, info.cwd),
          ...saver,
        })
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
  /**
   * Records why the session could not be opened, and releases the session. If the session has open turns, ends the turns
   * and stops the runtime.
   */
  const giveUp = async (reason: unknown) => {
    await checkpoints?.abandon();
    let isLeftRunning = isAttached;
    try {
      const error = redactor.redact(toErrorInfo(reason, "start_failed"));
      const isReported = hasOpenTurns && (await abandon(parts, log, error));
      isLeftRunning = false;
      const ending = { state: "failed", reason: error.message, error } as const;
      await log.append(lastEvents(ending, { isReported }), { ...noOutput, waits: true });
    } finally {
      await release({ isLeftRunning });
    }
  };
  const trace = parts.traceOf?.(info);
  try {
    const warn = (problem: string) => {
      // the append fails only if the log has already failed, which ends the session
      log.append([warning(problem)], { waits: true }).catch(() => {});
    };
    const isContinued = opening.opened !== "started" && request.record === info.record;
    nativeLog = openRequestedLog(request, redactor, { warn, isContinued });
    const timeoutMs = request.limits.turnMs;
    const prices = (await parts.prices?.(info)) ?? [];
    const shared = (await parts.budgets?.(info)) ?? {};
    const estimate = (usage: Usage) => withEstimate(usage, log.info.model?.id, prices);
    const restored =
      hasOpenTurns &&
      (await restoreTurns(store, info, {
        clock,
        redactor,
        timeoutMs,
        estimate,
      }));
    checkpoints?.begin();
    const onNativeMessage = nativeLog?.onNativeMessage;
    const { connection, host } = await connect(parts, options, {
      neededFrom: () => log.turnCursor,
      loggedUntil: () => log.cursor,
      ...(onNativeMessage && { onNativeMessage }),
      ...(trace && { trace }),
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
      protectedDirs: protectedDirsOf(parts, info),
      raw: request.raw,
      cursor: isAttached ? opening.attach.cursor : 0,
      ...(restored && { restored }),
      ...(checkpoints && { checkpoints }),
      ...(gate && { admitTurn: () => gate.admitTurn(log.info) }),
      estimate,
      budgets: () => budgetAccounts(parts, log.info, shared),
      wakeSlots: parts.wakeSlots ?? new WakeSlots(clock),
      handOff: (to, id) => handOff(halyard, info.id, to, id),
      requireResponsive: async () => host.requireResponsive?.(),
      attachments: attachmentFiles(parts, info.id),
      ...(trace && { trace }),
      finishElsewhere: (turn) => void finishElsewhere(parts, info, turn),
      stopElsewhere: (reason) => halyard.stop(info.id, reason),
      fork,
      release,
    });
    if (project.warnings.length > 0)
      // if the append fails, the session fails for the same reason
      log.append(project.warnings.map(warning), { waits: true }).catch(() => {});
    return session;
  } catch (error) {
    const reason = withListAdvice(info, error);
    await log.unlessBlocked(giveUp(reason));
    throw reason;
  }
}

/**
 * Adds the native log and the system prompt of the request to the session's state. A running runtime keeps its system
 * prompt.
 */
function withChanges(
  { info, request, opening }: OpenSessionOptions,
  redactor: Redactor,
): SessionInfo {
  const { record = info.record } = request;
  const isRunning = opening.opened === "attached";
  const systemPrompt = isRunning ? undefined : redactor.redact(request.systemPrompt);
  return {
    ...info,
    ...(record !== undefined && { record }),
    ...(systemPrompt !== undefined && { systemPrompt }),
  };
}

/**
 * Ends the open turns and the runtime's process, because the runtime would otherwise run unobserved. Returns true if a
 * turn has reported the error.
 */
async function abandon(parts: HalyardParts, log: EventLog, error: ErrorInfo): Promise<boolean> {
  const isReported = await endTurns(parts, log, { status: "failed", error });
  const left = await findProcess(parts, log.info);
  await left?.[Symbol.asyncDispose]();
  return isReported;
}

async function connect(
  parts: HalyardParts,
  options: OpenSessionOptions,
  output: Pick<ConnectRequest, "neededFrom" | "loggedUntil" | "onNativeMessage" | "trace">,
): Promise<{ connection: Connection; host: Host }> {
  const { adapter, request, info, opening, project } = options;
  const { run, state } = parts.directories(info.id, info);
  const shared = parts.hosts.get(request.host);
  if (shared === undefined)
    throw new HalyardError(
      "unsupported",
      `The host "${request.host}" is not available in this Halyard instance. Choose another host.`,
    );
  const { permissions, plan, reasoning, systemPrompt, limits, tools } = request;
  const own = await shared.forSession?.(request);
  const cwd = own?.cwd ?? request.cwd;
  await makeDirectories({ run, state }, opening.opened === "attached" ? [] : secretsOf(request));
  if (opening.opened === "started") await writeTranscript(parts, info);
  const { host, model } = own ?? { host: shared, model: request.model };
  const connectRequest: ConnectRequest = {
    cwd,
    host,
    runDir: run,
    stateDir: state,
    protectedDirs: protectedDirsOf(parts, info),
    permissions,
    plan,
    trusted: project.trusted,
    env: agentVariables(adapter, request, { project, trace: output.trace }),
    limits,
    options: request.options,
    ...output,
    ...(model && { model }),
    ...(reasoning && { reasoning }),
    ...(tools && { tools }),
    ...(systemPrompt !== undefined && { systemPrompt }),
    ...(opening.opened === "started" && opening.fork && { fork: opening.fork }),
    ...(opening.opened === "resumed" && { resume: opening.resume }),
    ...(opening.opened === "attached" && { attach: opening.attach }),
  };
  if (connectRequest.fork && host.hasOwnFiles)
    throw new HalyardError(
      "unsupported",
      "The conversation is stored in the container, so it cannot be forked. Start a new session.",
    );
  const what = `starting ${adapter.name}`;
  const connection = await within("start", limits.startMs, what, adapter.connect(connectRequest), {
    setting: "limits.startMs",
  });
  return { connection, host };
}

function protectedDirsOf({ protectedDirs = [] }: HalyardParts, info: SessionInfo): string[] {
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
    throw homeError("The directories of the session cannot be created", cause);
  }
}
