import { join } from "node:path";
import { z } from "zod";
import type { CompletionDraft, EventDraft, Mapper } from "../../../core/draft.ts";
import { HalyardError, toErrorInfo } from "../../../core/error.ts";
import type { Usage } from "../../../schema/outcome.ts";
import { ClaudeMapper } from "../events.ts";
import { addUsage, tidy } from "../usage.ts";

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

/** What Claude writes down of a session, in our words. A message comes as a whole: there is nothing smaller to read. */
export class TranscriptMapper implements Mapper {
  #turn: ScreenTurn | undefined;

  map(native: unknown): EventDraft[] {
    const line = Line.safeParse(native).data;
    if (line === undefined) return [{ type: "system", subtype: "raw", data: { message: native } }];
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
    if (line.isMeta || text === "" || this.#turn) return [];
    this.#turn = new ScreenTurn();
    const data = { runtimeSessionId: line.sessionId, resumable: true };
    return line.sessionId === undefined ? [] : [{ type: "system", subtype: "status", data }];
  }

  #assistant(line: Line): EventDraft[] {
    if (!line.isApiErrorMessage) return this.#turn?.tell(line) ?? [];
    const message = textOf(line.message?.content);
    const isMissingLogin = /run \/login|invalid api key/i.test(message);
    const error = toErrorInfo(
      new HalyardError(isMissingLogin ? "not_signed_in" : "agent_failed", message),
    );
    return this.#end({ status: "failed", error });
  }

  #end(how: Pick<CompletionDraft, "status" | "error">): EventDraft[] {
    const turn = this.#turn;
    this.#turn = undefined;
    return turn ? [turn.end(how)] : [];
  }
}

const INTERRUPTED = "[Request interrupted by user";

/** From a message that was typed to its end. */
class ScreenTurn {
  readonly #mapper = new ClaudeMapper({ live: true });
  /** By the model's message, each of which is told in several lines. */
  readonly #usages = new Map<string, Usage>();
  #stopReason: string | undefined;

  tell({ type, uuid, message, toolUseResult }: Line): EventDraft[] {
    if (type === "assistant" && message?.id !== undefined) {
      this.#usages.set(message.id, toUsage(message.usage));
      this.#stopReason = message.stop_reason ?? this.#stopReason;
    }
    return this.#mapper.map({ type, uuid, message, tool_use_result: toolUseResult });
  }

  end(how: Pick<CompletionDraft, "status" | "error">): CompletionDraft {
    const usage = [...this.#usages.values()].reduce<Usage>(addUsage, nothing);
    const stopReason = this.#stopReason;
    const isKnown = how.status === "completed" && stopReason !== undefined;
    return { type: "completion", ...how, usage: tidy(usage), ...(isKnown && { stopReason }) };
  }
}

const nothing: Usage = { inputTokens: 0, outputTokens: 0 };

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
