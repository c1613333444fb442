import { limitDraft, usageDraft } from "../../../adapter-kit/report-drafts.ts";
import {
  type CompletionDraft,
  type EventDraft,
  type Mapper,
  raw,
} from "../../../contracts/event-draft.ts";
import { modelFailureCode } from "../../../errors/model-failure.ts";
import { addUsage, noUsage, totalTokens } from "../../../schema/usage/usage.ts";
import { dialogDrafts, extensionWarning } from "../dialog.ts";
import { type AssistantMessage, PiMessage } from "../messages.ts";
import { AssistantMessages } from "./assistant-message.ts";
import { completionOf, failure, usageOf } from "./completion.ts";
import { toolKind, toolResult } from "./tools.ts";

type Message<T extends PiMessage["type"]> = Extract<PiMessage, { type: T }>;

type CompactionEnd = Message<"compaction_end">;

/** Creates a mapper for Pi's messages, which are the same in the SDK, over RPC and in `--mode json`. */
export function createMapper(): Mapper {
  return new PiMapper();
}

class PiMapper implements Mapper {
  readonly #messages = new AssistantMessages();
  #isTurnOpen = false;
  /** True between `agent_start` and `agent_end`. */
  #isRunning = false;
  #isCompacting = false;
  /** True during a requested compaction, which is a separate turn. */
  #isRequested = false;
  /** True if a prompt was accepted and no run has started yet. */
  #isPrompted = false;
  #last: AssistantMessage | undefined;
  #usage = noUsage;
  /** A completion that a retry may still cancel. */
  #held: CompletionDraft | undefined;

  map(native: unknown): EventDraft[] {
    const parsed = PiMessage.safeParse(native);
    if (!parsed.success) return [raw(native)];
    const message = parsed.data;
    switch (message.type) {
      case "session":
        return [
          ...this.#release(),
          { type: "system", subtype: "session_started", data: { runtimeSessionId: message.id } },
        ];
      case "agent_start":
        return this.#agentStart();
      case "message_start":
        if (isAssistant(message.message)) this.#messages.start(message.message);
        return [];
      case "message_update":
        return this.#messages.delta(message.assistantMessageEvent);
      case "message_end":
        return isAssistant(message.message) ? this.#messageEnd(message.message) : [];
      case "tool_execution_start": {
        const { toolCallId: callId, toolName: name, args: input } = message;
        return [{ type: "tool_call", callId, name, kind: toolKind(name), input }];
      }
      case "tool_execution_end":
        return [toolResult(message)];
      case "agent_end":
        return this.#agentEnd(message);
      case "agent_settled":
        return this.#release();
      case "auto_retry_start":
        return this.#retry(message);
      case "auto_retry_end":
        return message.success ? [] : this.#retriesEnd();
      case "compaction_start":
        return this.#compactionStart(message);
      case "compaction_end":
        return this.#compactionEnd(message);
      case "response":
        return [...this.#release(), ...this.#response(message)];
      case "extension_ui_request":
        return dialogDrafts(message);
      case "extension_error":
        return [extensionWarning(message.event, message.error)];
      case "turn_start":
      case "turn_end":
      case "tool_execution_update":
      case "queue_update":
      case "session_info_changed":
      case "thinking_level_changed":
      case "entry_appended":
        return [];
    }
  }

  flush(): EventDraft[] {
    this.#isCompacting = false;
    return this.#release();
  }

  #agentStart(): EventDraft[] {
    const ended = this.#release();
    this.#isRunning = true;
    this.#isPrompted = false;
    if (!this.#isTurnOpen) {
      this.#isTurnOpen = true;
      this.#usage = noUsage;
    }
    this.#last = undefined;
    return ended;
  }

  #messageEnd(message: AssistantMessage): EventDraft[] {
    this.#last = message;
    this.#usage = addUsage(this.#usage, usageOf(message));
    const isUsed = totalTokens(usageOf(message)) > 0;
    return [...this.#messages.end(message), ...(isUsed ? [usageDraft(this.#usage)] : [])];
  }

  /**
   * Handles the end of an attempt. Up to 0.74, a failed attempt looks like the end of the turn until `auto_retry_start`
   * or a compaction follows. Since 0.87, `willRetry` is set, and `agent_settled` ends the turn.
   */
  #agentEnd({ willRetry }: Message<"agent_end">): EventDraft[] {
    this.#isRunning = false;
    if (willRetry === true || !this.#isTurnOpen) return [];
    const end = completionOf(this.#last, this.#usage);
    if (willRetry === undefined && end.status !== "failed") return this.#complete(end);
    this.#held = end;
    return [];
  }

  #retry(message: Message<"auto_retry_start">): EventDraft[] {
    this.#held = undefined;
    const { attempt, maxAttempts, delayMs, errorMessage: text = "" } = message;
    const retry = {
      type: "system",
      subtype: "retry",
      text,
      data: { attempt, maxAttempts, delayMs },
    } as const;
    const isLimit = modelFailureCode(text) === "rate_limited" && delayMs !== undefined;
    return isLimit
      ? [retry, limitDraft({ status: "reached", retryAfterMs: delayMs }, text)]
      : [retry];
  }

  /** Completes the turn after the last attempt, or after an abort between two attempts. */
  #retriesEnd(): EventDraft[] {
    if (this.#held !== undefined) return this.#release();
    return this.#complete({ type: "completion", status: "cancelled", usage: this.#usage });
  }

  #compactionStart({ reason }: Message<"compaction_start">): EventDraft[] {
    this.#isCompacting = true;
    this.#isRequested = reason === "manual" && !this.#isTurnOpen;
    if (this.#isRequested) {
      this.#isTurnOpen = true;
      this.#usage = noUsage;
    }
    return [{ type: "system", subtype: "compaction", data: { state: "started", reason } }];
  }

  #compactionEnd(message: Message<"compaction_end">): EventDraft[] {
    const { reason, aborted, willRetry, errorMessage: text } = message;
    this.#isCompacting = false;
    if (willRetry) this.#held = undefined;
    const state = aborted ? "aborted" : text === undefined ? "completed" : "failed";
    const data = { state, reason };
    return [
      { type: "system", subtype: "compaction", ...(text !== undefined && { text }), data },
      ...(willRetry ? [] : this.#release()),
      ...this.#compactionTurnEnd(message),
    ];
  }

  #compactionTurnEnd(end: CompactionEnd): EventDraft[] {
    const { aborted, errorMessage: text } = end;
    if (!this.#isRequested) return [];
    this.#isRequested = false;
    if (text !== undefined && !aborted) return this.#complete(failure(text, this.#usage));
    const status = aborted ? "cancelled" : "completed";
    return this.#complete({ type: "completion", status, usage: this.#usage });
  }

  #response({ command, success, error = "", data }: Message<"response">): EventDraft[] {
    if (this.#isRunning) return [];
    if (command === "prompt") {
      this.#isTurnOpen = true;
      this.#usage = noUsage;
      this.#isPrompted = success;
      return success ? [] : this.#complete(failure(error, noUsage));
    }
    return command === "get_state" && this.#isPrompted && isIdle(data)
      ? this.#completeCommand()
      : [];
  }

  /** Completes the turn for a message that a user's extension handled as a command, without the model. */
  #completeCommand(): EventDraft[] {
    this.#isPrompted = false;
    return this.#complete(completionOf(undefined, noUsage));
  }

  /** Emits the buffered completion, unless a compaction may still cancel it. */
  #release(): EventDraft[] {
    return this.#held === undefined || this.#isCompacting ? [] : this.#complete(this.#held);
  }

  #complete(end: CompletionDraft): EventDraft[] {
    this.#held = undefined;
    if (!this.#isTurnOpen) return [];
    this.#isTurnOpen = false;
    return [end];
  }
}

function isIdle(state: unknown): boolean {
  return (
    typeof state === "object" &&
    state !== null &&
    "isStreaming" in state &&
    state.isStreaming === false
  );
}

function isAssistant(message: { role: string }): message is AssistantMessage {
  return message.role === "assistant";
}
