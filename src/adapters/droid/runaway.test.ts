import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import type { EventDraft } from "../../core/draft.ts";
import { createMapper } from "./events.ts";
import { stopRunaways } from "./runaway.ts";

/** What a recording comes to, and after how many of its messages it was interrupted. */
function replay(name: string): { drafts: EventDraft[]; interruptedAt: number[] } {
  const text = readFileSync(new URL(`./fixtures/${name}`, import.meta.url), "utf8");
  const messages = text.trim().split("\n");
  const interruptedAt: number[] = [];
  let at = 0;
  const mapper = stopRunaways(createMapper(), () => interruptedAt.push(at));
  const drafts = messages.flatMap((message) => {
    at += 1;
    return mapper.map(JSON.parse(message));
  });
  return { drafts, interruptedAt };
}

test("a model that stays overloaded is given up after the third attempt, as a failure", () => {
  const { drafts, interruptedAt } = replay("overloaded.jsonl");
  expect(interruptedAt).toHaveLength(1);
  expect(drafts.at(-1)).toMatchObject({
    status: "failed",
    error: {
      code: "agent_failed",
      message: "the model keeps failing (overloaded): given up after 3 attempts",
    },
  });
});

test("a model that breaks off again and again is stopped, and has said what it could", () => {
  const { drafts, interruptedAt } = replay("breaks-off.jsonl");
  expect(interruptedAt).toHaveLength(1);
  expect(drafts.at(-1)).toMatchObject({ status: "completed", stopReason: "max_tokens" });
});

test.each(["text-interrupted", "tool-interrupted", "cut-and-retried", "edit-and-shell", "denied"])(
  "nothing else is interrupted: %s",
  (name) => {
    expect(replay(`${name}.jsonl`).interruptedAt).toEqual([]);
  },
);
