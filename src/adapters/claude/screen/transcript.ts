import { join } from "node:path";
import { z } from "zod";
import {
  type CompletionDraft,
  type EventDraft,
  type Mapper,
  raw,
  setApart,
} from "../../../core/draft.ts";
import { errorInfo } from "../../../core/error.ts";
import { addUsage, noUsage, tidyUsage } from "../../../core/usage.ts";
import type { Usage } from "../../../schema/outcome.ts";
import { ClaudeMapper } from "../events.ts";

/** Where Claude writes down what is said in a session. */
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

export interface TranscriptMapperOptions {
  /** Whether a message that Claude begins to work on was sent by us: a person at the screen may have typed it. */
  isOurs?(text: string): boolean;
}

/** What Claude writes down of a session, in our words. A message comes as a whole: there is nothing smaller to read. */
export class TranscriptMapper implements Mapper {
  readonly #isOurs: (text: string) => boolean;
  #turn: ScreenTurn | undefined;
  /** A message of ours has been taken up. */
  hasOurs = false;

  constructor({ isOurs = () => true }: TranscriptMapperOptions = {}) {
    this.#isOurs = isOurs;
  }

  /** Claude has put the message of this turn back into its input line, without a word. */
  takeBack(): EventDraft[] {
    return this.#end({ status: "cancelled" });
  }

  map(native: unknown): EventDraft[] {
    const line = Line.safeParse(native).data;
    if (line === undefined) return [raw(native)];
    if (line.isSidechain) return []; // a subagent's: its task's result tells of it
    switch (line.type) {
      case "user":
        return this.#user(line);
      case "assistant":
        return this.#assistant(line);
      case "system":
        return line.subtype === "turn_duration" ? this.#end({ status: "completed" }) : [];
      default:
        return []; // bookkeeping
    }
  }

  flush(): EventDraft[] {
    return [];
  }

  #user(line: Line): EventDraft[] {
    const text = textOf(line.message?.content);
    if (hasResults(line)) return this.#turn?.tell(line) ?? [];
    if (text.startsWith(INTERRUPTED)) return this.#end({ status: "cancelled" });
    if (line.isMeta || text === "" || this.#turn?.hasBegun) return [];
    const isOurs = this.#isOurs(text);
    this.hasOurs ||= isOurs;
    this.#turn = new ScreenTurn(isOurs); // one that has not begun was taken back
    const data = { runtimeSessionId: line.sessionId, resumable: true };
    return line.sessionId === undefined ? [] : [{ type: "system", subtype: "status", data }];
  }

  #assistant(line: Line): EventDraft[] {
    if (!line.isApiErrorMessage) return this.#turn?.tell(line) ?? [];
    if (line.error === "max_output_tokens")
      return this.#end({ status: "completed", stopReason: "max_tokens" });
    const message = textOf(line.message?.content);
    // A login that is missing never gets as far as the model; a key that the model refuses does.
    const isMissingLogin = /run \/login/i.test(message) && !/API Error: \d{3}/.test(message);
    const error = errorInfo(isMissingLogin ? "not_signed_in" : "agent_failed", message);
    return this.#end({ status: "failed", error });
  }

  #end(how: Ending): EventDraft[] {
    const turn = this.#turn;
    this.#turn = undefined;
    return turn?.end(how) ?? [];
  }
}

type Ending = Pick<CompletionDraft, "status" | "error" | "stopReason">;

const INTERRUPTED = "[Request interrupted by user";

/** From a message that was typed to its end. */
class ScreenTurn {
  readonly #mapper = new ClaudeMapper({ live: true });
  /** By the model's message, each of which is told in several lines. */
  readonly #usages = new Map<string, Usage>();
  readonly #isOurs: boolean;
  #stopReason: string | undefined;
  hasBegun = false;

  constructor(isOurs: boolean) {
    this.#isOurs = isOurs;
  }

  tell({ type, uuid, message, toolUseResult }: Line): EventDraft[] {
    if (type === "assistant" && message?.id !== undefined) {
      this.#usages.set(message.id, toUsage(message.usage));
      this.#stopReason = message.stop_reason ?? this.#stopReason;
    }
    this.hasBegun = true;
    const drafts = this.#mapper.map({ type, uuid, message, tool_use_result: toolUseResult });
    return this.#isOurs ? drafts : drafts.map((event) => setApart(event, "typed on the screen"));
  }

  end(how: Ending): EventDraft[] {
    if (!this.#isOurs) return [];
    const usage = tidyUsage([...this.#usages.values()].reduce(addUsage, noUsage));
    const stopReason =
      how.stopReason ?? (how.status === "completed" ? this.#stopReason : undefined);
    return [{ type: "completion", ...how, usage, ...(stopReason !== undefined && { stopReason }) }];
  }
}

/** What a person at the screen has Claude do is kept, but not mistaken for part of a turn of ours. */
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

/** What was typed, where a line tells that Claude begins to work on it. */
export function promptIn(native: unknown): string | undefined {
  const line = Line.safeParse(native).data;
  if (line?.type !== "user" || line.isMeta || line.isSidechain || hasResults(line))
    return undefined;
  return textOf(line.message?.content) || undefined;
}

/** What was typed while Claude works, where a line tells that it waits there. */
export function queuedIn(native: unknown): string | undefined {
  const line = QueueLine.safeParse(native).data;
  return line?.operation === "enqueue" ? line.content : undefined;
}

const QueueLine = z.looseObject({
  type: z.literal("queue-operation"),
  operation: z.string(),
  content: z.string().optional(),
});
