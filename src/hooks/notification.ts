import type { HookPayload, UrlHook } from "../schema/hook.ts";

/** The request that delivers a payload. */
export interface HookMessage {
  readonly url: string;
  readonly body: string;
}

/** Converts a payload to a request in the hook's format. */
export function toMessage({ url, format }: UrlHook, payload: HookPayload): HookMessage {
  switch (format) {
    case "json":
      return { url, body: JSON.stringify(payload) };
    case "slack":
      return { url, body: JSON.stringify({ text: slackText(notificationOf(payload)) }) };
    case "ntfy":
      return ntfyMessage(url, notificationOf(payload));
  }
}

interface Notification {
  readonly title: string;
  readonly text: string;
  /** True if an agent needs an answer, an error occurred, or a usage limit ended the turn. */
  readonly isUrgent: boolean;
}

/** Describes an event as a notification. */
function notificationOf({ event, runtime, session_id, workdir, data }: HookPayload): Notification {
  const session = typeof data.session_name === "string" ? data.session_name : session_id;
  const text = (...values: unknown[]) =>
    cut(values.find((value) => typeof value === "string" && value !== "") ?? workdir);
  const name = cut(session, MAX_TITLE);
  switch (event) {
    case "OnBudget":
    case "OnRequest":
      return { title: `${name} needs an answer`, text: text(data.text), isUrgent: true };
    case "OnTurnEnd": {
      const hasFailed = data.status === "failed";
      const title = `${name} ${hasFailed ? "has failed" : `is ${endOf(data.status)}`}`;
      return { title, text: text(messageOf(data.error), data.message), isUrgent: hasFailed };
    }
    case "OnLimit": {
      const isWaiting = data.action === "wait";
      const until = typeof data.resets_at === "string" ? ` until ${data.resets_at}` : "";
      const title = `${name} ${isWaiting ? `waits${until}` : "has reached a usage limit"}`;
      return { title: cut(title, MAX_TITLE), text: text(data.message), isUrgent: !isWaiting };
    }
    case "OnError":
      return { title: `${name} has an error`, text: text(data.message), isUrgent: true };
    case "OnMessage":
      return { title: name, text: text(data.message), isUrgent: false };
    case "SessionStart":
      return { title: `${name} has started`, text: runtime, isUrgent: false };
    case "SessionStop":
      return { title: `${name} has ended`, text: text(data.reason), isUrgent: false };
  }
}

function endOf(status: unknown): string {
  return status === "cancelled" ? "cancelled" : "done";
}

function messageOf(error: unknown): unknown {
  return typeof error === "object" && error !== null && "message" in error
    ? error.message
    : undefined;
}

/** Returns a request that publishes JSON to the topic's server, because headers cannot contain all characters. */
function ntfyMessage(topicUrl: string, { title, text, isUrgent }: Notification): HookMessage {
  const url = new URL(topicUrl);
  const [, path = "/", topic = ""] = /^(.*\/)([^/]*)\/?$/.exec(url.pathname) ?? [];
  url.pathname = path;
  const priority = isUrgent ? 4 : 3;
  const body = { topic: decodeURIComponent(topic), title, message: text, priority };
  return { url: url.href, body: JSON.stringify(body) };
}

function slackText({ title, text }: Notification): string {
  const escaped = [title, text].map((part) =>
    part.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;"),
  );
  return `*${escaped[0]}*\n${escaped[1]}`;
}

/**
 * The maximum lengths of a notification's text and title, in characters. ntfy and Slack allow more, but a notification
 * must be readable at a glance.
 */
const MAX_TEXT = 1000;
const MAX_TITLE = 100;

function cut(value: unknown, length = MAX_TEXT): string {
  const text = String(value);
  return text.length <= length ? text : `${text.slice(0, length - 1)}…`;
}
