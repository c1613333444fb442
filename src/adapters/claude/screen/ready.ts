import { setTimeout as delay } from "node:timers/promises";
import type { ConnectRequest, Handshake } from "../../../core/adapter.ts";
import { HalyardError } from "../../../core/error.ts";
import { look, shown } from "../../../core/look.ts";
import { quoteForShell } from "../../../core/quote-for-shell.ts";
import type { Screen, Terminal } from "../../../core/terminal.ts";
import { readComposer } from "./composer.ts";

export interface Readiness {
  readonly terminal: Terminal;
  readonly sessionId: string;
  /** Resolves once Claude's own hook has told that the session began. */
  readonly started: Promise<unknown>;
  /** Claude waits for a person. */
  warn(text: string): void;
}

/** Resolves once there is a line to type into and Claude's hooks tell us what becomes of it. */
export async function becomeReady(
  { resume, limits }: ConnectRequest,
  { terminal, sessionId, started, warn }: Readiness,
): Promise<Handshake> {
  const { pid } = terminal.identity;
  const limitMs = limits.readyMs > 0 ? limits.readyMs * 0.9 : Number.POSITIVE_INFINITY;
  const first = await look(terminal, (screen) => isIdle(screen) || isDialog(screen), limitMs);
  if (isDialog(first)) {
    const view = terminal.viewCommand.map(quoteForShell).join(" ");
    const asked = await look(terminal, isIdle, FLASH_MS);
    if (!isIdle(asked))
      warn(`Claude waits for somebody at its screen:\n${shown(asked)}\nTo see to it: ${view}`);
  }
  const last = await look(terminal, isIdle, limitMs);
  if (!isIdle(last))
    throw new HalyardError(
      "start_failed",
      `Claude takes no message. Its screen shows:\n${shown(last)}`,
    );
  const hasHooks = await Promise.race([started.then(() => true), delay(HOOK_MS, false)]);
  if (!hasHooks)
    throw new HalyardError(
      "start_failed",
      "Claude runs no hooks here, and without them nobody can tell what becomes of a message: allow them in its settings, or use the local host",
    );
  return { runtimeSessionId: sessionId, pid, resumable: resume !== undefined };
}

/** Some dialogs come and go by themselves. */
const FLASH_MS = 1_000;
const HOOK_MS = 20_000;

const isIdle = (screen: Screen): boolean => readComposer(screen).state === "idle";
const isDialog = (screen: Screen): boolean => readComposer(screen).state === "dialog";
