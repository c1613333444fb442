import { compactionNote } from "../../schema/conversation/compaction-note.ts";
import type { SystemEvent } from "../../schema/event.ts";

/** A remark between the messages in a transcript. */
export interface Note {
  readonly text: string;
  readonly isWarning: boolean;
}

/** Returns the remark about a system event, or undefined if the transcript does not show the event. */
export function systemNote({ subtype, text = "", data = {} }: SystemEvent): Note | undefined {
  switch (subtype) {
    case "retry":
      return warning(text === "" ? "Retrying" : `Retrying: ${text}`);
    case "warning":
      return warning(text);
    case "turn_waiting":
      return warning(text);
    case "turn_continued":
      return remark("The turn continues");
    case "compaction":
      return remark(text || compactionNote(data.state));
    case "plan":
      return text === "" ? undefined : remark(text);
    case "session_stopped":
      return remark(text === "" ? "Session ended" : `Session ended: ${text}`);
    case "session_detached":
      return remark("Session detached");
    case "session_started":
      return data.opened === "resumed" || data.opened === "attached"
        ? remark(`Session ${data.opened}`)
        : undefined;
    case "session_changed":
      return remark(describeChange(data));
    case "checkpoint":
    case "turn_queued":
    case "turn_started":
    case "turn_steered":
    case "session_ready":
    case "step":
    case "status":
    case "usage":
    case "limit":
    case "raw":
      return undefined;
  }
}

function describeChange(data: Readonly<Record<string, unknown>>): string {
  const parts = Object.entries(data).map(([name, value]) =>
    name === "revoke" ? "a rule was removed" : `${name}: ${String(value)}`,
  );
  return `Settings changed: ${parts.join(", ")}`;
}

function remark(text: string): Note {
  return { text, isWarning: false };
}

function warning(text: string): Note {
  return { text, isWarning: true };
}
