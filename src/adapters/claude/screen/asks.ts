import type { EventDraft, RequestDraft, SettledDraft } from "../../../core/draft.ts";
import { type Ask, toRequest } from "../asks.ts";
import { Plan } from "../plan.ts";
import type { HookMessage } from "./hooks.ts";

/** What Claude waits to have answered, each tied to the call it is about. */
export class ScreenAsks {
  readonly #plan = new Plan();
  readonly #open = new Map<string, Ask>();
  /** Calls that have neither been asked about nor come to an end. */
  readonly #calls = new Map<string, { readonly name: string; readonly input: string }>();
  /** Asked about calls that the transcript has not told of yet. */
  readonly #early = new Set<HookMessage>();

  get open(): readonly string[] {
    return [...this.#open.keys()];
  }

  /** Claude asks; undefined while the transcript has not told of the call. */
  ask(message: HookMessage): RequestDraft | undefined {
    const request = this.#match(message);
    if (request === undefined) this.#early.add(message);
    return request;
  }

  /** For a call that the transcript does not tell of, such as a subagent's. */
  askAnyway(message: HookMessage): RequestDraft | undefined {
    return this.#early.delete(message) ? this.restore(message) : undefined;
  }

  /** Also for what was told by somebody before us. */
  restore(message: HookMessage, callId?: string): RequestDraft {
    const { id: nativeId, tool_name: name = "unknown", tool_input: input = {} } = message;
    const ask = { nativeId, callId, name, input };
    this.#open.set(nativeId, ask);
    return toRequest(ask, { plan: this.#plan.text });
  }

  /** The transcript's drafts, each call followed by the request about it, and each result preceded by its answer. */
  follow(drafts: readonly EventDraft[]): EventDraft[] {
    return drafts.flatMap((draft) => [...this.#settledBy(draft), draft, ...this.#hear(draft)]);
  }

  /** A call has its result while its request is open: a person answered it on Claude's own screen. */
  #settledBy(draft: EventDraft): SettledDraft[] {
    if (draft.type !== "tool_result") return [];
    const [nativeId] = [...this.#open].find(([, { callId }]) => callId === draft.callId) ?? [];
    if (nativeId === undefined) return [];
    const isRefused = draft.isError && REFUSED.test(draft.output);
    return [{ type: "settled", nativeId, decision: isRefused ? "deny" : "allow" }];
  }

  /** What was asked, if it is still open; it is not from here on. */
  settle(nativeId: string): Ask | undefined {
    const ask = this.#open.get(nativeId);
    this.#open.delete(nativeId);
    return ask;
  }

  #hear(draft: EventDraft): RequestDraft[] {
    if (draft.type === "completion") this.#calls.clear();
    if (draft.type === "tool_result") this.#calls.delete(draft.callId);
    if (draft.type !== "tool_call") return [];
    const { callId, name, input } = draft;
    this.#plan.hear(name, input);
    this.#calls.set(callId, { name, input: JSON.stringify(input) });
    return [...this.#early].flatMap((message) => {
      const request = this.#match(message);
      if (request) this.#early.delete(message);
      return request ?? [];
    });
  }

  /** The hook may be told the input in other words, such as a whole path for a part of one. */
  #match(message: HookMessage): RequestDraft | undefined {
    const same = [...this.#calls].filter(([, { name }]) => name === message.tool_name);
    const input = JSON.stringify(message.tool_input ?? {});
    const [callId] = same.find(([, call]) => call.input === input) ?? same[0] ?? [];
    if (callId === undefined) return undefined;
    this.#calls.delete(callId);
    return this.restore(message, callId);
  }
}

/** The result of a call that a person refused on the screen. */
const REFUSED = /doesn't want to (proceed|take this action)|user rejected/i;
