import { z } from "zod";
import type { Store } from "../../contracts/store.ts";
import { follow } from "../../log/follow.ts";
import { storeSource } from "../../log/store-source.ts";
import { Attachment } from "../../schema/attachment.ts";
import { JsonSchema } from "../../schema/conversation/json-schema.ts";
import type { RequestEvent, StreamEvent, SystemEvent } from "../../schema/event.ts";
import { type RequestId, TurnId } from "../../schema/id.ts";
import { Usage } from "../../schema/outcome.ts";
import { Milliseconds } from "../../schema/session/start-request.ts";
import type { SessionInfo } from "../../schema/session.ts";
import { traceParentIn } from "../../schema/trace-parent.ts";
import { AnswerCheck, Corrections } from "../answers/answer-check.ts";
import { readAnswerSchema } from "../answers/answer-schema.ts";
import { OpenTurn, type OpenTurnOptions } from "../turns/open-turn.ts";

/** The turns that were open when the owning process died or detached. */
export interface RestoredTurns {
  readonly current: OpenTurn | undefined;
  readonly queue: readonly OpenTurn[];
  /** The open requests of the turns, including budget requests. */
  readonly requests: readonly RequestEvent[];
  readonly steered: readonly RestoredMessage[];
}

/** A message for the running turn. */
export interface SteeredMessage {
  /** The id from the caller, who may retry the message with the same id. */
  readonly id: TurnId;
  readonly text: string;
  readonly attachments: readonly Attachment[];
}

/** A steered message from the log, and the open turn that it joined. */
export interface RestoredMessage extends SteeredMessage {
  readonly turn: OpenTurn;
}

/** Options of `restoreTurns`. */
export type RestoreTurnsOptions = Pick<
  OpenTurnOptions,
  "clock" | "redactor" | "timeoutMs" | "estimate"
>;

/** Restores the open turns of a session from its log, with their open requests and steered messages. */
export async function restoreTurns(
  store: Store,
  info: SessionInfo,
  options: RestoreTurnsOptions,
): Promise<RestoredTurns> {
  const refs = info.turn ? [info.turn, ...info.queue] : info.queue;
  const turns = new Map<string, OpenTurn>();
  const requests = new Map<RequestId, RequestEvent>();
  const steered: RestoredMessage[] = [];
  const first = Math.min(...refs.map(({ seq }) => seq));
  const ids = new Set<string>(refs.map(({ id }) => id));
  if (refs.length > 0) {
    const events = follow(storeSource(store, info.id), { after: first - 1, follow: false });
    for await (const event of events) {
      const { turnId } = event;
      if (turnId === undefined || !ids.has(turnId)) continue;
      const turn = turns.get(turnId);
      if (turn) {
        if (isStart(event)) turn.startedAt = event.at;
        recall(event, turn, requests);
        const message = steeredMessage(event);
        if (message) steered.push({ ...message, turn });
      } else {
        const opened = new OpenTurn(turnId, textOf(event), {
          ...options,
          ...ownLimit(event),
          after: event.seq - 1,
          fallback: info.fallback,
          sentAt: event.at,
          attachments: attachmentsOf(event),
          ...ownAction(event),
        });
        opened.isOnRecord = true;
        if (isStart(event)) opened.startedAt = event.at;
        turns.set(turnId, opened);
      }
    }
  }
  const found = refs.flatMap(({ id }) => turns.get(id) ?? []);
  const current = info.turn && turns.get(info.turn.id);
  if (current) {
    current.stage = info.waiting ? "suspended" : "running";
    current.waiting = info.waiting;
    current.blindWaits = info.waiting?.attempt ?? 0;
    current.markSent({ status: "submitted" });
  }
  return {
    current,
    queue: found.filter((turn) => turn !== current),
    requests: [...requests.values()],
    steered,
  };
}

function textOf(event: StreamEvent): string {
  return event.type === "system" ? (event.text ?? "") : "";
}

function isStart(event: StreamEvent): boolean {
  const isOne = event.type === "system";
  return isOne && (event.subtype === "turn_started" || event.subtype === "turn_continued");
}

/** Returns the time limit that the caller set for the message. */
function ownLimit(event: StreamEvent): Pick<OpenTurnOptions, "timeoutMs" | "hasOwnLimit"> | object {
  const { data: timeoutMs } = Milliseconds.safeParse(
    event.type === "system" ? event.data?.timeoutMs : undefined,
  );
  return timeoutMs === undefined ? {} : { timeoutMs, hasOwnLimit: true };
}

/** Returns the schema and the trace context of the message, and whether the turn is a compaction. */
function ownAction(
  event: StreamEvent,
): Pick<OpenTurnOptions, "check" | "isCompaction" | "traceparent"> {
  if (event.type !== "system") return {};
  const { data: schema } = JsonSchema.safeParse(event.data?.schema);
  return {
    isCompaction: event.data?.compact === true,
    traceparent: traceParentIn(event.data),
    ...(schema && { check: new AnswerCheck(readAnswerSchema(schema)) }),
  };
}

function steeredMessage(event: StreamEvent): SteeredMessage | undefined {
  if (event.type !== "system" || event.subtype !== "turn_steered") return undefined;
  const { data: id } = TurnId.safeParse(event.data?.id);
  return id && { id, text: textOf(event), attachments: attachmentsOf(event) };
}

function attachmentsOf(event: StreamEvent): readonly Attachment[] {
  const data = event.type === "system" ? event.data?.attachments : undefined;
  return Attachments.safeParse(data).data ?? [];
}

/** Restores the usage. The log contains totals for the whole turn. */
function restoreUsage({ subtype, data }: SystemEvent, { meter }: OpenTurn): void {
  const { data: usage } = Usage.safeParse(data?.usage);
  if (usage && subtype === "usage") meter.restoreReport(usage);
  if (usage && subtype === "turn_waiting") meter.restoreParts(usage);
}

const Attachments = z.array(Attachment);

function recall(event: StreamEvent, turn: OpenTurn, requests: Map<RequestId, RequestEvent>): void {
  switch (event.type) {
    case "request":
      requests.set(event.requestId, event);
      break;
    case "response":
      requests.delete(event.requestId);
      break;
    case "completion":
      break;
    case "message":
      if (event.role === "assistant") turn.ledger.restore(event);
      break;
    case "system": {
      restoreUsage(event, turn);
      if (event.subtype === "turn_waiting") turn.markSuspended(true, event.at);
      if (event.subtype === "turn_continued") turn.markSuspended(false, event.at);
      const { data: past } = Corrections.safeParse(event.data);
      if (event.subtype === "retry" && past) turn.check?.restore(past);
      turn.ledger.restore(event);
      break;
    }
    default:
      turn.ledger.restore(event);
  }
}
