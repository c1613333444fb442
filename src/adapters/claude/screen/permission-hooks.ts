import type { EventDraft } from "../../../contracts/event-draft.ts";
import type { Answer } from "../../../schema/permission.ts";
import { planModeDenial, toReply, violatesPlanMode } from "../requests.ts";
import { answerHook, type HookMessage } from "./hooks.ts";
import { ScreenRequests } from "./requests.ts";

/** Reports and answers Claude's permission requests through Claude's hooks. Never types into the dialog. */
export class PermissionHooks {
  readonly #requests = new ScreenRequests();
  readonly #directory: string;
  readonly #emit: (draft: EventDraft) => void;

  constructor(directory: string, emit: (draft: EventDraft) => void) {
    this.#directory = directory;
    this.#emit = emit;
  }

  /** Handles a tool call that Claude is about to run. */
  onCall(message: HookMessage): void {
    this.#requests.announce(message);
  }

  /** Handles a request. `isOwn` is false if the request results from a message that a user typed on the screen. */
  async onRequest(message: HookMessage, { isOwn }: { isOwn: boolean }): Promise<void> {
    const { id, tool_name: name = "", tool_input: input = {}, permission_mode: mode } = message;
    const nativeRequest = { nativeId: id, callId: undefined, name, input };
    if (!isOwn) {
      await answerHook(this.#directory, id); // ends the hook without a decision, so that the user answers in the dialog
    } else if (message.isReported) {
      this.#requests.restore(message, message.callId);
    } else if (violatesPlanMode(nativeRequest, mode)) {
      await answerHook(this.#directory, id, toReply(nativeRequest, planModeDenial));
    } else {
      const request = this.#requests.add(message);
      if (request) this.#emit(request);
      else setTimeout(() => this.#addEarly(message), TRANSCRIPT_MS).unref();
    }
  }

  /** Adds the requests, and the user's answers on the screen, to the transcript's drafts. */
  addRequests(drafts: readonly EventDraft[]): EventDraft[] {
    const extended = this.#requests.addRequests(drafts);
    for (const draft of extended) if (draft.type === "settled") this.#release(draft.nativeId);
    return extended;
  }

  /** The id of the oldest open request. */
  get first(): string | undefined {
    return this.#requests.open[0];
  }

  /** Settles a request that the user allowed on the screen. Its dialog is closed, and the tool runs. */
  allowedOnScreen(nativeId: string): void {
    this.#emit({ type: "settled", nativeId, decision: "allow" });
    this.#release(nativeId);
  }

  async answer(nativeId: string, answer: Answer): Promise<void> {
    const nativeRequest = this.#requests.settle(nativeId);
    if (nativeRequest === undefined) return; // Claude no longer waits for the answer
    await answerHook(this.#directory, nativeId, toReply(nativeRequest, answer));
  }

  async denyAll(): Promise<void> {
    const decision = { behavior: "deny", message: "the turn was cancelled", interrupt: true };
    for (const id of this.#requests.open) {
      this.#requests.settle(id);
      await answerHook(this.#directory, id, decision);
    }
  }

  /** Ends a hook whose request is settled. */
  #release(nativeId: string): void {
    this.#requests.settle(nativeId);
    void answerHook(this.#directory, nativeId).catch(() => {}); // fails if the session has ended
  }

  #addEarly(message: HookMessage): void {
    const request = this.#requests.addEarly(message);
    if (request) this.#emit(request);
  }
}

/** The time within which a call that the hook reported appears in the transcript, in milliseconds. */
const TRANSCRIPT_MS = 2_000;
