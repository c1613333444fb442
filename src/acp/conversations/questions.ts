import type { Session } from "../../contracts/halyard.ts";
import { toErrorInfo } from "../../errors/error.ts";
import type { RequestEvent } from "../../schema/event.ts";
import type { RequestId } from "../../schema/id.ts";
import type { Answer } from "../../schema/permission.ts";
import type { Client } from "../client.ts";

export interface QuestionOptions {
  /** True if a request that the client cannot display stays open for other clients. If false, the request is denied. */
  readonly keepsRequests: boolean;
  readonly log: (line: string) => void;
}

/**
 * The open requests of a session that were sent to a client. If several clients answer a request, the first answer
 * wins.
 */
export class Questions {
  readonly #session: Session;
  readonly #client: Client;
  readonly #options: QuestionOptions;
  readonly #open = new Map<RequestId, AbortController>();

  constructor(session: Session, client: Client, options: QuestionOptions) {
    this.#session = session;
    this.#client = client;
    this.#options = options;
  }

  /**
   * Requests an answer from the client and passes it to the session. Has no effect if the request was already sent to
   * the client. Never rejects.
   */
  async ask(request: RequestEvent): Promise<void> {
    const { requestId } = request;
    if (this.#open.has(requestId)) return;
    const asking = new AbortController();
    this.#open.set(requestId, asking);
    const { info } = this.#session;
    try {
      await this.#client.report(info, { state: "requires_action" });
      const answer = await this.#client
        .ask(info, request, asking.signal)
        .catch((error: unknown) => this.#unanswered(requestId, toErrorInfo(error).message));
      if (answer && !asking.signal.aborted && !this.#client.isGone)
        await this.#session.answer(requestId, answer);
    } catch (error) {
      // Only logged, because it is expected if another client has answered first or the turn has ended.
      if (!this.#client.isGone) this.#options.log(`${requestId}: ${toErrorInfo(error).message}`);
    }
  }

  /** Withdraws an answered request from the client. Reports `running` if the client has no other open request. */
  async settle(requestId: RequestId): Promise<void> {
    const asking = this.#open.get(requestId);
    this.#open.delete(requestId);
    asking?.abort();
    if (asking && this.#open.size === 0)
      await this.#client.report(this.#session.info, { state: "running" });
  }

  /** Withdraws all requests from the client. The requests stay open for other clients. */
  close(): void {
    for (const asking of this.#open.values()) asking.abort();
  }

  /**
   * Returns a denial for a request that the client could not display. If other clients can answer the request, sends a
   * notice with the commands that answer it, and returns undefined.
   */
  async #unanswered(requestId: RequestId, reason: string): Promise<Answer | undefined> {
    if (!this.#options.keepsRequests) return { decision: "deny", text: reason };
    const isOpen = this.#open.get(requestId)?.signal.aborted === false;
    if (!isOpen || this.#client.isGone) return undefined;
    const text = `This client cannot answer a request (${reason}). Run "halyard answer ${requestId} yes", "halyard answer ${requestId} no" or, for a question, "halyard answer ${requestId} TEXT".`;
    await this.#client.sendUpdate(this.#session.info, {
      type: "notice",
      isFromHalyard: true,
      text,
    });
    return undefined;
  }
}
