import { setTimeout as delay } from "node:timers/promises";
import { backoffMs } from "../../wire/backoff.ts";
import type { Part } from "./messages.ts";
import type { Message, SessionApi } from "./session-api.ts";

/** What a session came to while nobody listened, as the events that would have told of it. */
export interface Snapshot {
  readonly events: readonly unknown[];
  readonly isIdle: boolean;
  /** Whether the assistant has begun to answer. */
  readonly isAnswered: boolean;
}

/**
 * Reads back all that belongs to the turn under way: what comes after the messages that are known to be past.
 * Whether it is over is asked first, so that what is read after that is all there is of it.
 */
export async function takeSnapshot(
  api: SessionApi,
  id: string,
  isPast: (messageId: string) => boolean,
): Promise<Snapshot> {
  for (let failures = 0; ; failures++) {
    try {
      return await readBack(api, id, isPast);
    } catch (error) {
      if (failures === ATTEMPTS) throw error;
      await delay(backoffMs(failures, { baseMs: 50, maxMs: 1000 }));
    }
  }
}

/** What broke the stream of events may break this as well. */
const ATTEMPTS = 5;

async function readBack(
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

/** The session that a subagent works in. */
function childOf({ state }: Part): string[] {
  const child = state?.metadata?.sessionId;
  return typeof child === "string" ? [child] : [];
}

/** A history may be long, and a turn is mostly short. */
async function latestMessages(
  api: SessionApi,
  id: string,
  isPast: (messageId: string) => boolean,
): Promise<Message[]> {
  const some = await api.messages(id, SOME);
  const isWhole = some.length < SOME || some.some(({ info }) => isPast(info.id));
  const messages = isWhole ? some : await api.messages(id);
  return messages.slice(messages.findLastIndex(({ info }) => isPast(info.id)) + 1);
}

const SOME = 50;

function toEvents(sessionID: string, { info, parts }: Message): unknown[] {
  return [
    toEvent("message.updated", { sessionID, info }),
    ...parts.map((part) => toEvent("message.part.updated", { sessionID, part })),
  ];
}

function toEvent<P extends object>(type: string, properties: P) {
  return { type, properties };
}
