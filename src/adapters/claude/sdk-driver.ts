import { createChannel } from "../../core/channel.ts";
import { createDeferred, type Deferred } from "../../core/deferred.ts";
import type { Driver } from "./driver.ts";
import type { ClaudeSdk, SdkOptions, SdkQuery, SdkUserMessage } from "./sdk-api.ts";

type Reply = Record<string, unknown>;

/** Speaks to Claude Code through its SDK, which also answers what is asked of the session's own hooks and tools. */
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
      prompt: oneByOne(this.#messages),
      options: { ...options, canUseTool },
    });
    void this.#drain();
  }

  async initialize(): Promise<void> {
    await this.#query.initializationResult();
  }

  async say(uuid: string, content: string): Promise<void> {
    const message = { role: "user", content } as const;
    this.#messages.push({ type: "user", message, parent_tool_use_id: null, uuid });
  }

  /** We may hear of an ask before the SDK does. */
  async reply(nativeId: string, reply: Reply): Promise<void> {
    this.#replyTo(nativeId).resolve(reply);
  }

  refuse(): void {} // the SDK sees to it

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

  /** What it yields we read from the program itself, where it can be read again. */
  async #drain(): Promise<void> {
    try {
      for await (const _ of this.#query);
    } catch {
      // the end of the program is told by its output
    }
  }
}

async function* oneByOne<T>(batches: AsyncIterable<readonly T[]>): AsyncGenerator<T> {
  for await (const batch of batches) yield* batch;
}
