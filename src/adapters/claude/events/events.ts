import { usageDraft } from "../../../adapter-kit/report-drafts.ts";
import {
  type CompletionDraft,
  type EventDraft,
  type Mapper,
  raw,
  warning,
} from "../../../contracts/event-draft.ts";
import { addUsage, tidyUsage } from "../../../schema/usage/usage.ts";
import { MessageStates } from "../message-states.ts";
import {
  ClaudeMessage,
  type CommandLifecycle,
  type ControlRequest,
  type NativeStreamEvent,
  type ResultMessage,
  type UserMessage,
} from "../messages.ts";
import { parseRequest, toRequest, violatesPlanMode } from "../requests.ts";
import { separateBackgroundTurns } from "./background-turns.ts";
import { completionOf, isAborted } from "./completion.ts";
import { limitDrafts } from "./limits.ts";
import { RunningUsage } from "./running-usage.ts";
import { ServerWarnings } from "./server-warnings.ts";
import { systemDrafts } from "./system-events.ts";
import type { Init } from "./system-messages.ts";
import { TurnContent } from "./turn-content.ts";
import { UsageMeter } from "./usage.ts";

/** Options for `ClaudeMapper`. */
export interface MapperOptions {
  /** True if the messages come from a connected process instead of a native log. Defaults to false. */
  readonly live?: boolean;
  /** True if the input includes the process's first message. Defaults to true. */
  readonly fromStart?: boolean;
}

/** Creates a mapper for native logs of Claude Code or the Agent SDK, which use the same stream-json format. */
export function createMapper(): Mapper {
  return separateBackgroundTurns(new ClaudeMapper());
}

/** Maps Claude's stream-json messages to event drafts. */
export class ClaudeMapper implements Mapper {
  readonly #live: boolean;
  readonly #meter: UsageMeter;
  readonly #messageStates = new MessageStates();
  readonly #content = new TurnContent();
  readonly #serverWarnings = new ServerWarnings();
  readonly #running = new RunningUsage();
  /** `other`: a turn that Claude started on its own, for example after a background task, or for a disowned message. */
  #turn: "none" | "own" | "other" | "ended" = "none";
  /** The completion of a turn, delayed while messages are queued. */
  #held: CompletionDraft | undefined;
  #lastState = "";
  #permissionMode: string | undefined;

  constructor({ live = false, fromStart = true }: MapperOptions = {}) {
    this.#live = live;
    this.#meter = new UsageMeter({ fromStart });
  }

  get permissionMode(): string | undefined {
    return this.#permissionMode;
  }

  /** Excludes the response to this message from the session's turns. */
  disown(uuid: string): void {
    this.#messageStates.disown(uuid);
  }

  map(native: unknown): EventDraft[] {
    const parsed = ClaudeMessage.safeParse(native);
    if (!parsed.success) return [raw(native)];
    const message = parsed.data;
    switch (message.type) {
      case "system":
        if (message.subtype === "init") return this.#init(message);
        if (message.subtype === "status")
          this.#permissionMode = message.permissionMode ?? this.#permissionMode;
        return systemDrafts(message);
      case "command_lifecycle":
        return this.#command(message);
      case "stream_event":
        return this.#streamEvent(message, native);
      case "assistant":
        return this.#inTurn(native, () => [
          ...this.#content.assistant(message),
          ...this.#used(this.#running.message(message)),
        ]);
      case "user":
        return hasResults(message) ? this.#inTurn(native, () => this.#content.user(message)) : [];
      case "result":
        return this.#result(message, native);
      case "control_request":
        return this.#controlRequest(message, native);
      case "conversation_reset": {
        const text = "Claude cleared the conversation";
        return [{ type: "system", subtype: "status", text }];
      }
      case "rate_limit_event":
        return limitDrafts(message.rate_limit_info);
      case "auth_status":
        return message.error === undefined ? [] : [warning(message.error)];
      case "control_response":
      case "control_cancel_request":
      case "active_goal":
      case "keep_alive":
      case "prompt_suggestion":
      case "tool_progress":
      case "tool_use_summary":
        return [];
    }
  }

  flush(): EventDraft[] {
    return this.#release();
  }

  #init(init: Init): EventDraft[] {
    const { session_id: runtimeSessionId, model, permissionMode } = init;
    this.#permissionMode = permissionMode;
    if (this.#turn !== "own")
      this.#turn = this.#messageStates.isOwnTurn(init.user_message_uuids) ? "own" : "other";
    const warnings = this.#serverWarnings.warningsFor(init);
    const state = JSON.stringify([runtimeSessionId, model, permissionMode]);
    if (state === this.#lastState) return warnings;
    const isFirst = this.#lastState === "";
    this.#lastState = state;
    // The handshake of a connected process has already reported the start of the session.
    const subtype = isFirst && !this.#live ? "session_started" : "status";
    const data = {
      ...(runtimeSessionId !== undefined && { runtimeSessionId, resumable: true }),
      ...(model !== undefined && { model }),
      ...(permissionMode !== undefined && { permissionMode }),
    };
    return [{ type: "system", subtype, data }, ...warnings];
  }

  #command(message: CommandLifecycle): EventDraft[] {
    const change = this.#messageStates.update(message);
    const isDisowned = this.#messageStates.isDisowned(message.command_uuid);
    if (change === "started") {
      if (!isDisowned) this.#turn = "own";
      else if (this.#turn !== "own") this.#turn = "other";
    }
    if (change !== "withdrawn" || this.#turn === "own") return [];
    if (this.#held) return this.#messageStates.hasWaiting ? [] : this.#release();
    return isDisowned ? [] : [{ type: "completion", status: "cancelled" }];
  }

  #streamEvent(message: NativeStreamEvent, native: unknown): EventDraft[] {
    if (typeof message.parent_tool_use_id === "string" || this.#turn === "other") return [];
    return this.#inTurn(native, () => {
      const drafts = this.#content.stream(message);
      return drafts ? [...drafts, ...this.#used(this.#running.stream(message))] : [raw(native)];
    });
  }

  /** Reports the usage after each model request. */
  #used(isComplete: boolean): EventDraft[] {
    return isComplete ? [usageDraft(this.#running.total)] : [];
  }

  #controlRequest(message: ControlRequest, native: unknown): EventDraft[] {
    const nativeRequest = parseRequest(message);
    if (nativeRequest === undefined) return isForSdk(message) ? [] : [raw(native)];
    if (this.#content.isRepeated(nativeRequest.nativeId)) return [];
    if (violatesPlanMode(nativeRequest, this.#permissionMode)) return []; // the connection denies such a request
    return [toRequest(nativeRequest, { plan: this.#content.plan })];
  }

  #result(result: ResultMessage, native: unknown): EventDraft[] {
    const usage = this.#meter.read(result);
    const previous = this.#turn;
    this.#turn = "ended";
    if (previous === "ended" || previous === "other") return [raw(native)];
    const broken = isAborted(result) ? [] : this.#content.abandon();
    const { text, apiError } = this.#content;
    const end = completionOf(result, { usage, text, apiError });
    this.#content.clear();
    if (!(this.#live && this.#messageStates.hasWaiting)) this.#running.clear();
    const earlier = this.#held?.usage;
    this.#held = earlier ? { ...end, usage: tidyUsage(addUsage(earlier, usage)) } : end;
    const continues = this.#live && this.#messageStates.hasWaiting && !isAborted(result);
    return continues ? broken : [...broken, ...this.#release()];
  }

  #release(): EventDraft[] {
    const end = this.#held;
    this.#held = undefined;
    return end ? [end] : [];
  }

  /**
   * Returns the drafts of a message in one of the session's turns. Returns a raw draft if the turn has ended, or if
   * Claude started the turn on its own.
   */
  #inTurn(native: unknown, drafts: () => EventDraft[]): EventDraft[] {
    if (this.#turn === "none") this.#turn = "own"; // a native log may start in the middle of a turn
    return this.#turn === "own" ? drafts() : [raw(native)];
  }
}

/** True if the Agent SDK, not the user, answers the request. */
function isForSdk({ request: { subtype } }: ControlRequest): boolean {
  return subtype === "hook_callback" || subtype === "mcp_message";
}

function hasResults({ message: { content } }: UserMessage): boolean {
  return content.some(({ type }) => type === "tool_result");
}
