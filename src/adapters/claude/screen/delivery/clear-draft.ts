import { setTimeout as delay } from "node:timers/promises";
import type { Terminal } from "../../../../contracts/terminal.ts";
import { readComposer } from "./composer.ts";

/** Clears Halyard's message or a placeholder for pasted text from the input line. Leaves any other text unchanged. */
export async function clearDraft(
  terminal: Pick<Terminal, "look" | "press">,
  isOwn: (draft: string) => boolean,
): Promise<void> {
  let isKnown = false;
  for (let tries = 0; tries < TRIES; tries++) {
    const composer = readComposer(await terminal.look());
    if (!("draft" in composer) || composer.draft === "") return;
    isKnown ||= PASTED.test(composer.draft) || isOwn(composer.draft);
    if (!isKnown) return;
    const lines = composer.draft.split("\n").length;
    await terminal.press(...Array.from({ length: 2 * lines }, () => "C-u"));
    await delay(PAUSE_MS);
  }
}

/** The placeholder for a long pasted text, which is assumed to be Halyard's message. */
const PASTED = /^\[Pasted text #\d+/;
const TRIES = 20;
const PAUSE_MS = 50;
