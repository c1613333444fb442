import type { Screen } from "../../../../contracts/terminal.ts";
import { normalizeMessage } from "./fingerprint.ts";

/** The state of Claude's input box, read from its screen. */
export type Composer =
  /** The box is visible. `draft` is the text in it. */
  | { readonly state: "idle" | "busy"; readonly draft: string }
  /** A dialog has the keyboard focus. Typed text would answer the dialog. */
  | { readonly state: "dialog" }
  | { readonly state: "starting" };

/** Reads the state of the input box. The screen's title and the lines below the box show whether Claude is working. */
export function readComposer({ lines, title, cursor }: Omit<Screen, "scrolled">): Composer {
  const rules = lines.flatMap((line, index) => (/^─{20,}$/.test(line) ? [index] : []));
  const [top, bottom] = rules.slice(-2);
  if (top === undefined || bottom === undefined || !lines[top + 1]?.startsWith(PROMPT))
    return { state: lines.some((line) => DIALOG.test(line)) ? "dialog" : "starting" };
  const [first = "", ...more] = lines.slice(top + 1, bottom);
  const draft = [first.slice(PROMPT.length), ...more].map((line) => line.trim()).join("\n");
  const isAtStart = cursor.row === top + 1 && cursor.column <= PROMPT.length + 1;
  const isHint = isAtStart && HINT.test(draft.trim());
  // Before a permission dialog, the title already shows idle, but the line below the box still shows busy.
  const isBusy = BUSY.test(title) || lines.slice(bottom).some((line) => AT_WORK.test(line));
  return { state: isBusy ? "busy" : "idle", draft: isHint ? "" : draft.trim() };
}

const PROMPT = "❯";

/**
 * A spinner at the start of the title. An idle title starts with another character, which tmux may not report
 * correctly.
 */
const BUSY = /^[◐◑◒◓\u2800-\u28ff]/u;

const AT_WORK = /\besc to interrupt\b/;

const DIALOG = /❯ *\d+\.|Enter to confirm|Esc to (cancel|exit)/;

/** The placeholders in an empty box. Since 2.1.326, the last three appear after a model error. */
const HINT =
  /^(Try "|Press up to edit|(Once fixed, resend your message|Resend your message to try again|Run \/rewind to go back)$)/;

/** True if the box shows this message, or a placeholder for pasted text. */
export function showsMessage({ draft }: { draft: string }, text: string): boolean {
  return /^\[Pasted text #\d+/.test(draft) || normalizeMessage(draft) === normalizeMessage(text);
}

/**
 * Adds spaces so that Claude treats the text as a plain message. Certain first and last characters would otherwise
 * start a command, continue the line or complete a file name.
 */
export function escapeMessage(text: string): string {
  const head = /^[!/#&]/.test(text) ? " " : "";
  const tail = /(\\|@\S*)$/.test(text) ? " " : "";
  return `${head}${text}${tail}`;
}
