import { setTimeout as delay } from "node:timers/promises";
import { look, shown } from "../../../../adapter-kit/look.ts";
import { typeable } from "../../../../adapter-kit/typeable.ts";
import type { Screen, Terminal } from "../../../../contracts/terminal.ts";
import { HalyardError } from "../../../../errors/error.ts";
import type { Receipt } from "../../../../schema/delivery.ts";
import { clearDraft } from "./clear-draft.ts";
import { type Composer, escapeMessage, readComposer, showsMessage } from "./composer.ts";

/** A message to type, and the state in which it may be typed. */
export interface ScreenDelivery {
  readonly terminal: Pick<Terminal, "look" | "paste" | "press" | "exclusively">;
  readonly text: string;
  /** The state in which the message may be typed: `idle` to start a turn, `busy` to steer one. */
  readonly state: "idle" | "busy";
  /** The keys that submit the input line. */
  readonly keys: readonly string[];
  /** Resolves when the transcript or a hook reports this message. */
  readonly accepted: Promise<unknown>;
}

/**
 * Types a message and submits it. The receipt is `confirmed` if Claude reports the message, otherwise `submitted`.
 * Rejects with `delivery_failed` if the input line is not free or Claude does not accept the message. Never types into a
 * dialog, because the text would answer the dialog.
 */
export async function deliver(delivery: ScreenDelivery): Promise<Receipt> {
  const { terminal, text, state } = delivery;
  if (typeable(text).trim() === "")
    throw new HalyardError(
      "delivery_failed",
      "The message has no text that can be typed. Send a message with text.",
    );
  const isFree = (screen: Screen) => {
    const composer = readComposer(screen);
    return composer.state === state && composer.draft === "";
  };
  const limitMs = state === "idle" ? FREE_MS : 0;
  for (const end = performance.now() + limitMs; ; ) {
    const seen = await look(terminal, isFree, end - performance.now());
    if (!isFree(seen)) throw notDelivered(obstacleTo(state, readComposer(seen)), seen);
    const receipt = await terminal.exclusively(async () => {
      if (!isFree(await terminal.look())) return undefined; // the screen has changed in the meantime
      await terminal.paste(escapeMessage(typeable(text)));
      await waitForDraft(delivery);
      return submit(delivery);
    });
    if (receipt !== undefined) return receipt;
  }
}

/** The maximum time that a new turn's message waits for a free input line, in milliseconds. A steer does not wait. */
const FREE_MS = 30_000;

/** Describes why a message for a screen in the state `wanted` cannot be typed, and what to do next. */
function obstacleTo(wanted: ScreenDelivery["state"], composer: Composer): string {
  switch (composer.state) {
    case "idle":
    case "busy":
      if (composer.state === wanted)
        return "Claude's input line contains text that a user typed. Submit or delete it, then send the message again";
      return wanted === "idle"
        ? "Claude is working on something else. Wait until it has finished, then send the message again"
        : "Claude is idle. Send the message as a new turn";
    case "dialog":
      return "Claude is showing a dialog, which the message would have answered. Answer it, then send the message again";
    case "starting":
      return "Claude is not showing an input line. Wait until it does, then send the message again";
  }
}

async function waitForDraft({ terminal, text }: ScreenDelivery): Promise<void> {
  const last = await look(terminal, hasDraft, DRAFT_MS);
  if (hasDraft(last)) return;
  // the text may still appear on the screen, so clear it
  await clearDraft(terminal, (draft) => showsMessage({ draft }, text));
  throw notDelivered("The typed message did not appear on the screen. Send it again", last);
}

const DRAFT_MS = 10_000;

function hasDraft(screen: Screen): boolean {
  const composer = readComposer(screen);
  return "draft" in composer && composer.draft !== "";
}

async function submit({ terminal, text, accepted, keys }: ScreenDelivery): Promise<Receipt> {
  const isAccepted = (ms: number) => Promise.race([accepted.then(() => true), delay(ms, false)]);
  for (const waitMs of ATTEMPTS_MS) {
    // A dialog may have appeared since the last attempt, and Enter would confirm it.
    if (hasDraft(await terminal.look())) await terminal.press(...keys);
    if (await isAccepted(waitMs)) return { status: "confirmed" };
    if (isEmpty(await terminal.look()))
      return { status: (await isAccepted(LAST_MS)) ? "confirmed" : "submitted" };
  }
  const last = await terminal.look();
  await clearDraft(terminal, (draft) => showsMessage({ draft }, text));
  throw notDelivered("The message was typed, but Claude did not accept it. Send it again", last);
}

const ATTEMPTS_MS = [2_000, 3_000, 5_000];
const LAST_MS = 10_000;

/** True if the input line is visible and empty. A dialog may hide a line that still contains the message. */
function isEmpty(screen: Screen): boolean {
  const composer = readComposer(screen);
  return "draft" in composer && composer.draft === "";
}

function notDelivered(why: string, screen: Screen): HalyardError {
  return new HalyardError("delivery_failed", `${why}. The screen shows:\n${shown(screen)}`);
}
