import { look, shown } from "../../adapter-kit/look.ts";
import type { Screen, Terminal } from "../../contracts/terminal.ts";
import { HalyardError } from "../../errors/error.ts";

/**
 * Types a message, checks that the screen shows the message, and presses Enter. Retries with increasing delays, but only
 * while the screen shows no part of the message. Returns the screens before and after the typing. Rejects with
 * `delivery_failed` if the program does not show or does not accept the message.
 */
export async function typeInto(terminal: Terminal, text: string): Promise<Drafted> {
  for (const pauseMs of PAUSES_MS) {
    const before = await terminal.look();
    await terminal.paste(text);
    const drafted = await look(terminal, (screen) => isTyped(screen, text, before), pauseMs);
    if (isTyped(drafted, text, before)) {
      await submit(terminal, drafted);
      return { before, drafted };
    }
    if (showsPart(drafted, text))
      throw notTyped(
        'The screen shows only part of the message. Run "halyard attach SESSION", delete that part, and send the message again',
        drafted,
      );
  }
  throw notTyped(
    `The program ignored the message in ${PAUSES_MS.length} attempts. Wait until it accepts input, and send the message again`,
    await terminal.look(),
  );
}

/** The screens before a message was typed, and after it was typed. */
export interface Drafted {
  readonly before: Screen;
  readonly drafted: Screen;
}

/** The time that each attempt waits for the message to appear, in milliseconds. */
const PAUSES_MS = [250, 500, 1_000, 2_000, 4_000];

async function submit(terminal: Terminal, drafted: Screen): Promise<void> {
  for (const pauseMs of [1_000, 4_000]) {
    await terminal.press("Enter");
    const after = await look(terminal, (screen) => !isSame(screen, drafted), pauseMs);
    if (!isSame(after, drafted)) return;
  }
  throw notTyped(
    'The message was typed, but Enter had no effect. Run "halyard attach SESSION" to submit or delete it',
    drafted,
  );
}

/** True if the screen shows the message. Only the end of a long message must be visible. */
function isTyped(screen: Screen, text: string, before: Screen): boolean {
  const end = bare(text).slice(-VISIBLE);
  const { row } = screen.cursor;
  const last = bare(screen.lines.slice(Math.max(0, row - ROWS), row + 1).join(""));
  return !isSame(screen, before) && last.endsWith(end);
}

/** True if the screen shows a part of the message. Typing the message again would duplicate that part. */
function showsPart({ lines }: Screen, text: string): boolean {
  return bare(lines.join("")).includes(bare(text).slice(0, PART));
}

const PART = 8;
const VISIBLE = 40;
const ROWS = 3;

const bare = (text: string): string => text.replaceAll(/\s+/g, "");

/** True if two screens show the same text and the same cursor. */
export function isSame(one: Screen, other: Screen): boolean {
  return (
    one.cursor.row === other.cursor.row &&
    one.cursor.column === other.cursor.column &&
    one.lines.join("\n") === other.lines.join("\n")
  );
}

function notTyped(reason: string, screen: Screen): HalyardError {
  return new HalyardError("delivery_failed", `${reason}. The screen shows:\n${shown(screen)}`);
}
