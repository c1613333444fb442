import { readdirSync, readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { EventDraft } from "../../../contracts/event-draft.ts";
import { isRecord } from "../../../wire/is-record.ts";
import { OpenCodeEvent } from "../messages.ts";
import { sessionOf } from "./envelope.ts";
import { SessionMapper } from "./session-mapper.ts";

const fixtures = new URL("../fixtures/", import.meta.url);

/** Recordings with one turn each. A client starts the next turn only after the end of the first. */
const names = readdirSync(fixtures).filter(
  (name) => !/two-turns|all-directories|unknown-agent/.test(name),
);

function recording(name: string): unknown[] {
  const lines = readFileSync(new URL(name, fixtures), "utf8").trim().split("\n");
  return lines.map((line): unknown => JSON.parse(line));
}

/** Returns the snapshot events that OpenCode would return after these events. */
function readBack(events: readonly unknown[], isPast: (messageId: string) => boolean): unknown[] {
  const kept = new Map<string, unknown>();
  let status: unknown;
  for (const event of events) {
    const parsed = OpenCodeEvent.safeParse(event);
    if (!parsed.success) continue;
    const { type, properties } = parsed.data;
    if (type === "message.updated" && !isPast(properties.info.id))
      kept.set(properties.info.id, event);
    if (type === "message.part.updated" && !isPast(properties.part.messageID))
      kept.set(properties.part.id, withoutDelta(event));
    if (type === "session.status" && properties.status.type !== "retry") status = event;
  }
  return status === undefined ? [...kept.values()] : [...kept.values(), status];
}

function withoutDelta(event: unknown): unknown {
  if (!isRecord(event) || !isRecord(event.properties)) return event;
  const { delta: _, ...properties } = event.properties;
  return { ...event, properties };
}

/**
 * Maps the events as if the events between two positions were missed and replaced by a snapshot at the second position.
 */
function mapWithGap(events: readonly unknown[], from: number, to: number): EventDraft[] {
  const mapper = new SessionMapper(sessionOf(events[0]) ?? "");
  const map = (some: readonly unknown[]) => some.flatMap((event) => mapper.map(event));
  const before = map(events.slice(0, from));
  const isPast = (id: string) => mapper.isPast(id);
  const missed = from === to ? [] : map(readBack(events.slice(0, to), isPast));
  const gap = map([{ type: "halyard.gap" }]);
  return [...before, ...missed, ...gap, ...map(events.slice(to)), ...mapper.flush()];
}

/** Returns all messages, calls and results in any order, and the end of each turn. */
function contents(drafts: readonly EventDraft[]): unknown {
  const messages = drafts.filter(({ type }) => type === "message");
  const tools = drafts.filter(({ type }) => type === "tool_call" || type === "tool_result");
  const ends = drafts.flatMap((draft) => (draft.type === "completion" ? [draft.status] : []));
  const sorted = (some: readonly EventDraft[]) => some.map((one) => JSON.stringify(one)).sort();
  return { messages: sorted(messages), tools: sorted(tools), ends };
}

describe.each(names)("%s", (name) => {
  const events = recording(name);
  const whole = mapWithGap(events, 0, 0);
  const aTurn = events.findIndex((event) => JSON.stringify(event).includes('"role":"user"'));

  test("neither loses nor repeats an event if a snapshot replaces missed events at any point", () => {
    const location = fc.integer({ min: aTurn + 1, max: events.length });
    fc.assert(
      fc.property(location, location, (one, other) => {
        const drafts = mapWithGap(events, Math.min(one, other), Math.max(one, other));
        expect(contents(drafts)).toEqual(contents(whole));
        expectSum(drafts);
      }),
      { numRuns: 200 },
    );
  });
});

/** Checks that the concatenated deltas of each message equal its text. */
function expectSum(drafts: readonly EventDraft[]): void {
  const pieces = new Map<string, string>();
  for (const draft of drafts) {
    if (draft.type === "delta")
      pieces.set(draft.messageId, (pieces.get(draft.messageId) ?? "") + draft.text);
    if (draft.type === "message") expect(pieces.get(draft.messageId)).toBe(draft.text);
  }
}
