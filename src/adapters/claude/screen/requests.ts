import { isDeepStrictEqual } from "node:util";
import type { EventDraft, RequestDraft, SettledDraft } from "../../../contracts/event-draft.ts";
import { Plan } from "../events/plan.ts";
import { type NativeRequest, toRequest } from "../requests.ts";
import type { HookMessage } from "./hooks.ts";

/**
 * Tracks the open permission requests from Claude's hooks. A PermissionRequest message does not name its tool call, but
 * Claude sends an earlier PreToolUse message with the call's id. The transcript cannot identify the call, because the
 * transcript lags behind the hooks, and Claude rejects some calls without a request.
 */
export class ScreenRequests {
  readonly #plan = new Plan();
  readonly #open = new Map<string, NativeRequest>();
  /** The calls that Claude is about to run, except calls that already have a request or a result. */
  readonly #announced = new Map<string, Pick<NativeRequest, "name" | "input">>();
  /** The ids of the calls in the transcript of this turn. */
  readonly #logged = new Set<string>();
  /** Requests whose tool call is not in the transcript yet, by call id. */
  readonly #early = new Map<string, HookMessage>();

  get open(): readonly string[] {
    return [...this.#open.keys()];
  }

  /** Records a tool call that Claude is about to run. */
  announce({ tool_use_id: id, tool_name: name = "unknown", tool_input: input = {} }: HookMessage) {
    if (id !== undefined) this.#announced.set(id, { name, input });
  }

  /** Adds a request. Returns undefined if its tool call is not in the transcript yet. */
  add(message: HookMessage): RequestDraft | undefined {
    const callId = this.#callOf(message);
    if (callId === undefined || this.#logged.has(callId)) return this.restore(message, callId);
    this.#early.set(callId, message);
    return undefined;
  }

  /**
   * Opens a request although its tool call is not in the transcript, which omits some calls, such as a subagent's.
   * Returns undefined if the call has appeared since, because the request is then already open.
   */
  addEarly(message: HookMessage): RequestDraft | undefined {
    const [callId] = [...this.#early].find(([, early]) => early === message) ?? [];
    return callId === undefined ? undefined : this.#openEarly(callId);
  }

  /** Opens a request, even if a previous owner of the session has already emitted it. */
  restore(message: HookMessage, callId: string | undefined): RequestDraft {
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

  /**
   * Settles a request that the user answered on Claude's own screen. Such a request is still open when its tool's
   * result arrives.
   */
  #settledOnScreen(draft: EventDraft): SettledDraft[] {
    if (draft.type !== "tool_result") return [];
    const [nativeId] = [...this.#open].find(([, { callId }]) => callId === draft.callId) ?? [];
    if (nativeId === undefined) return [];
    const isRefused = draft.isError && REFUSED.test(draft.output);
    return [{ type: "settled", nativeId, decision: isRefused ? "deny" : "allow" }];
  }

  /** Closes a request and returns it. Returns undefined if the request is not open. */
  settle(nativeId: string): NativeRequest | undefined {
    const nativeRequest = this.#open.get(nativeId);
    this.#open.delete(nativeId);
    return nativeRequest;
  }

  #onDraft(draft: EventDraft): RequestDraft[] {
    if (draft.type === "completion") {
      this.#announced.clear();
      this.#logged.clear();
    }
    if (draft.type === "tool_result") this.#announced.delete(draft.callId);
    if (draft.type !== "tool_call") return [];
    const { callId, name, input } = draft;
    this.#plan.onToolCall(name, input);
    this.#logged.add(callId);
    const request = this.#openEarly(callId);
    return request ? [request] : [];
  }

  #openEarly(callId: string): RequestDraft | undefined {
    const message = this.#early.get(callId);
    this.#early.delete(callId);
    return message && this.restore(message, callId);
  }

  /**
   * Returns the id of the call that a request is about. Prefers the call with the same input. If one of the user's
   * hooks has changed the input, returns the tool's newest call. The PreToolUse message of this call is the last one
   * before the request.
   */
  #callOf({ tool_name: name, tool_input: input = {} }: HookMessage): string | undefined {
    const calls = [...this.#announced].filter(([, call]) => call.name === name);
    const same = calls.findLast(([, call]) => isDeepStrictEqual(call.input, input));
    const [callId] = same ?? calls.at(-1) ?? [];
    if (callId !== undefined) this.#announced.delete(callId);
    return callId;
  }
}

/** Matches the result of a call that the user rejected on the screen. */
const REFUSED = /doesn't want to (proceed|take this action)|user rejected/i;
