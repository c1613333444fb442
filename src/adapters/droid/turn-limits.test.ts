import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import type { EventDraft } from "../../contracts/event-draft.ts";
import { createMapper } from "./events/events.ts";
import { limitTurns } from "./turn-limits.ts";

/** Maps a recording to drafts, with the number of messages before each interrupt. */
function replay(name: string): { drafts: EventDraft[]; interruptedAt: number[] } {
  const text = readFileSync(new URL(`./fixtures/${name}`, import.meta.url), "utf8");
  const messages = text.trim().split("\n");
  const interruptedAt: number[] = [];
  let at = 0;
  const mapper = limitTurns(createMapper(), () => interruptedAt.push(at));
  const drafts = messages.flatMap((message) => {
    at += 1;
    return mapper.map(JSON.parse(message));
  });
  return { drafts, interruptedAt };
}

test("fails the turn after three attempts with an overloaded model", () => {
  const { drafts, interruptedAt } = replay("overloaded.jsonl");
  expect(interruptedAt).toHaveLength(1);
  expect(drafts.at(-1)).toMatchObject({
    status: "failed",
    error: {
      code: "agent_failed",
      message:
        "The model failed 3 times in a row (overloaded). Send the message again later, or choose another model.",
    },
  });
});

test("completes the turn with max_tokens if the model keeps truncating its messages", () => {
  const { drafts, interruptedAt } = replay("breaks-off.jsonl");
  expect(interruptedAt).toHaveLength(1);
  expect(drafts.at(-1)).toMatchObject({ status: "completed", stopReason: "max_tokens" });
});

test.each(["text-interrupted", "tool-interrupted", "cut-and-retried", "edit-and-shell", "denied"])(
  "does not interrupt a turn that stays within the limits: %s",
  (name) => {
    expect(replay(`${name}.jsonl`).interruptedAt).toEqual([]);
  },
);
