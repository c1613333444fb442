import { setTimeout as delay } from "node:timers/promises";
import type { Terminal } from "../../../core/terminal.ts";
import { readComposer } from "./composer.ts";

/** Takes a message of ours out of the input line again; what else stands there is somebody's, and stays. */
export async function clearDraft(
  terminal: Terminal,
  isOurs: (draft: string) => boolean,
): Promise<void> {
  let isKnown = false;
  for (let tries = 0; tries < TRIES; tries++) {
    const composer = readComposer(await terminal.look());
    if (!("draft" in composer) || composer.draft === "") return;
    isKnown ||= PASTED.test(composer.draft) || isOurs(composer.draft);
    if (!isKnown) return;
    const lines = composer.draft.split("\n").length;
    await terminal.press(...Array.from({ length: 2 * lines }, () => "C-u"));
    await delay(PAUSE_MS);
  }
}

/** A long one is not shown, and only we paste them. */
const PASTED = /^\[Pasted text #\d+/;
const TRIES = 20;
const PAUSE_MS = 50;
