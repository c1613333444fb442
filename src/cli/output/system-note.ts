import { compactionNote } from "../../schema/conversation/compaction-note.ts";
import type { SystemEvent } from "../../schema/event.ts";
import { cleanText } from "../text/clean.ts";
import type { Colors } from "../text/colors.ts";

/** Formats a system event. Returns undefined for events that are not shown. */
export function systemNote(
  { subtype, text, data }: SystemEvent,
  colors: Colors,
  { echo }: { echo: boolean },
): string | undefined {
  const note = cleanText(text ?? "");
  switch (subtype) {
    case "retry":
      return colors.yellow(`↻ retrying${ordinal(data)}${note && `: ${note}`}`);
    case "warning":
      return colors.yellow(`! ${note}`);
    case "turn_waiting":
      return colors.yellow(`◷ ${note}`);
    case "turn_continued":
      return colors.dim("▸ the turn continues");
    case "compaction":
      return colors.dim(`○ ${note || compactionNote(data?.state).toLowerCase()}`);
    case "plan":
      return note === "" ? undefined : colors.dim(note);
    case "turn_started":
    case "turn_steered":
      return echo && note !== "" ? colors.bold(`› ${note}`) : undefined;
    case "session_started":
      return echo ? colors.dim(`· session ${data?.opened ?? "started"}`) : undefined;
    case "session_detached":
      return echo ? colors.dim("· session detached") : undefined;
    case "session_stopped":
      return echo ? colors.dim(`· session ended${note && `: ${note}`}`) : undefined;
    case "rewound":
      return colors.dim(`· files restored${changed(data)}`);
    case "checkpoint":
      return echo && data?.files ? colors.dim(`· checkpoint${changed(data)}`) : undefined;
    case "session_ready":
    case "turn_queued":
    case "step":
    case "status":
    case "usage":
    case "limit":
    case "raw":
      return undefined;
  }
}

function changed({ files, insertions, deletions }: NonNullable<SystemEvent["data"]> = {}): string {
  return `: ${files === 1 ? "1 file" : `${files} files`}, +${insertions} -${deletions}`;
}

function ordinal({ attempt, maxAttempts }: NonNullable<SystemEvent["data"]> = {}): string {
  if (typeof attempt !== "number") return "";
  return typeof maxAttempts === "number" ? ` (${attempt} of ${maxAttempts})` : ` (${attempt})`;
}
