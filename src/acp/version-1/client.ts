import type {
  AgentContext,
  ClientCapabilities,
  CreateElicitationRequest,
  CreateElicitationResponse,
  RequestPermissionRequest,
  RequestPermissionResponse,
  SessionUpdate,
} from "@agentclientprotocol/sdk/unstable";
import { answerBy, answerIn, needsText, optionsOf, textForm } from "../../halyard/request-forms.ts";
import type { RequestEvent } from "../../schema/event.ts";
import type { Answer } from "../../schema/permission.ts";
import type { SessionInfo } from "../../schema/session.ts";
import type { Choice } from "../choices.ts";
import type { Client } from "../client.ts";
import { formsUnsupported, toolOfRequest } from "../client-requests.ts";
import { toMeta } from "../meta.ts";
import type { AgentUpdate } from "../updates/agent-update.ts";
import { toSettings } from "./choices.ts";
import { toToolCall, toUpdate } from "./updates.ts";

/** An ACP client that uses protocol version 1. */
export class FirstClient implements Client {
  readonly expectsOwnPrompts = false;
  readonly #context: AgentContext;
  readonly #gone: AbortSignal;
  /** The capabilities that the client reported. */
  capabilities: ClientCapabilities;
  #notices = 0;

  constructor(
    { client, signal }: { client: AgentContext; signal: AbortSignal },
    capabilities: ClientCapabilities,
  ) {
    this.capabilities = capabilities;
    this.#context = client;
    this.#gone = signal;
  }

  get isGone(): boolean {
    return this.#gone.aborted;
  }

  async sendUpdate({ id }: SessionInfo, update: AgentUpdate, cursor?: string): Promise<void> {
    const visible = update.type === "notice" ? this.#notice(update) : update;
    const native = visible && toUpdate(visible);
    if (native) await this.#update(id, native, cursor);
  }

  async offer({ id }: SessionInfo, choices: readonly Choice[]): Promise<void> {
    const { modes, configOptions } = toSettings(choices);
    if (modes) {
      const { currentModeId } = modes;
      await this.#update(id, { sessionUpdate: "current_mode_update", currentModeId });
    }
    await this.#update(id, { sessionUpdate: "config_option_update", configOptions });
  }

  /** Has no effect: in protocol version 1, the response to the prompt reports the end of the turn. */
  async report(): Promise<void> {}

  async ask(info: SessionInfo, request: RequestEvent, signal: AbortSignal): Promise<Answer> {
    const waiting = { cancellationSignal: signal, stopWaitingOnCancel: true };
    const sessionId = info.id;
    if (needsText(request)) {
      if (!this.capabilities.elicitation?.form) throw formsUnsupported(request);
      const written = await this.#context.request<
        CreateElicitationResponse,
        CreateElicitationRequest
      >(
        "elicitation/create",
        { mode: "form", sessionId, message: request.text, requestedSchema: textForm() },
        waiting,
      );
      return answerIn(written.action === "accept" && "content" in written && written.content);
    }
    const { outcome } = await this.#context.request<
      RequestPermissionResponse,
      RequestPermissionRequest
    >(
      "session/request_permission",
      {
        sessionId,
        toolCall: { ...toToolCall(toolOfRequest(request, info)), status: "pending" },
        options: optionsOf(request),
      },
      waiting,
    );
    return answerBy(request, outcome.outcome === "selected" ? outcome.optionId : undefined);
  }

  /**
   * Returns the notice if the client supports notices. Otherwise, converts Halyard's own notices to messages and drops
   * other notices.
   */
  #notice(notice: Extract<AgentUpdate, { type: "notice" }>): AgentUpdate | undefined {
    if (this.capabilities.session?.notices) return notice;
    if (!notice.isFromHalyard) return undefined;
    const text = `**Halyard:** ${notice.text}\n\n`;
    return { type: "text", by: "agent", messageId: `notice ${++this.#notices}`, text };
  }

  #update(sessionId: string, update: SessionUpdate, cursor?: string): Promise<void> {
    const meta = cursor === undefined ? {} : toMeta({ cursor });
    return this.#context.notify("session/update", { sessionId, update, ...meta });
  }
}
