import { resolve } from "node:path";
import { exitCodeOf, HalyardError } from "../../core/error.ts";
import { findSession } from "../../core/find-session.ts";
import type { Halyard, Session } from "../../core/halyard.ts";
import type { Outcome } from "../../schema/outcome.ts";
import type { SessionInfo } from "../../schema/session.ts";
import { Limits, type StartRequest } from "../../schema/start-request.ts";
import { askAboutDirectory } from "../ask-about-directory.ts";
import type { Format } from "../choices.ts";
import { openInterrupts } from "../interrupts.ts";
import { openHalyard } from "../open-halyard.ts";
import { sessionHeading } from "../output/session-heading.ts";
import { whileSpinning } from "../output/spinner.ts";
import type { ScreenPlayOptions } from "../play-on-screen.ts";
import { readPromptAndInput } from "../prompt-text.ts";
import { readResumeOptions, readStartRequest, type SessionFlags } from "../start-request.ts";
import { openTerminal, type Terminal, warn } from "../terminal.ts";

export interface RunOptions extends SessionFlags {
  readonly format: Format;
  readonly agent?: string;
  readonly resume?: string;
  readonly continue?: boolean;
  readonly detach?: boolean;
  /** In seconds. */
  readonly timeout?: number;
  readonly record?: string;
  readonly plain?: boolean;
}

export async function run(prompt: string, options: RunOptions): Promise<number> {
  const terminal = openTerminal(options);
  const { format, timeout } = options;
  const text = await readPromptAndInput(prompt, terminal);
  if (options.resume === undefined && !options.continue) await askAboutDirectory(options, terminal);
  using interrupts = openInterrupts(terminal);
  await using halyard = await openHalyard(terminal, { isReachable: true });
  const resumed = options.continue ? LAST : options.resume;
  const starting = () =>
    resumed === undefined
      ? startSession(halyard, options, terminal)
      : resumeSession(halyard, resumed, options, terminal);
  await using session = await whileSpinning("starting", starting, terminal, format);
  if (interrupts.isRequested) return exitCodeOf({ status: "cancelled" });
  const play = { interrupts, ...(timeout !== undefined && { timeoutMs: timeout * 1000 }) };
  const isOnScreen = format === "text" && isInteractive(terminal);
  const { playTurn } = await loadPlayTurn(); // while the agent gets ready
  if (format === "text") await terminal.out.write(heading(session, terminal, isOnScreen));
  const outcome = isOnScreen
    ? await playOnScreen(halyard, session, text, terminal, play)
    : await playTurn(session, text, terminal, { ...play, format });
  if (outcome === "handed over") return continueInDaemon(session, terminal);
  if (format === "text" && session.info.resumable)
    await terminal.out.write(advice(session, terminal));
  await session.stop("the run is over");
  return exitCodeOf(outcome);
}

async function startSession(
  halyard: Halyard,
  options: RunOptions,
  terminal: Terminal,
): Promise<Session> {
  const runtime = options.runtime ?? options.agent;
  const flags = { ...options, ...(runtime !== undefined && { runtime }) };
  const session = await halyard.start({
    ...(await readStartRequest(flags, terminal)),
    ...startLimits(options),
    attended: terminal.isAttended,
    ...(options.record !== undefined && { record: resolve(options.record) }),
  });
  const { fallback, runtime: actual } = session.info;
  if (fallback) await warn(terminal, [`${fallback.reason} ${actual} runs in its place.`]);
  return session;
}

const LAST = "last";

/** Returns the session of the current directory that was active last. */
async function lastSession(halyard: Halyard): Promise<SessionInfo> {
  const cwd = process.cwd();
  const sessions = await halyard.sessions({ cwd });
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
  terminal: Terminal,
): Promise<Session> {
  const info = id === LAST ? await lastSession(halyard) : await findSession(halyard, id);
  return halyard.resume(info.id, {
    ...(await readResumeOptions(options, info, terminal)),
    ...startLimits(options, info.limits),
    raw: options.raw ?? false,
    ...(options.record !== undefined && { record: resolve(options.record) }),
    attended: terminal.isAttended,
  });
}

/**
 * With `--timeout` a program that hangs before the turn begins is not waited for any longer than for the turn, but a start
 * always has five seconds.
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

/** True if lines can be typed and drawn while the agent works. */
function isInteractive({ isAttended, isLively, out }: Terminal): boolean {
  return isAttended && isLively && out.isTerminal;
}

async function playOnScreen(
  halyard: Halyard,
  session: Session,
  text: string,
  terminal: Terminal,
  options: ScreenPlayOptions,
): Promise<Outcome | "handed over"> {
  const screen = await import("../play-on-screen.ts");
  return screen.playOnScreen(halyard, session, text, terminal, options);
}

/** Has the daemon attach to the runtime of a session that this process has detached from. */
async function continueInDaemon({ id, info }: Session, terminal: Terminal): Promise<number> {
  const { openDaemon } = await loadOpenDaemon();
  await using daemon = await openDaemon(terminal);
  await daemon.resume(id);
  const { err } = terminal;
  const follow = `halyard attach ${info.name ?? id}`;
  await err.write(`${id} continues in the daemon. Watch it: ${err.colors.bold(follow)}\n`);
  return 0;
}

function heading({ info, opened }: Session, { out }: Terminal, isOnScreen: boolean): string {
  const how = opened === "started" ? "" : ` · ${opened}`;
  const keys = isOnScreen ? `\n${KEYS}` : "";
  return out.colors.dim(`${sessionHeading(info)}${how}${keys}\n\n`);
}

const KEYS = "Enter queues · /help lists commands · Ctrl-C interrupts · Ctrl-Z detaches";

function advice({ id }: Session, { out }: Terminal): string {
  return out.colors.dim(`  go on with: halyard run --resume ${id} "…"\n`);
}

/** Outside of functions with `await using`: there the compiler leaves the `.ts` of an import as it is. */
const loadPlayTurn = () => import("../play-turn.ts");
const loadOpenDaemon = () => import("../open-daemon.ts");
