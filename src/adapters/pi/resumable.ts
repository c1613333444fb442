import type { EventDraft, Mapper } from "../../contracts/event-draft.ts";

/**
 * Wraps a mapper and adds one draft that reports the session as resumable. Pi writes the session file just after it
 * reports the end of the first assistant message. Therefore, the draft precedes the drafts of the next message.
 */
export function reportWhenResumable(mapper: Mapper, sessionId: () => string | undefined): Mapper {
  let state: "unwritten" | "written" | "reported" = "unwritten";
  const status = (): EventDraft[] => {
    const runtimeSessionId = sessionId();
    if (state !== "written" || runtimeSessionId === undefined) return [];
    state = "reported";
    const data = { runtimeSessionId, resumable: true };
    return [{ type: "system", subtype: "status", data }];
  };
  return {
    map(message) {
      const drafts = status();
      if (state === "unwritten" && isAssistantMessageEnd(message)) state = "written";
      return [...drafts, ...mapper.map(message)];
    },
    flush: () => [...status(), ...mapper.flush()],
  };
}

function isAssistantMessageEnd(message: unknown): boolean {
  if (typeof message !== "object" || message === null) return false;
  if (!("type" in message) || message.type !== "message_end" || !("message" in message))
    return false;
  const inner = message.message;
  return (
    typeof inner === "object" && inner !== null && "role" in inner && inner.role === "assistant"
  );
}
