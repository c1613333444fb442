import { resolve } from "node:path";
import type { Halyard, Session } from "../../contracts/halyard.ts";
import { exitCodeOf, HalyardError } from "../../errors/error.ts";
import { findSession } from "../../halyard/find-session.ts";
import type { MessageInput } from "../../schema/attachment.ts";
import type { Outcome } from "../../schema/outcome.ts";
import { Limits, type StartRequest } from "../../schema/session/start-request.ts";
import type { SessionInfo } from "../../schema/session.ts";
import { type AttachmentFlags, attach } from "../attachments.ts";
import type { Format, NotifyMode } from "../choices.ts";
import { type Console, openConsole, warn } from "../console/console.ts";
import { openHalyard } from "../open-halyard.ts";
import { sessionHeading } from "../output/session-heading.ts";
import { whileSpinning } from "../output/spinner.ts";
import { readPromptAndInput } from "../prompt-text.ts";
import { withContinuedSession } from "../runtime/continued-session.ts";
import { requireSendable } from "../send/message-size.ts";
import { readResumeOptions, readStartRequest, type SessionFlags } from "../start-request.ts";
import { askAboutDirectory } from "../trust/ask-about-directory.ts";
import { openInterrupts } from "./interrupts.ts";
import type { InteractiveOptions } from "./send-interactively.ts";

export interface RunOptions extends SessionFlags, AttachmentFlags {
  readonly format: Format;
  readonly agent?: string;
  readonly resume?: string;
  readonly continue?: boolean;
  readonly detach?: boolean;
  /** The time limit of the turn, in seconds. */
  readonly timeout?: number;
  readonly record?: string;
  readonly plain?: boolean;
  readonly notify: NotifyMode;
}

export async function run(prompt: string, options: RunOptions): Promise<number> {
  requireThisMachine(options);
  const console = openConsole(options);
  const { format, timeout, notify } = options;
  const text = await readPromptAndInput(prompt, console);
  requireSendable(text);
  const message = await attach(text, options);
  if (options.resume === undefined && !options.continue) await askAboutDirectory(options, console);
  using interrupts = openInterrupts(console);
  await using halyard = await openHalyard(console, { isReachable: true });
  const resumed = options.continue ? LAST : options.resume;
  const starting = () =>
    resumed === undefined
      ? startSession(halyard, options, console)
      : resumeSession(halyard, resumed, options, console);
  await using session = await whileSpinning("starting", starting, console, format);
  if (interrupts.isRequested) return exitCodeOf({ status: "cancelled" });
  const sending = {
    interrupts,
    notify,
    ...(timeout !== undefined && { timeoutMs: timeout * 1000 }),
  };
  const isInteractive = format === "text" && canInteract(console);
  const { sendAndPrint } = await loadSendAndPrint(); // loaded while the agent starts
  if (format === "text") await console.out.write(heading(session, console, isInteractive));
  const outcome = isInteractive
    ? await sendInteractively(halyard, session, message, console, sending)
    : await sendAndPrint(session, message, console, { ...sending, format });
  if (outcome === "handed over") return continueInDaemon(session, console);
  const next =
    outcome.metadata?.handoff === undefined
      ? undefined
      : await (await loadFollowHandoff()).followHandoff(halyard, session, outcome, console);
  const last = next?.session ?? session;
  if (next && format === "text") await console.out.write(`\n${heading(last, console, false)}`);
  const final = next
    ? await sendAndPrint(last, "", console, { ...sending, format, turnId: next.turnId })
    : outcome;
  if (format === "text" && last.info.resumable) await console.out.write(advice(last, console));
  for (const one of new Set([session, last])) await one.stop("the run has ended");
  return exitCodeOf(final);
}

/** Throws if the options name a machine, because a session that is not detached runs in this process. */
function requireThisMachine({ on }: RunOptions): void {
  if (on === undefined) return;
  throw new HalyardError(
    "invalid_input",
    `--on needs --detach, because "halyard run" runs the agent on this machine. Run "halyard run --detach --on ${on} …".`,
  );
}

async function startSession(
  halyard: Halyard,
  options: RunOptions,
  console: Console,
): Promise<Session> {
  const runtime = options.runtime ?? options.agent;
  const flags = { ...options, ...(runtime !== undefined && { runtime }) };
  const request = await readStartRequest(flags, console);
  const session = await halyard.start({
    ...(await withContinuedSession(halyard, request, flags)),
    ...startLimits(options),
    attended: console.isAttended,
    ...(options.record !== undefined && { record: resolve(options.record) }),
  });
  const { fallback, runtime: actual } = session.info;
  if (fallback) await warn(console, [`${fallback.reason} Running ${actual} instead.`]);
  return session;
}

const LAST = "last";

/** Returns the last active session in the current directory that has had a turn. Throws if there is none. */
async function lastSession(halyard: Halyard): Promise<SessionInfo> {
  const cwd = process.cwd();
  const sessions = (await halyard.sessions({ cwd })).filter(({ turns }) => turns > 0);
  const [last] = sessions.sort((a, b) => b.updatedAt.localeCompare(a.updatedAt));
  if (last) return last;
  throw new HalyardError(
    "session_not_found",
    `No session has run in ${cwd}. Run "halyard sessions" to list the sessions of all directories.`,
  );
}

async function resumeSession(
  halyard: Halyard,
  id: string,
  options: RunOptions,
  console: Console,
): Promise<Session> {
  const info = id === LAST ? await lastSession(halyard) : await findSession(halyard, id);
  return halyard.resume(info.id, {
    ...(await readResumeOptions(options, info, console)),
    ...startLimits(options, info.limits),
    raw: options.raw ?? false,
    ...(options.record !== undefined && { record: resolve(options.record) }),
    attended: console.isAttended,
  });
}

/**
 * Limits the start to the time in `--timeout`, but at least 5 s, so that a program that hangs does not block the run.
 */
function startLimits(
  { timeout }: RunOptions,
  limits: StartRequest["limits"] = {},
): Pick<StartRequest, "limits"> {
  if (timeout === undefined) return {};
  const { startMs, readyMs } = Limits.parse(limits);
  const longestMs = Math.max(timeout * 1000, SHORTEST_START_MS);
  const atMost = (ms: number) => (ms === 0 ? longestMs : Math.min(ms, longestMs));
  return { limits: { ...limits, startMs: atMost(startMs), readyMs: atMost(readyMs) } };
}

const SHORTEST_START_MS = 5000;

/** True if the user can type lines while the agent works. */
function canInteract({ isAttended, canAnimate, out }: Console): boolean {
  return isAttended && canAnimate && out.isTTY;
}

async function sendInteractively(
  halyard: Halyard,
  session: Session,
  message: string | MessageInput,
  console: Console,
  options: InteractiveOptions,
): Promise<Outcome | "handed over"> {
  const interactive = await import("./send-interactively.ts");
  return interactive.sendInteractively(halyard, session, message, console, options);
}

/** Makes the daemon attach to the runtime of a session that this process has detached from. */
async function continueInDaemon({ id, info }: Session, console: Console): Promise<number> {
  const { openDaemon } = await loadOpenDaemon();
  await using daemon = await openDaemon(console);
  await daemon.resume(id);
  const { err } = console;
  const follow = `halyard attach ${info.name ?? id}`;
  await err.write(`${id} continues in the daemon. To watch it: ${err.colors.bold(follow)}\n`);
  return 0;
}

function heading({ info, opened }: Session, { out }: Console, isInteractive: boolean): string {
  const origin = opened === "started" ? "" : ` · ${opened}`;
  const keys = isInteractive ? `\n${KEYS}` : "";
  return out.colors.dim(`${sessionHeading(info)}${origin}${keys}\n\n`);
}

const KEYS = "Enter queues · /help lists commands · Ctrl-C interrupts · Ctrl-Z detaches";

function advice({ id, info: { worktree } }: Session, { out }: Console): string {
  const adopt = worktree
    ? `  The changes are on the branch ${worktree.branch}. Apply them here: halyard adopt ${id}\n`
    : "";
  return out.colors.dim(`  Continue with: halyard run --resume ${id} "…"\n${adopt}`);
}

/** Separate functions, because the compiler does not rewrite `.ts` in imports inside a function with `await using`. */
const loadSendAndPrint = () => import("./send-and-print.ts");
const loadFollowHandoff = () => import("./follow-handoff.ts");
const loadOpenDaemon = () => import("../open-daemon.ts");
