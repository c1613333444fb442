import { requestNotOpen } from "../../errors/request-not-open.ts";
import type { Answer } from "../../schema/permission.ts";
import type { ToolCall } from "./permission.ts";

const STOPPED: Answer = { decision: "deny", text: "the turn was cancelled" };

/** Holds an in-process session's tool calls until they are answered. */
export class PermissionGate {
  readonly #emitRequest: (nativeId: string, call: ToolCall) => void;
  readonly #open = new Map<string, (answer: Answer) => void>();
  #count = 0;

  constructor(emitRequest: (nativeId: string, call: ToolCall) => void) {
    this.#emitRequest = emitRequest;
  }

  /** Answers a request. Throws `request_not_found` if it is not open. */
  answer(nativeId: string, answer: Answer): void {
    const settle = this.#open.get(nativeId);
    if (settle === undefined) throw requestNotOpen(nativeId);
    settle(answer);
  }

  /** Emits a request for a tool call and waits for the answer. Denies the call if the signal is aborted. */
  wait(call: ToolCall, signal: AbortSignal | undefined): Promise<Answer> {
    if (signal?.aborted) return Promise.resolve(STOPPED);
    this.#count += 1;
    const nativeId = `${call.callId}#${this.#count}`;
    return new Promise((resolve) => {
      const settle = (answer: Answer) => {
        this.#open.delete(nativeId);
        signal?.removeEventListener("abort", onAbort);
        resolve(answer);
      };
      const onAbort = () => settle(STOPPED);
      signal?.addEventListener("abort", onAbort, { once: true });
      this.#open.set(nativeId, settle);
      this.#emitRequest(nativeId, call);
    });
  }
}
