import {
  type CompletionDraft,
  type EventDraft,
  type Mapper,
  raw,
  warning,
} from "../../core/draft.ts";
import { addUsage, tidyUsage } from "../../core/usage.ts";
import { askOf, breaksPlan, toRequest } from "./asks.ts";
import { setBackgroundTurnsApart } from "./background-turns.ts";
import { Commands } from "./commands.ts";
import { completionOf, isAborted } from "./completion.ts";
import {
  ClaudeMessage,
  type CommandLifecycle,
  type ControlRequest,
  type ResultMessage,
  type StreamEvent,
  type UserMessage,
} from "./messages.ts";
import { ServerWarnings } from "./server-warnings.ts";
import { systemDrafts } from "./system-events.ts";
import type { Init } from "./system-messages.ts";
import { TurnContent } from "./turn-content.ts";
import { UsageMeter } from "./usage.ts";

export interface MapperOptions {
  /** The messages come from a program that we speak to, and not from a recording. */
  readonly live?: boolean;
  /** From the program's first message on. */
  readonly fromStart?: boolean;
}

/** For recordings of the program's stream-json, and of the Agent SDK's messages, which are the same. */
export function createMapper(): Mapper {
  return setBackgroundTurnsApart(new ClaudeMapper());
}

/** Claude's stream-json in our words. */
export class ClaudeMapper implements Mapper {
  readonly #live: boolean;
  readonly #meter: UsageMeter;
  readonly #commands = new Commands();
  readonly #content = new TurnContent();
  readonly #serverWarnings = new ServerWarnings();
  /** `other`: a turn that Claude began by itself, such as when a task in the background ends. */
  #turn: "unbegun" | "ours" | "other" | "over" = "unbegun";
  /** The end of a turn whose last message is still to be dealt with. */
  #held: CompletionDraft | undefined;
  #session = "";
  #permissionMode: string | undefined;

  constructor({ live = false, fromStart = true }: MapperOptions = {}) {
    this.#live = live;
    this.#meter = new UsageMeter({ fromStart });
  }

  get permissionMode(): string | undefined {
    return this.#permissionMode;
  }

  /** What comes of this message belongs to no turn of ours. */
  disown(uuid: string): void {
    this.#commands.disown(uuid);
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
        return this.#inTurn(native, () => this.#content.assistant(message));
      case "user":
        return hasResults(message) ? this.#inTurn(native, () => this.#content.user(message)) : [];
      case "result":
        return this.#result(message, native);
      case "control_request":
        return this.#ask(message, native);
      case "conversation_reset": {
        const text = "Claude forgot the conversation so far";
        return [{ type: "system", subtype: "status", text }];
      }
      case "rate_limit_event":
      case "auth_status":
        return warningDrafts(message);
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
    if (this.#turn !== "ours")
      this.#turn = this.#commands.startsOurs(init.user_message_uuids) ? "ours" : "other";
    const warnings = this.#serverWarnings.of(init);
    const told = JSON.stringify([runtimeSessionId, model, permissionMode]);
    if (told === this.#session) return warnings;
    const isFirst = this.#session === "";
    this.#session = told;
    // A program that we speak to has told its start already, and has its record of the session by now.
    const subtype = isFirst && !this.#live ? "session_started" : "status";
    const data = {
      ...(runtimeSessionId !== undefined && { runtimeSessionId, resumable: true }),
      ...(model !== undefined && { model }),
      ...(permissionMode !== undefined && { permissionMode }),
    };
    return [{ type: "system", subtype, data }, ...warnings];
  }

  #command(message: CommandLifecycle): EventDraft[] {
    const fate = this.#commands.hear(message);
    const isDisowned = this.#commands.isDisowned(message.command_uuid);
    if (fate === "begun") {
      if (!isDisowned) this.#turn = "ours";
      else if (this.#turn !== "ours") this.#turn = "other";
    }
    if (fate !== "withdrawn" || this.#turn === "ours") return [];
    if (this.#held) return this.#commands.hasWaiting ? [] : this.#release();
    return isDisowned ? [] : [{ type: "completion", status: "cancelled" }];
  }

  #streamEvent(message: StreamEvent, native: unknown): EventDraft[] {
    if (typeof message.parent_tool_use_id === "string" || this.#turn === "other") return [];
    return this.#inTurn(native, () => this.#content.stream(message) ?? [raw(native)]);
  }

  #ask(message: ControlRequest, native: unknown): EventDraft[] {
    const ask = askOf(message);
    if (ask === undefined) return isForSdk(message) ? [] : [raw(native)];
    if (this.#content.isRepeated(ask.nativeId)) return [];
    if (breaksPlan(ask, this.#permissionMode)) return []; // the connection knows the answer
    return [toRequest(ask, { plan: this.#content.plan })];
  }

  #result(result: ResultMessage, native: unknown): EventDraft[] {
    const usage = this.#meter.read(result);
    const was = this.#turn;
    this.#turn = "over";
    if (was === "over" || was === "other") return [raw(native)];
    const broken = isAborted(result) ? [] : this.#content.abandon();
    const { text, apiError } = this.#content;
    const end = completionOf(result, { usage, text, apiError });
    this.#content.clear();
    const earlier = this.#held?.usage;
    this.#held = earlier ? { ...end, usage: tidyUsage(addUsage(earlier, usage)) } : end;
    const goesOn = this.#live && this.#commands.hasWaiting && !isAborted(result);
    return goesOn ? broken : [...broken, ...this.#release()];
  }

  #release(): EventDraft[] {
    const end = this.#held;
    this.#held = undefined;
    return end ? [end] : [];
  }

  /** What comes after the end of a turn, or in a turn of Claude's own, is kept but belongs to none of ours. */
  #inTurn(native: unknown, drafts: () => EventDraft[]): EventDraft[] {
    if (this.#turn === "unbegun") this.#turn = "ours"; // a recording may begin anywhere
    return this.#turn === "ours" ? drafts() : [raw(native)];
  }
}

/** Asked of the program that uses the Agent SDK: nothing a person could answer. */
function isForSdk({ request: { subtype } }: ControlRequest): boolean {
  return subtype === "hook_callback" || subtype === "mcp_message";
}

function hasResults({ message: { content } }: UserMessage): boolean {
  return content.some(({ type }) => type === "tool_result");
}

type Warning = Extract<ClaudeMessage, { type: "rate_limit_event" | "auth_status" }>;

function warningDrafts(message: Warning): EventDraft[] {
  if (message.type === "auth_status")
    return message.error === undefined ? [] : [warning(message.error)];
  const { status = "allowed" } = message.rate_limit_info ?? {};
  return status === "allowed" ? [] : [warning(`rate limit: ${status.replaceAll("_", " ")}`)];
}
