import { join } from "node:path";
import { z } from "zod";
import {
  type CompletionDraft,
  type EventDraft,
  type Mapper,
  raw,
  setApart,
} from "../../../contracts/event-draft.ts";
import { errorInfo } from "../../../errors/error.ts";
import type { Usage } from "../../../schema/outcome.ts";
import { addUsage, noUsage, tidyUsage } from "../../../schema/usage/usage.ts";
import { ClaudeMapper } from "../events/events.ts";

/** Returns the path of the file that Claude writes a session's messages to. */
export function transcriptFile(configDir: string, cwd: string, sessionId: string): string {
  return join(configDir, "projects", cwd.replaceAll(/[^a-zA-Z0-9]/g, "-"), `${sessionId}.jsonl`);
}

const Line = z.looseObject({
  type: z.string(),
  subtype: z.string().optional(),
  uuid: z.string().optional(),
  sessionId: z.string().optional(),
  isSidechain: z.boolean().optional(),
  isMeta: z.boolean().optional(),
  isApiErrorMessage: z.boolean().optional(),
  error: z.string().optional(),
  toolUseResult: z.unknown().optional(),
  message: z
    .looseObject({
      id: z.string().optional(),
      content: z.unknown(),
      stop_reason: z.string().nullish(),
      usage: z.looseObject({}).optional(),
    })
    .optional(),
});
type Line = z.infer<typeof Line>;

/** Options for the transcript mapper. */
export interface TranscriptMapperOptions {
  /** True if Halyard sent the message, false if a user typed it on the screen. Defaults to true. */
  isOwn?(text: string): boolean;
}

/** Maps the lines of Claude's transcript to event drafts. The transcript contains only complete messages. */
export class TranscriptMapper implements Mapper {
  readonly #isOwn: (text: string) => boolean;
  #turn: ScreenTurn | undefined;
  /** True once Claude has started to work on a message that Halyard sent. */
  hasOwnMessage = false;

  constructor({ isOwn = () => true }: TranscriptMapperOptions = {}) {
    this.#isOwn = isOwn;
  }

  /** Cancels the turn after Claude moved its message back into the input line, which the transcript does not report. */
  withdraw(): EventDraft[] {
    return this.#end({ status: "cancelled" });
  }

  map(native: unknown): EventDraft[] {
    const line = Line.safeParse(native).data;
    if (line === undefined) return [raw(native)];
    if (line.isSidechain) return []; // a subagent wrote the line, and a tool result reports its work
    switch (line.type) {
      case "user":
        return this.#user(line);
      case "assistant":
        return this.#assistant(line);
      case "system":
        return line.subtype === "turn_duration" ? this.#end({ status: "completed" }) : [];
      default:
        return []; // these lines contain no conversation
    }
  }

  flush(): EventDraft[] {
    return [];
  }

  #user(line: Line): EventDraft[] {
    const text = textOf(line.message?.content);
    if (hasResults(line)) return this.#turn?.map(line) ?? [];
    if (text.startsWith(INTERRUPTED)) return this.#end({ status: "cancelled" });
    if (line.isMeta || text === "" || this.#turn?.hasContent) return [];
    const isOwn = this.#isOwn(text);
    this.hasOwnMessage ||= isOwn;
    this.#turn = new ScreenTurn(isOwn); // replaces a turn that Claude withdrew before it started
    const data = { runtimeSessionId: line.sessionId, resumable: true };
    return line.sessionId === undefined ? [] : [{ type: "system", subtype: "status", data }];
  }

  #assistant(line: Line): EventDraft[] {
    if (!line.isApiErrorMessage) return this.#turn?.map(line) ?? [];
    if (line.error === "max_output_tokens")
      return this.#end({ status: "completed", stopReason: "max_tokens" });
    const message = textOf(line.message?.content);
    // A missing login fails before the model request and has no HTTP status; a rejected key has one.
    const isMissingLogin = /run \/login/i.test(message) && !/API Error: \d{3}/.test(message);
    const error = errorInfo(isMissingLogin ? "not_signed_in" : "agent_failed", message);
    return this.#end({ status: "failed", error });
  }

  #end(ending: Ending): EventDraft[] {
    const turn = this.#turn;
    this.#turn = undefined;
    return turn?.end(ending) ?? [];
  }
}

type Ending = Pick<CompletionDraft, "status" | "error" | "stopReason">;

const INTERRUPTED = "[Request interrupted by user";

/** Maps one turn's lines. */
class ScreenTurn {
  readonly #mapper = new ClaudeMapper({ live: true });
  /** The usage per model message. One message spans several lines. */
  readonly #usages = new Map<string, Usage>();
  readonly #isOwn: boolean;
  #stopReason: string | undefined;
  hasContent = false;

  constructor(isOwn: boolean) {
    this.#isOwn = isOwn;
  }

  map({ type, uuid, message, toolUseResult }: Line): EventDraft[] {
    if (type === "assistant" && message?.id !== undefined) {
      this.#usages.set(message.id, toUsage(message.usage));
      this.#stopReason = message.stop_reason ?? this.#stopReason;
    }
    this.hasContent = true;
    const drafts = this.#mapper.map({ type, uuid, message, tool_use_result: toolUseResult });
    return this.#isOwn ? drafts : drafts.map((event) => setApart(event, "typed on the screen"));
  }

  end(ending: Ending): EventDraft[] {
    if (!this.#isOwn) return [];
    const usage = tidyUsage([...this.#usages.values()].reduce(addUsage, noUsage));
    const stopReason =
      ending.stopReason ?? (ending.status === "completed" ? this.#stopReason : undefined);
    return [
      { type: "completion", ...ending, usage, ...(stopReason !== undefined && { stopReason }) },
    ];
  }
}

const TokenCounts = z.looseObject({
  input_tokens: z.int().catch(0),
  output_tokens: z.int().catch(0),
  cache_read_input_tokens: z.int().catch(0),
  cache_creation_input_tokens: z.int().catch(0),
});

function toUsage(usage: unknown): Usage {
  const counts = TokenCounts.parse(usage ?? {});
  return {
    inputTokens: counts.input_tokens,
    outputTokens: counts.output_tokens,
    cacheReadTokens: counts.cache_read_input_tokens,
    cacheWriteTokens: counts.cache_creation_input_tokens,
  };
}

function hasResults({ message }: Line): boolean {
  const content: unknown[] = Array.isArray(message?.content) ? message.content : [];
  return content.some((block) => TypedBlock.safeParse(block).data?.type === "tool_result");
}

const TypedBlock = z.looseObject({ type: z.string(), text: z.string().optional() });

function textOf(content: unknown): string {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return "";
  return content.map((block) => TypedBlock.safeParse(block).data?.text ?? "").join("");
}

/** Returns the message that Claude starts to work on, or undefined if the line does not report one. */
export function promptIn(native: unknown): string | undefined {
  const line = Line.safeParse(native).data;
  if (line?.type !== "user" || line.isMeta || line.isSidechain || hasResults(line))
    return undefined;
  return textOf(line.message?.content) || undefined;
}

/** Returns the message that Claude queued for the active turn, or undefined if the line does not report one. */
export function queuedIn(native: unknown): string | undefined {
  const line = QueueLine.safeParse(native).data;
  return line?.operation === "enqueue" ? line.content : undefined;
}

const QueueLine = z.looseObject({
  type: z.literal("queue-operation"),
  operation: z.string(),
  content: z.string().optional(),
});
