import type { Screen } from "../../../core/terminal.ts";
import { essence } from "./words.ts";

/** What Claude's screen shows: whether a message can be typed there. */
export type Composer =
  /** The box is there; `draft` is what stands in it. */
  | { readonly state: "idle" | "busy"; readonly draft: string }
  /** Something else has the keyboard: what is typed there would answer it. */
  | { readonly state: "dialog" }
  | { readonly state: "starting" };

/** Reads the screen. The title tells whether Claude works; the box at the bottom, whether a message can be typed. */
export function readComposer({ lines, title, cursor }: Omit<Screen, "scrolled">): Composer {
  const rules = lines.flatMap((line, index) => (/^─{20,}$/.test(line) ? [index] : []));
  const [top, bottom] = rules.slice(-2);
  if (top === undefined || bottom === undefined || !lines[top + 1]?.startsWith(PROMPT))
    return { state: lines.some((line) => DIALOG.test(line)) ? "dialog" : "starting" };
  const [first = "", ...more] = lines.slice(top + 1, bottom);
  const draft = [first.slice(PROMPT.length), ...more].map((line) => line.trim()).join("\n");
  const isAtStart = cursor.row === top + 1 && cursor.column <= PROMPT.length + 1;
  const isHint = isAtStart && HINT.test(draft.trim());
  // The title rests while Claude is about to ask for a permission; the line below the box does not.
  const isBusy = BUSY.test(title) || lines.slice(bottom).some((line) => AT_WORK.test(line));
  return { state: isBusy ? "busy" : "idle", draft: isHint ? "" : draft.trim() };
}

const PROMPT = "❯";

/** Idle it shows another sign, or what tmux takes for a title and is none. */
const BUSY = /^[◐◑◒◓\u2800-\u28ff]/u;

const AT_WORK = /\besc to interrupt\b/;

const DIALOG = /❯ *\d+\.|Enter to confirm|Esc to (cancel|exit)/;

/** What Claude itself writes into an empty box. */
const HINT = /^(Try "|Press up to edit)/;

/** Whether that message is what stands in the box, as far as can be seen. */
export function shows({ draft }: { draft: string }, text: string): boolean {
  return /^\[Pasted text #\d+/.test(draft) || essence(draft) === essence(text);
}

/**
 * A message that Claude takes for nothing but a message: what it begins or ends with could also make it a command, a
 * line to go on with, or the beginning of a file's name.
 */
export function defuse(text: string): string {
  const head = /^[!/#&]/.test(text) ? " " : "";
  const tail = /(\\|@\S*)$/.test(text) ? " " : "";
  return `${head}${text}${tail}`;
}
