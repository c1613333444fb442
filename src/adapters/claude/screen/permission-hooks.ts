import type { EventDraft } from "../../../core/draft.ts";
import type { Answer } from "../../../schema/permission.ts";
import { breaksPlan, onlyPlanning, toReply } from "../asks.ts";
import { ScreenAsks } from "./asks.ts";
import { answerHook, type HookMessage } from "./hooks.ts";

/** What Claude asks by its hook, and what it is answered there: its dialog is left alone. */
export class PermissionHooks {
  readonly #asks = new ScreenAsks();
  readonly #directory: string;
  readonly #tell: (draft: EventDraft) => void;

  constructor(directory: string, tell: (draft: EventDraft) => void) {
    this.#directory = directory;
    this.#tell = tell;
  }

  /** `isOurs`: whether it is about what we sent, and not about what a person at the screen did. */
  async hear(message: HookMessage, { isOurs }: { isOurs: boolean }): Promise<void> {
    const { id, tool_name: name = "", tool_input: input = {}, permission_mode: mode } = message;
    const ask = { nativeId: id, callId: undefined, name, input };
    if (!isOurs) {
      await answerHook(this.#directory, id); // to be answered by whoever typed it, in the dialog
    } else if (message.isTold) {
      this.#asks.restore(message);
    } else if (breaksPlan(ask, mode)) {
      await answerHook(this.#directory, id, toReply(ask, onlyPlanning));
    } else {
      const request = this.#asks.ask(message);
      if (request) this.#tell(request);
      else setTimeout(() => this.#askAnyway(message), TRANSCRIPT_MS).unref();
    }
  }

  /** The transcript's drafts, with the requests about its calls and the answers that a person gave on the screen. */
  follow(drafts: readonly EventDraft[]): EventDraft[] {
    const followed = this.#asks.follow(drafts);
    for (const draft of followed) if (draft.type === "settled") this.#release(draft.nativeId);
    return followed;
  }

  /** The oldest request that waits for an answer of ours. */
  get first(): string | undefined {
    return this.#asks.open[0];
  }

  /** A person has allowed that request on the screen: its dialog is gone, and the tool runs. */
  allowedOnScreen(nativeId: string): void {
    this.#tell({ type: "settled", nativeId, decision: "allow" });
    this.#release(nativeId);
  }

  async answer(nativeId: string, answer: Answer): Promise<void> {
    const ask = this.#asks.settle(nativeId);
    if (ask === undefined) return; // Claude has gone on without the answer
    await answerHook(this.#directory, nativeId, toReply(ask, answer));
  }

  async denyAll(): Promise<void> {
    const decision = { behavior: "deny", message: "the turn was cancelled", interrupt: true };
    for (const id of this.#asks.open) {
      this.#asks.settle(id);
      await answerHook(this.#directory, id, decision);
    }
  }

  /** Ends a hook whose answer nobody waits for any more. */
  #release(nativeId: string): void {
    this.#asks.settle(nativeId);
    void answerHook(this.#directory, nativeId).catch(() => {}); // the session is over
  }

  #askAnyway(message: HookMessage): void {
    const request = this.#asks.askAnyway(message);
    if (request) this.#tell(request);
  }
}

/** How long the transcript may take to tell of a call that a hook has told of. */
const TRANSCRIPT_MS = 2_000;
