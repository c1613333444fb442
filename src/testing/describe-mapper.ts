import { readdirSync, readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import type { EventDraft, Mapper } from "../contracts/event-draft.ts";
import { ErrorInfo } from "../schema/error.ts";
import {
  DeltaEvent,
  ErrorEvent,
  MessageEvent,
  RequestEvent,
  SystemEvent,
  ToolCallEvent,
  ToolResultEvent,
} from "../schema/event.ts";
import { OutcomeStatus, Usage } from "../schema/outcome.ts";

/** Options for reading a mapper's recordings. */
export interface MapperOptions {
  /** Extracts the native message from a recorded line. Returns undefined for a line without a message. */
  unwrap?(line: unknown): unknown;
  /** The number of turns in a recording, by file name. Defaults to 1. */
  readonly turns?: Readonly<Record<string, number>>;
}

/** Tests the mapper contract with recordings of the real program: `*.jsonl`, one message per line. */
export function describeMapper(
  fixtures: URL,
  createMapper: () => Mapper,
  { unwrap = (line) => line, turns = {} }: MapperOptions = {},
): void {
  const recordings = readdirSync(fixtures).filter((name) => name.endsWith(".jsonl"));
  const messagesOf = (name: string): unknown[] =>
    readFileSync(new URL(name, fixtures), "utf8")
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => unwrap(JSON.parse(line)))
      .filter((message) => message !== undefined);

  describe.each(recordings)("%s", (name) => {
    const messages = messagesOf(name);
    const drafts = replay(createMapper(), messages);

    test("emits only events that match the schema [s2.d2.normalise-in-adapter] [s2.goal.same-events]", () => {
      for (const draft of drafts) expect(EventDraftSchema.parse(draft)).toEqual(draft);
    });

    test("maps every message of the recording, none of them to raw [s2.risk.mapping-tests]", () => {
      expect(drafts.filter((draft) => draft.type === "system" && draft.subtype === "raw")).toEqual(
        [],
      );
    });

    test("emits each tool call once, before its result", () => {
      const received: string[] = [];
      for (const draft of drafts) {
        if (draft.type === "tool_call") received.push(`call ${draft.callId}`);
        if (draft.type !== "tool_result") continue;
        expect(received).toContain(`call ${draft.callId}`);
        received.push(`result ${draft.callId}`);
      }
      expect(new Set(received).size).toBe(received.length);
    });

    test("emits deltas that add up to each message", () => {
      const pieces = new Map<string, string>();
      const whole = new Set<string>();
      for (const draft of drafts) {
        if (draft.type !== "delta" && draft.type !== "message") continue;
        const key = `${draft.messageId} ${draft.channel}`;
        expect(whole).not.toContain(key);
        if (draft.type === "delta") pieces.set(key, (pieces.get(key) ?? "") + draft.text);
        else if (pieces.has(key)) expect(draft.text).toBe(pieces.get(key));
        if (draft.type === "message") whole.add(key);
      }
    });

    test("emits one completion per turn, and only system events after the last one", () => {
      const ends = drafts.filter(({ type }) => type === "completion");
      expect(ends).toHaveLength(turns[name] ?? 1);
      const last = drafts.findLastIndex(({ type }) => type === "completion");
      expect(drafts.slice(last + 1).filter(({ type }) => type !== "system")).toEqual([]);
    });

    test("emits the same events for the same recording", () => {
      expect(replay(createMapper(), messages)).toEqual(drafts);
    });

    test("emits valid events if messages are missing", () => {
      fc.assert(
        fc.property(fc.subarray(messages), (some) => {
          for (const draft of replay(createMapper(), some)) EventDraftSchema.parse(draft);
        }),
        { numRuns: 20 },
      );
    });
  });

  test("maps unknown messages to raw or ignores them, and never throws", () => {
    const mapper = createMapper();
    fc.assert(
      fc.property(fc.anything(), (message) => {
        for (const draft of mapper.map(message)) expect(draft.type).toBe("system");
      }),
    );
    const future = { type: "from.the.future" };
    expect(mapper.map(future)).toEqual([
      { type: "system", subtype: "raw", data: { message: future } },
    ]);
    expect(mapper.flush()).toEqual([]);
  });
}

function replay(mapper: Mapper, messages: readonly unknown[]): EventDraft[] {
  return [...messages.flatMap((message) => mapper.map(message)), ...mapper.flush()];
}

const CompletionDraft = z.strictObject({
  type: z.literal("completion"),
  status: OutcomeStatus,
  stopReason: z.string().optional(),
  usage: Usage.optional(),
  text: z.string().optional(),
  error: ErrorInfo.optional(),
});

const EventDraftSchema = z.discriminatedUnion("type", [
  z.strictObject({
    type: z.literal("settled"),
    nativeId: z.string(),
    decision: z.enum(["allow", "deny"]),
  }),
  SystemEvent,
  DeltaEvent,
  MessageEvent,
  ToolCallEvent,
  ToolResultEvent,
  ErrorEvent,
  RequestEvent.omit({
    requestId: true,
    verdict: true,
    reason: true,
    rule: true,
    expiresAt: true,
  }).extend({ paths: z.array(z.string()).optional(), command: z.string().optional() }),
  CompletionDraft,
]);
