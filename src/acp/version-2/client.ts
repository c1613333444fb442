import type {
  AgentContext,
  ClientCapabilities,
  IdleStateUpdate,
  SessionConfigOption,
  SessionUpdate,
  StateUpdate,
} from "@agentclientprotocol/sdk/experimental/v2/unstable";
import { answerBy, answerIn, needsText, optionsOf, textForm } from "../../halyard/request-forms.ts";
import { failureOf } from "../../halyard/turn-results.ts";
import type { RequestEvent } from "../../schema/event.ts";
import type { Outcome } from "../../schema/outcome.ts";
import type { Answer } from "../../schema/permission.ts";
import type { SessionInfo } from "../../schema/session.ts";
import type { Choice } from "../choices.ts";
import type { Activity, Client } from "../client.ts";
import { formsUnsupported, toolOfRequest } from "../client-requests.ts";
import { toFailure } from "../failure.ts";
import { toMeta } from "../meta.ts";
import { stopReasonOf } from "../stop-reason.ts";
import type { AgentUpdate } from "../updates/agent-update.ts";
import { toToolCall, toUpdate } from "./updates.ts";

/** An ACP client that uses protocol version 2. */
export class SecondClient implements Client {
  readonly expectsOwnPrompts = true;
  readonly #context: AgentContext;
  readonly #gone: AbortSignal;
  /** The capabilities that the client reported. */
  capabilities: ClientCapabilities;

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

  async sendUpdate({ id, cwd }: SessionInfo, update: AgentUpdate, cursor?: string): Promise<void> {
    const native = toUpdate(update, cwd);
    if (native) await this.#update(id, native, cursor);
  }

  async offer({ id }: SessionInfo, choices: readonly Choice[]): Promise<void> {
    const configOptions = toConfigOptions(choices);
    await this.#update(id, { sessionUpdate: "config_option_update", configOptions });
  }

  async report({ id }: SessionInfo, activity: Activity): Promise<void> {
    await this.#update(id, { sessionUpdate: "state_update", ...toState(activity) });
  }

  async ask(info: SessionInfo, request: RequestEvent, signal: AbortSignal): Promise<Answer> {
    const waiting = { cancellationSignal: signal, stopWaitingOnCancel: true };
    const sessionId = info.id;
    if (needsText(request)) {
      if (!this.capabilities.elicitation?.form) throw formsUnsupported(request);
      const form = { mode: "form", message: request.text, requestedSchema: textForm() } as const;
      const params = { ...form, sessionId };
      const written = await this.#context.request("elicitation/create", params, waiting);
      return answerIn(written.action === "accept" && "content" in written && written.content);
    }
    const toolCall = toToolCall(toolOfRequest(request, info), info.cwd);
    const { outcome } = await this.#context.request(
      "session/request_permission",
      {
        sessionId,
        title: request.text,
        ...(request.tool && { subject: { type: "tool_call", toolCall } }),
        options: optionsOf(request),
      },
      waiting,
    );
    const chosen = outcome.outcome === "selected" && "optionId" in outcome && outcome.optionId;
    return answerBy(request, typeof chosen === "string" ? chosen : undefined);
  }

  #update(sessionId: string, update: SessionUpdate, cursor?: string): Promise<void> {
    const meta = cursor === undefined ? {} : toMeta({ cursor });
    return this.#context.notify("session/update", { sessionId, update, ...meta });
  }
}

/** Converts the settings to protocol version 2, which has no separate modes. */
export function toConfigOptions(choices: readonly Choice[]): SessionConfigOption[] {
  return choices.map(({ id, name, current, values }) => ({
    type: "select",
    configId: id,
    name,
    category: id,
    currentValue: current,
    options: [...values],
  }));
}

function toState(activity: Activity): StateUpdate {
  switch (activity.state) {
    case "running":
      return { state: "running" };
    case "requires_action":
      return { state: "requires_action" };
    case "idle":
      return { state: "idle", ...(activity.outcome && toStop(activity.outcome)) };
  }
}

function toStop(outcome: Outcome): IdleStateUpdate {
  const stopReason = stopReasonOf(outcome);
  if (stopReason) return stops[stopReason];
  return { stopReason: "error", error: toFailure(failureOf(outcome)) };
}

const stops = {
  end_turn: { stopReason: "end_turn" },
  max_tokens: { stopReason: "max_tokens" },
  max_turn_requests: { stopReason: "max_turn_requests" },
  refusal: { stopReason: "refusal" },
  cancelled: { stopReason: "cancelled" },
} as const satisfies Record<string, IdleStateUpdate>;
