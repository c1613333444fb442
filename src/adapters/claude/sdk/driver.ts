import { createChannel } from "../../../async/channel.ts";
import { createDeferred, type Deferred } from "../../../async/deferred.ts";
import type { Driver, UserContent } from "../driver.ts";
import type { ClaudeSdk, SdkOptions, SdkQuery, SdkUserMessage } from "./api.ts";

type Reply = Record<string, unknown>;

/** Sends messages to Claude Code through the Agent SDK, which also runs the session's in-process hooks and tools. */
export class SdkDriver implements Driver {
  readonly #messages = createChannel<SdkUserMessage>();
  readonly #replies = new Map<string, Deferred<Reply>>();
  readonly #query: SdkQuery;
  readonly #onClose: () => void;

  constructor(
    sdk: ClaudeSdk,
    { onClose, ...options }: Omit<SdkOptions, "canUseTool"> & { onClose: () => void },
  ) {
    this.#onClose = onClose;
    const canUseTool: SdkOptions["canUseTool"] = (_name, _input, { requestId }) =>
      this.#replyTo(requestId).promise.finally(() => this.#replies.delete(requestId));
    this.#query = sdk.query({
      prompt: flatten(this.#messages),
      options: { ...options, canUseTool },
    });
    void this.#drain();
  }

  initialize(): Promise<unknown> {
    return this.#query.initializationResult();
  }

  async sendMessage(uuid: string, content: UserContent): Promise<void> {
    const message = { role: "user" as const, content };
    this.#messages.push({ type: "user", message, parent_tool_use_id: null, uuid });
  }

  /** Replies to a request, which the SDK may not have received yet. */
  async reply(nativeId: string, reply: Reply): Promise<void> {
    this.#replyTo(nativeId).resolve(reply);
  }

  refuse(): void {} // the SDK itself rejects the request

  close(): void {
    this.#messages.end();
    this.#onClose();
    this.#query.close();
  }

  #replyTo(requestId: string): Deferred<Reply> {
    const reply = this.#replies.get(requestId) ?? createDeferred<Reply>();
    this.#replies.set(requestId, reply);
    return reply;
  }

  /**
   * Discards the SDK's messages. The connection reads the messages from the process output instead, which can be read
   * again after a crash.
   */
  async #drain(): Promise<void> {
    try {
      for await (const _ of this.#query);
    } catch {
      // The process's output reports its end.
    }
  }
}

async function* flatten<T>(batches: AsyncIterable<readonly T[]>): AsyncGenerator<T> {
  for await (const batch of batches) yield* batch;
}
