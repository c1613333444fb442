import {
  type CompletionDraft,
  type EventDraft,
  type Mapper,
  raw,
  warning,
} from "../../core/draft.ts";
import { addUsage, tidyUsage } from "../../core/usage.ts";
import { askOf, breaksPlan, toRequest } from "./asks.ts";
import { AssistantBlocks } from "./assistant-blocks.ts";
import { setBackgroundTurnsApart } from "./background-turns.ts";
import { Commands } from "./commands.ts";
import { completionOf, isAborted } from "./completion.ts";
import {
  type AssistantMessage,
  type Block,
  ClaudeMessage,
  type CommandLifecycle,
  type ControlRequest,
  type Init,
  type ResultMessage,
  type StreamEvent,
  type UserMessage,
} from "./messages.ts";
import { Plan } from "./plan.ts";
import { ServerWarnings } from "./server-warnings.ts";
import { systemDrafts } from "./system-events.ts";
import { toolKind, toolResult } from "./tools.ts";
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
  readonly #blocks = new AssistantBlocks();
  readonly #plan = new Plan();
  readonly #serverWarnings = new ServerWarnings();
  /** The tools used in this turn that have given nothing back yet. */
  readonly #calls = new Set<string>();
  /** What was told in this turn already, by its name. */
  readonly #seen = new Set<string>();
  /** `other`: a turn that Claude began by itself, such as when a task in the background ends. */
  #turn: "unbegun" | "ours" | "other" | "over" = "unbegun";
  #text = "";
  #apiError: string | undefined;
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
        return this.#inTurn(native, () => this.#assistant(message));
      case "user":
        return hasResults(message) ? this.#inTurn(native, () => this.#user(message)) : [];
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
    return this.#inTurn(native, () => this.#blocks.hear(message) ?? [raw(native)]);
  }

  #assistant(message: AssistantMessage): EventDraft[] {
    const { uuid, error, is_api_error_message: isError = error !== undefined } = message;
    if (uuid !== undefined && this.#isRepeated(uuid)) return [];
    if (isError) {
      this.#apiError = error;
      return []; // the end of the turn tells of it
    }
    return message.message.content.flatMap((block, index) => this.#block(block, index, message));
  }

  #block(block: Block, index: number, message: AssistantMessage): EventDraft[] {
    const { type, id, tool_use_id } = block;
    const isOwn = typeof message.parent_tool_use_id !== "string";
    if (type === "text" || type === "thinking") {
      const text = block.text ?? block.thinking ?? "";
      if (!isOwn) return type === "text" ? [subagentText(text, message)] : [];
      const { id: apiMessageId } = message.message;
      const uuid = `${message.uuid ?? apiMessageId}${index === 0 ? "" : `.${index}`}`;
      const channel = type === "text" ? "text" : "reasoning";
      if (channel === "text" && text !== "") this.#text = text;
      return this.#blocks.whole(channel, text, { apiMessageId, uuid });
    }
    if (type.endsWith("tool_use") && id !== undefined) return this.#call(id, block);
    if (type.endsWith("tool_result") && tool_use_id !== undefined)
      return this.#resultOf(tool_use_id, block, undefined);
    return [];
  }

  #call(callId: string, { name = "unknown", input = {} }: Block): EventDraft[] {
    if (this.#isRepeated(callId)) return [];
    this.#calls.add(callId);
    const call: EventDraft = { type: "tool_call", callId, name, kind: toolKind(name), input };
    return [call, ...this.#plan.hear(name, input)];
  }

  #user({ message: { content }, tool_use_result: details }: UserMessage): EventDraft[] {
    const results = content.filter(({ tool_use_id }) => tool_use_id !== undefined);
    const isOnly = results.length === 1;
    return results.flatMap((block) =>
      this.#resultOf(block.tool_use_id ?? "", block, isOnly ? details : undefined),
    );
  }

  #resultOf(callId: string, block: Block, details: unknown): EventDraft[] {
    return this.#calls.delete(callId) ? [toolResult(callId, block, details)] : [];
  }

  #ask(message: ControlRequest, native: unknown): EventDraft[] {
    const ask = askOf(message);
    if (ask === undefined) return isForSdk(message) ? [] : [raw(native)];
    if (this.#isRepeated(ask.nativeId)) return [];
    if (breaksPlan(ask, this.#permissionMode)) return []; // the connection knows the answer
    return [toRequest(ask, { plan: this.#plan.text })];
  }

  #result(result: ResultMessage, native: unknown): EventDraft[] {
    const usage = this.#meter.read(result);
    const was = this.#turn;
    this.#turn = "over";
    if (was === "over" || was === "other") return [raw(native)];
    const broken = isAborted(result) ? [] : this.#blocks.abandon();
    const end = completionOf(result, { usage, text: this.#text, apiError: this.#apiError });
    this.#forget();
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

  #isRepeated(name: string): boolean {
    if (this.#seen.has(name)) return true;
    this.#seen.add(name);
    return false;
  }

  #forget(): void {
    this.#blocks.clear();
    this.#calls.clear();
    this.#seen.clear();
    this.#text = "";
    this.#apiError = undefined;
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

function subagentText(text: string, message: AssistantMessage): EventDraft {
  const { parent_tool_use_id: callId, subagent_type: agent } = message;
  const data = { callId, ...(agent !== undefined && { agent }) };
  return { type: "system", subtype: "step", text, data };
}

type Warning = Extract<ClaudeMessage, { type: "rate_limit_event" | "auth_status" }>;

function warningDrafts(message: Warning): EventDraft[] {
  if (message.type === "auth_status")
    return message.error === undefined ? [] : [warning(message.error)];
  const { status = "allowed" } = message.rate_limit_info ?? {};
  return status === "allowed" ? [] : [warning(`rate limit: ${status.replaceAll("_", " ")}`)];
}
