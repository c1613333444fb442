import type { StreamEvent } from "../../schema/event.ts";
import type { SessionInfo } from "../../schema/session.ts";
import type { NotifyMode } from "../choices.ts";
import { cleanLine } from "../text/clean.ts";
import { shorten } from "../text/display-width.ts";

export interface NotifierOptions {
  readonly mode: NotifyMode;
  /** True if the output is a console. Otherwise nothing is written. */
  readonly isTTY: boolean;
  /** The environment variables that identify the console. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Events up to this `seq` are old and cause no notification. */
  readonly after: number;
}

/** Returns the text that notifies the user on the console about an event, or an empty string. */
export type Notify = (event: StreamEvent, session: SessionInfo) => string;

/** Creates a function that notifies the user when a request waits for an answer or a turn has ended. */
export function createNotifier({ mode, isTTY, env, after }: NotifierOptions): Notify {
  const write = isTTY ? writerOf(mode, env) : undefined;
  if (write === undefined) return () => "";
  return (event, info) => {
    if (event.seq <= after) return "";
    const title = shorten(cleanLine(info.name ?? info.about ?? info.id), MAX_TITLE);
    if (event.type === "request" && event.verdict === "ask")
      return write(`${title} needs an answer`, event.text);
    if (event.type !== "completion") return "";
    const { status, durationMs, text, error } = event.outcome;
    if (mode === "auto" && durationMs < LONG_MS) return "";
    return write(`${title} ${endings[status]}`, error?.message ?? text);
  };
}

const endings = { completed: "is done", cancelled: "is cancelled", failed: "has failed" } as const;

/** The shortest turn, in milliseconds, that `auto` reports. During longer turns, the user may switch to another window. */
const LONG_MS = 10_000;
const MAX_TITLE = 60;
const MAX_TEXT = 200;

type WriteNotification = (title: string, text: string) => string;

function writerOf(mode: NotifyMode, env: NotifierOptions["env"]): WriteNotification | undefined {
  switch (mode) {
    case "off":
      return undefined;
    case "bell":
      return () => BELL;
    case "osc9":
      return (title, text) => `${osc(`9;${title}: ${body(text)}`, env)}${BELL}`;
    case "osc777":
      return (title, text) =>
        `${osc(`777;notify;${title.replaceAll(";", ",")};${body(text)}`, env)}${BELL}`;
    case "auto":
      return writerOf(supported(env), env);
  }
}

/**
 * Returns a notification method that the console is known to support. Some consoles print unknown sequences instead of
 * ignoring them.
 */
function supported({
  TERM_PROGRAM = "",
  TERM = "",
  VTE_VERSION,
}: NotifierOptions["env"]): NotifyMode {
  if (/^(iTerm\.app|WezTerm|ghostty|kitty)$/i.test(TERM_PROGRAM)) return "osc9";
  if (TERM.startsWith("xterm-kitty") || TERM.startsWith("xterm-ghostty")) return "osc9";
  return VTE_VERSION !== undefined || TERM.startsWith("rxvt") ? "osc777" : "bell";
}

const BELL = "\u0007";

/** Returns an OSC sequence. In tmux, wraps it for the outer console, which needs `set -g allow-passthrough on`. */
function osc(content: string, { TMUX }: NotifierOptions["env"]): string {
  const sequence = `\u001b]${content}${BELL}`;
  return TMUX ? `\u001bPtmux;${sequence.replaceAll("\u001b", "\u001b\u001b")}\u001b\\` : sequence;
}

function body(text: string): string {
  return shorten(cleanLine(text), MAX_TEXT);
}
