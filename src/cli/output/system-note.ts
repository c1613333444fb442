import type { SystemEvent } from "../../schema/event.ts";
import { cleanText } from "./clean.ts";
import type { Colors } from "./colors.ts";

/** What to tell of something nobody said; undefined where it would only be in the way. */
export function systemNote(
  { subtype, text, data }: SystemEvent,
  colors: Colors,
  { echo }: { echo: boolean },
): string | undefined {
  const words = cleanText(text ?? "");
  switch (subtype) {
    case "retry":
      return colors.yellow(`↻ trying again${ordinal(data)}${words && `: ${words}`}`);
    case "warning":
      return colors.yellow(`! ${words}`);
    case "compaction":
      return colors.dim(`○ ${words || "the conversation was shortened to make room"}`);
    case "plan":
      return words === "" ? undefined : colors.dim(words);
    case "turn_started":
    case "turn_steered":
      return echo && words !== "" ? colors.bold(`› ${words}`) : undefined;
    case "session_started":
      return echo ? colors.dim(`· session ${data?.opened ?? "started"}`) : undefined;
    case "session_detached":
      return echo ? colors.dim("· session detached") : undefined;
    case "session_stopped":
      return echo ? colors.dim(`· session ended${words && `: ${words}`}`) : undefined;
    case "session_ready":
    case "turn_queued":
    case "step":
    case "status":
    case "usage":
    case "raw":
      return undefined;
  }
}

function ordinal({ attempt, maxAttempts }: NonNullable<SystemEvent["data"]> = {}): string {
  if (typeof attempt !== "number") return "";
  return typeof maxAttempts === "number" ? ` (${attempt} of ${maxAttempts})` : ` (${attempt})`;
}
