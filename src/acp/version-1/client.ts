import type {
  AgentContext,
  ClientCapabilities,
  CreateElicitationRequest,
  CreateElicitationResponse,
  RequestPermissionRequest,
  RequestPermissionResponse,
  SessionUpdate,
} from "@agentclientprotocol/sdk";
import type { RequestEvent } from "../../schema/event.ts";
import type { Answer } from "../../schema/permission.ts";
import type { SessionInfo } from "../../schema/session.ts";
import {
  answerBy,
  answerIn,
  mute,
  needsWords,
  optionsOf,
  toolAsked,
  wordsForm,
} from "../asking.ts";
import type { Choice } from "../choices.ts";
import type { Client } from "../client.ts";
import type { Telling } from "../telling.ts";
import { toSettings } from "./choices.ts";
import { toToolCall, toUpdate } from "./updates.ts";

/** A client that speaks version 1. */
export class FirstClient implements Client {
  readonly hearsItself = false;
  readonly #context: AgentContext;
  readonly #gone: AbortSignal;
  /** What it said it can do. */
  capabilities: ClientCapabilities = {};
  #notices = 0;

  constructor({ client, signal }: { client: AgentContext; signal: AbortSignal }) {
    this.#context = client;
    this.#gone = signal;
  }

  get isGone(): boolean {
    return this.#gone.aborted;
  }

  async tell({ id }: SessionInfo, telling: Telling): Promise<void> {
    const told = telling.type === "notice" ? this.#notice(telling) : telling;
    const update = told && toUpdate(told);
    if (update) await this.#update(id, update);
  }

  async offer({ id }: SessionInfo, choices: readonly Choice[]): Promise<void> {
    const { modes, configOptions } = toSettings(choices);
    if (modes) {
      const { currentModeId } = modes;
      await this.#update(id, { sessionUpdate: "current_mode_update", currentModeId });
    }
    await this.#update(id, { sessionUpdate: "config_option_update", configOptions });
  }

  /** In version 1 the answer to the prompt tells. */
  async report(): Promise<void> {}

  async ask(info: SessionInfo, request: RequestEvent, signal: AbortSignal): Promise<Answer> {
    const waiting = { cancellationSignal: signal, stopWaitingOnCancel: true };
    const sessionId = info.id;
    if (needsWords(request)) {
      if (!this.capabilities.elicitation?.form) throw mute(request);
      const written = await this.#context.request<
        CreateElicitationResponse,
        CreateElicitationRequest
      >(
        "elicitation/create",
        { mode: "form", sessionId, message: request.text, requestedSchema: wordsForm() },
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
        toolCall: { ...toToolCall(toolAsked(request, info)), status: "pending" },
        options: optionsOf(request),
      },
      waiting,
    );
    return answerBy(request, outcome.outcome === "selected" ? outcome.optionId : undefined);
  }

  /** A client that shows no notices still shows what the agent says, which is only for what has to be seen. */
  #notice(notice: Extract<Telling, { type: "notice" }>): Telling | undefined {
    if (this.capabilities.session?.notices) return notice;
    if (!notice.isOurs) return undefined;
    const text = `**Halyard:** ${notice.text}\n\n`;
    return { type: "words", by: "agent", messageId: `notice ${++this.#notices}`, text };
  }

  #update(sessionId: string, update: SessionUpdate): Promise<void> {
    return this.#context.notify("session/update", { sessionId, update });
  }
}
