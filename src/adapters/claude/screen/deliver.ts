import { setTimeout as delay } from "node:timers/promises";
import { HalyardError } from "../../../core/error.ts";
import { look, shown } from "../../../core/look.ts";
import type { Screen, Terminal } from "../../../core/terminal.ts";
import { typeable } from "../../../core/typeable.ts";
import type { Receipt } from "../../../schema/delivery.ts";
import { clearDraft } from "./clear-draft.ts";
import { type Composer, defuse, readComposer, shows } from "./composer.ts";

export interface Delivery {
  readonly terminal: Terminal;
  readonly text: string;
  /** Whether Claude is to work on something else: a message for it is typed then, and else never. */
  readonly state: "idle" | "busy";
  /** What sends off what stands in the line, and does nothing in a dialog. */
  readonly keys: readonly string[];
  /** Resolves once Claude has told that it has this message. */
  readonly taken: Promise<unknown>;
}

/**
 * Types a message and sends it off. `confirmed` only if Claude itself says that it has it. Never into a dialog, where
 * it would be an answer, and never into a line that somebody else has begun.
 */
export async function deliver(delivery: Delivery): Promise<Receipt> {
  const { terminal, text, state } = delivery;
  if (typeable(text).trim() === "")
    throw new HalyardError("delivery_failed", "The message has no text that can be typed.");
  const isFree = (screen: Screen) => {
    const composer = readComposer(screen);
    return composer.state === state && composer.draft === "";
  };
  const limitMs = state === "idle" ? FREE_MS : 0;
  for (const end = performance.now() + limitMs; ; ) {
    const seen = await look(terminal, isFree, end - performance.now());
    if (!isFree(seen)) throw notDelivered(obstacles[readComposer(seen).state], seen);
    const receipt = await terminal.exclusively(async () => {
      if (!isFree(await terminal.look())) return undefined; // somebody was faster
      await terminal.paste(defuse(typeable(text)));
      await untilDrafted(delivery);
      return submit(delivery);
    });
    if (receipt !== undefined) return receipt;
  }
}

/** How long somebody may take to finish a line, or to answer a dialog. */
const FREE_MS = 30_000;

const obstacles: Readonly<Record<Composer["state"], string>> = {
  idle: "somebody else's words stand in Claude's input line, or it has nothing to do",
  busy: "Claude is at work on something else, or somebody is typing",
  dialog: "Claude shows a dialog, which this would have answered",
  starting: "Claude shows no input line",
};

async function untilDrafted({ terminal, text }: Delivery): Promise<void> {
  const last = await look(terminal, hasDraft, DRAFT_MS);
  if (hasDraft(last)) return;
  await clearDraft(terminal, (draft) => shows({ draft }, text)); // it may show up after all
  throw notDelivered("what was typed never showed up", last);
}

const DRAFT_MS = 10_000;

function hasDraft(screen: Screen): boolean {
  const composer = readComposer(screen);
  return "draft" in composer && composer.draft !== "";
}

async function submit({ terminal, text, taken, keys }: Delivery): Promise<Receipt> {
  const isTaken = (ms: number) => Promise.race([taken.then(() => true), delay(ms, false)]);
  for (const waitMs of ATTEMPTS_MS) {
    await terminal.press(...keys);
    if (await isTaken(waitMs)) return { status: "confirmed" };
    if (hasLeft(await terminal.look()))
      return { status: (await isTaken(LAST_MS)) ? "confirmed" : "submitted" };
  }
  const last = await terminal.look();
  await clearDraft(terminal, (draft) => shows({ draft }, text));
  throw notDelivered("it was typed, but Claude does not take it", last);
}

const ATTEMPTS_MS = [2_000, 3_000, 5_000];
const LAST_MS = 10_000;

/** A line that a dialog hides may still hold it. */
function hasLeft(screen: Screen): boolean {
  const composer = readComposer(screen);
  return "draft" in composer && composer.draft === "";
}

function notDelivered(why: string, screen: Screen): HalyardError {
  return new HalyardError("delivery_failed", `${why}. Its screen shows:\n${shown(screen)}`);
}
