import { setTimeout as delay } from "node:timers/promises";
import { look, shown } from "../../../adapter-kit/look.ts";
import type { ConnectRequest, Handshake } from "../../../contracts/adapter.ts";
import type { Screen, Terminal } from "../../../contracts/terminal.ts";
import { HalyardError } from "../../../errors/error.ts";
import { quoteForShell } from "../../../programs/quote-for-shell.ts";
import { readComposer } from "./delivery/composer.ts";

/** The parts of a connection that the readiness check uses. */
export interface ReadinessParts {
  readonly terminal: Terminal;
  readonly sessionId: string;
  /** Resolves when Claude's SessionStart hook runs. */
  readonly started: Promise<unknown>;
  /** Called with a warning if Claude waits for the user. */
  warn(text: string): void;
}

/**
 * Waits until Claude's input line is visible and its hooks run. Rejects with `start_failed` if the line does not become
 * visible before the time limit, or if no hook runs within another 20 s.
 */
export async function waitUntilReady(
  { resume, limits }: ConnectRequest,
  { terminal, sessionId, started, warn }: ReadinessParts,
): Promise<Handshake> {
  const { pid } = terminal.identity;
  const limitMs = limits.readyMs > 0 ? limits.readyMs * 0.9 : Number.POSITIVE_INFINITY;
  const first = await look(terminal, (screen) => isIdle(screen) || isDialog(screen), limitMs);
  if (isDialog(first)) {
    const view = terminal.viewCommand.map(quoteForShell).join(" ");
    const asked = await look(terminal, isIdle, DIALOG_MS);
    if (!isIdle(asked))
      warn(
        `Claude Code is waiting for input on its screen:\n${shown(asked)}\nTo open the screen, run: ${view}`,
      );
  }
  const last = await look(terminal, isIdle, limitMs);
  if (!isIdle(last))
    throw new HalyardError(
      "start_failed",
      `Claude Code does not accept messages. The screen shows:\n${shown(last)}\nRun "claude" in the session's directory to answer its questions, or start the session with --host local.`,
    );
  const hasHooks = await Promise.race([started.then(() => true), delay(HOOK_MS, false)]);
  if (!hasHooks)
    throw new HalyardError(
      "start_failed",
      "Claude Code does not run hooks, which Halyard needs to confirm messages. Enable hooks in its settings, or start the session with --host local.",
    );
  return { runtimeSessionId: sessionId, pid, resumable: resume !== undefined };
}

/** The time within which some dialogs close automatically, in milliseconds. */
const DIALOG_MS = 1_000;
const HOOK_MS = 20_000;

const isIdle = (screen: Screen): boolean => readComposer(screen).state === "idle";
const isDialog = (screen: Screen): boolean => readComposer(screen).state === "dialog";
