import { HalyardError } from "../../core/error.ts";
import type { Answer } from "../../schema/permission.ts";
import type { ToolCall } from "./permission.ts";

const STOPPED: Answer = { decision: "deny", text: "the turn was cancelled" };

/** Where the tools of a session in this process wait for an answer. */
export class PermissionGate {
  readonly #ask: (nativeId: string, call: ToolCall) => void;
  readonly #open = new Map<string, (answer: Answer) => void>();
  #asked = 0;

  constructor(ask: (nativeId: string, call: ToolCall) => void) {
    this.#ask = ask;
  }

  answer(nativeId: string, answer: Answer): void {
    const settle = this.#open.get(nativeId);
    if (settle === undefined)
      throw new HalyardError("request_not_found", `Pi does not wait for an answer to ${nativeId}`);
    settle(answer);
  }

  wait(call: ToolCall, signal: AbortSignal | undefined): Promise<Answer> {
    if (signal?.aborted) return Promise.resolve(STOPPED);
    this.#asked += 1;
    const nativeId = `${call.callId}#${this.#asked}`;
    return new Promise((resolve) => {
      const settle = (answer: Answer) => {
        this.#open.delete(nativeId);
        signal?.removeEventListener("abort", onAbort);
        resolve(answer);
      };
      const onAbort = () => settle(STOPPED);
      signal?.addEventListener("abort", onAbort, { once: true });
      this.#open.set(nativeId, settle);
      this.#ask(nativeId, call);
    });
  }
}
