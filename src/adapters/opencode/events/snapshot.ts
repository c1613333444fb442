import { setTimeout as delay } from "node:timers/promises";
import { backoffMs } from "../../../wire/backoff.ts";
import type { Part } from "../messages.ts";
import type { Message, SessionApi } from "../server/session-api.ts";

/** The current state of a turn, as events that replace the missed events. */
export interface Snapshot {
  readonly events: readonly unknown[];
  readonly isIdle: boolean;
  /** True if the turn has an assistant message. */
  readonly isAnswered: boolean;
}

/**
 * Reads the current turn's messages: all messages after the last message for which `isPast` returns true. The idle
 * state is read first, so that an idle session's messages are complete.
 */
export async function takeSnapshot(
  api: SessionApi,
  id: string,
  isPast: (messageId: string) => boolean,
): Promise<Snapshot> {
  for (let failures = 0; ; failures++) {
    try {
      return await readSnapshot(api, id, isPast);
    } catch (error) {
      if (failures === RETRIES) throw error;
      await delay(backoffMs(failures, { baseMs: 50, maxMs: 1000 }));
    }
  }
}

/**
 * The number of retries. Several are needed, because the problem that broke the event stream may also break these
 * requests.
 */
const RETRIES = 5;

async function readSnapshot(
  api: SessionApi,
  id: string,
  isPast: (messageId: string) => boolean,
): Promise<Snapshot> {
  const isIdle = await api.isIdle(id);
  const messages = await latestMessages(api, id, isPast);
  const children = [...new Set(messages.flatMap(({ parts }) => parts.flatMap(childOf)))];
  const childMessages = await Promise.all(children.map((child) => api.messages(child)));
  const asked = [
    ...(await api.permissions()).map((one) => toEvent("permission.asked", one)),
    ...(await api.questions()).map((one) => toEvent("question.asked", one)),
  ].filter(({ properties: { sessionID } }) => sessionID === id || children.includes(sessionID));
  return {
    isIdle,
    isAnswered: messages.some(({ info }) => info.role === "assistant"),
    events: [
      ...messages.flatMap((message) => toEvents(id, message)),
      ...children.flatMap((child, index) =>
        (childMessages[index] ?? []).flatMap((message) => toEvents(child, message)),
      ),
      ...asked,
    ],
  };
}

/** Returns the session of the subagent that a task tool started, if the part has one. */
function childOf({ state }: Part): string[] {
  const child = state?.metadata?.sessionId;
  return typeof child === "string" ? [child] : [];
}

/** Returns the current turn's messages. Reads the last 50 messages first, because a history can be long. */
async function latestMessages(
  api: SessionApi,
  id: string,
  isPast: (messageId: string) => boolean,
): Promise<Message[]> {
  const page = await api.messages(id, PAGE_SIZE);
  const isComplete = page.length < PAGE_SIZE || page.some(({ info }) => isPast(info.id));
  const messages = isComplete ? page : await api.messages(id);
  return messages.slice(messages.findLastIndex(({ info }) => isPast(info.id)) + 1);
}

const PAGE_SIZE = 50;

function toEvents(sessionID: string, { info, parts }: Message): unknown[] {
  return [
    toEvent("message.updated", { sessionID, info }),
    ...parts.map((part) => toEvent("message.part.updated", { sessionID, part })),
  ];
}

function toEvent<P extends object>(type: string, properties: P) {
  return { type, properties };
}
