import type { EventDraft, Mapper } from "../../core/draft.ts";

/**
 * Says once that the session can be resumed. Pi writes its record when the first message of the assistant's has
 * ended, just after telling of it: by the next message it is there.
 */
export function sayWhenResumable(mapper: Mapper, sessionId: () => string | undefined): Mapper {
  let state: "unwritten" | "written" | "said" = "unwritten";
  const status = (): EventDraft[] => {
    const runtimeSessionId = sessionId();
    if (state !== "written" || runtimeSessionId === undefined) return [];
    state = "said";
    const data = { runtimeSessionId, resumable: true };
    return [{ type: "system", subtype: "status", data }];
  };
  return {
    map(message) {
      const said = status();
      if (state === "unwritten" && endsAnswer(message)) state = "written";
      return [...said, ...mapper.map(message)];
    },
    flush: () => [...status(), ...mapper.flush()],
  };
}

function endsAnswer(message: unknown): boolean {
  if (typeof message !== "object" || message === null) return false;
  if (!("type" in message) || message.type !== "message_end" || !("message" in message))
    return false;
  const inner = message.message;
  return (
    typeof inner === "object" && inner !== null && "role" in inner && inner.role === "assistant"
  );
}
