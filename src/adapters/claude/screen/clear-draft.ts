import { setTimeout as delay } from "node:timers/promises";
import type { Terminal } from "../../../core/terminal.ts";
import { readComposer, shows } from "./composer.ts";

/** Takes a message of ours out of the input line again; what else stands there is somebody's, and stays. */
export async function clearDraft(terminal: Terminal, text: string): Promise<void> {
  let isOurs = false;
  for (let tries = 0; tries < TRIES; tries++) {
    const composer = readComposer(await terminal.look());
    if (!("draft" in composer) || composer.draft === "") return;
    isOurs ||= shows(composer, text);
    if (!isOurs) return;
    const lines = composer.draft.split("\n").length;
    await terminal.press(...Array.from({ length: 2 * lines }, () => "C-u"));
    await delay(PAUSE_MS);
  }
}

const TRIES = 20;
const PAUSE_MS = 50;
