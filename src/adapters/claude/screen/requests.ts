import type { EventDraft, RequestDraft, SettledDraft } from "../../../contracts/event-draft.ts";
import { Plan } from "../events/plan.ts";
import { type NativeRequest, toRequest } from "../requests.ts";
import type { HookMessage } from "./hooks.ts";

/** Tracks the open permission requests of Claude's hook and matches each to its tool call in the transcript. */
export class ScreenRequests {
  readonly #plan = new Plan();
  readonly #open = new Map<string, NativeRequest>();
  /** Tool calls without a request and without a result. */
  readonly #calls = new Map<string, { readonly name: string; readonly input: string }>();
  /** Requests whose tool call is not in the transcript yet. */
  readonly #early = new Set<HookMessage>();

  get open(): readonly string[] {
    return [...this.#open.keys()];
  }

  /** Adds a request. Returns undefined if its tool call is not in the transcript yet. */
  add(message: HookMessage): RequestDraft | undefined {
    const request = this.#match(message);
    if (request === undefined) this.#early.add(message);
    return request;
  }

  /** Returns the request without a tool call, for calls that the transcript omits, such as a subagent's. */
  addUnmatched(message: HookMessage): RequestDraft | undefined {
    return this.#early.delete(message) ? this.restore(message) : undefined;
  }

  /** Opens a request, also one that a previous owner of the session has already emitted. */
  restore(message: HookMessage, callId?: string): RequestDraft {
    const { id: nativeId, tool_name: name = "unknown", tool_input: input = {} } = message;
    const nativeRequest = { nativeId, callId, name, input };
    this.#open.set(nativeId, nativeRequest);
    return toRequest(nativeRequest, { plan: this.#plan.text });
  }

  /** Adds to the transcript's drafts the request after each tool call and the user's answer before each result. */
  addRequests(drafts: readonly EventDraft[]): EventDraft[] {
    return drafts.flatMap((draft) => [
      ...this.#settledOnScreen(draft),
      draft,
      ...this.#onDraft(draft),
    ]);
  }

  /** A result while the request is open means that the user answered on Claude's own screen. */
  #settledOnScreen(draft: EventDraft): SettledDraft[] {
    if (draft.type !== "tool_result") return [];
    const [nativeId] = [...this.#open].find(([, { callId }]) => callId === draft.callId) ?? [];
    if (nativeId === undefined) return [];
    const isRefused = draft.isError && REFUSED.test(draft.output);
    return [{ type: "settled", nativeId, decision: isRefused ? "deny" : "allow" }];
  }

  /** Closes a request and returns it. Returns undefined if it is not open. */
  settle(nativeId: string): NativeRequest | undefined {
    const nativeRequest = this.#open.get(nativeId);
    this.#open.delete(nativeId);
    return nativeRequest;
  }

  #onDraft(draft: EventDraft): RequestDraft[] {
    if (draft.type === "completion") this.#calls.clear();
    if (draft.type === "tool_result") this.#calls.delete(draft.callId);
    if (draft.type !== "tool_call") return [];
    const { callId, name, input } = draft;
    this.#plan.onToolCall(name, input);
    this.#calls.set(callId, { name, input: JSON.stringify(input) });
    return [...this.#early].flatMap((message) => {
      const request = this.#match(message);
      if (request) this.#early.delete(message);
      return request ?? [];
    });
  }

  /** Prefers the call with the same input. The hook's input may differ, for example an absolute instead of a relative path. */
  #match(message: HookMessage): RequestDraft | undefined {
    const same = [...this.#calls].filter(([, { name }]) => name === message.tool_name);
    const input = JSON.stringify(message.tool_input ?? {});
    const [callId] = same.find(([, call]) => call.input === input) ?? same[0] ?? [];
    if (callId === undefined) return undefined;
    this.#calls.delete(callId);
    return this.restore(message, callId);
  }
}

/** Matches the result of a call that the user rejected on the screen. */
const REFUSED = /doesn't want to (proceed|take this action)|user rejected/i;
