import type { EventDraft, RequestDraft } from "../../../core/draft.ts";
import { type Ask, toRequest } from "../asks.ts";
import type { HookMessage } from "./hooks.ts";

/** What Claude waits to have answered, each tied to the call it is about. */
export class ScreenAsks {
  /** Calls that have neither been asked about nor come to an end. */
  readonly #calls = new Map<string, { readonly name: string; readonly input: string }>();
  readonly #plans = new Map<string, string>();
  readonly #open = new Map<string, Ask>();
  /** Asked about calls that the transcript has not told of yet. */
  readonly #early: HookMessage[] = [];

  get open(): readonly string[] {
    return [...this.#open.keys()];
  }

  /** Claude asks; undefined while the transcript has not told of the call. */
  ask(message: HookMessage): RequestDraft | undefined {
    const request = this.#match(message);
    if (request === undefined) this.#early.push(message);
    return request;
  }

  /** The transcript may never tell of a call, such as a subagent's: its request is told all the same. */
  giveUpOn(message: HookMessage): RequestDraft | undefined {
    const at = this.#early.indexOf(message);
    if (at < 0) return undefined;
    this.#early.splice(at, 1);
    return this.#open_(message, undefined);
  }

  /** What the transcript tells; what was asked about its calls follows them. */
  follow(drafts: readonly EventDraft[]): EventDraft[] {
    return drafts.flatMap((draft) => [draft, ...this.#hear(draft)]);
  }

  /** What was asked, if it is still open; it is not from here on. */
  settle(nativeId: string): Ask | undefined {
    const ask = this.#open.get(nativeId);
    this.#open.delete(nativeId);
    return ask;
  }

  /** Takes up what was told by somebody before us. */
  restore(message: HookMessage): void {
    this.#open_(message, undefined);
  }

  #hear(draft: EventDraft): RequestDraft[] {
    switch (draft.type) {
      case "completion":
        this.#calls.clear();
        return [];
      case "tool_result":
        this.#calls.delete(draft.callId);
        return [];
      case "tool_call": {
        this.#calls.set(draft.callId, { name: draft.name, input: JSON.stringify(draft.input) });
        const asked = this.#early.filter((message) => message.tool_name === draft.name);
        return asked.flatMap((message) => {
          const request = this.#match(message);
          if (request) this.#early.splice(this.#early.indexOf(message), 1);
          return request ? [request] : [];
        });
      }
      case "system":
        if (draft.subtype === "plan" && draft.text) this.#plans.set("last", draft.text);
        return [];
      default:
        return [];
    }
  }

  /** The hook may be told the input in other words, such as a whole path for a part of one. */
  #match(message: HookMessage): RequestDraft | undefined {
    const same = [...this.#calls].filter(([, { name }]) => name === message.tool_name);
    const input = JSON.stringify(message.tool_input ?? {});
    const [callId] = same.find(([, call]) => call.input === input) ?? same[0] ?? [];
    if (callId === undefined) return undefined;
    this.#calls.delete(callId);
    return this.#open_(message, callId);
  }

  #open_(message: HookMessage, callId: string | undefined): RequestDraft {
    const { id: nativeId, tool_name: name = "unknown", tool_input: input = {} } = message;
    const ask = { nativeId, callId, name, input };
    this.#open.set(nativeId, ask);
    return toRequest(ask, { plan: this.#plans.get("last") });
  }
}
