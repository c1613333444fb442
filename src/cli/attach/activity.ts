import type { StreamEvent } from "../../schema/event.ts";
import { mainArgument } from "../output/tool-input.ts";
import { cleanLine } from "../text/clean.ts";
import { shorten } from "../text/display-width.ts";
import { firstLine, formatAge } from "../text/format.ts";

/** Tracks the current activity of a turn from its events: a running tool or thinking, and its start time. */
export class Activity {
  readonly #tools = new Map<string, CurrentActivity>();
  #current: CurrentActivity | undefined;
  readonly #asked = new Set<string>();

  /** Updates the activity from an event. */
  note(event: StreamEvent): void {
    const sinceMs = Date.parse(event.at);
    switch (event.type) {
      case "completion":
        this.#tools.clear();
        this.#asked.clear();
        this.#current = undefined;
        return;
      case "tool_call": {
        const argument = firstLine(mainArgument(event.input));
        const label = argument === event.name ? argument : `${event.name} ${argument}`;
        this.#tools.set(event.callId, { label: cleanLine(label), sinceMs });
        break;
      }
      case "tool_result":
        this.#tools.delete(event.callId);
        break;
      case "request":
        if (event.verdict === "ask") this.#asked.add(event.requestId);
        break;
      case "response":
        this.#asked.delete(event.requestId);
        break;
      case "system":
        if (event.turnId === undefined) return;
        break;
      case "delta":
      case "message":
      case "error":
        break;
    }
    const label = `${event.runtime} is thinking`;
    if (this.#current?.label !== label) this.#current = { label, sinceMs };
    if (event.type !== "system") this.#current = { label, sinceMs };
  }

  /** True if the turn waits for an answer, or no turn is running. */
  get isAtRest(): boolean {
    return this.#current === undefined || this.#asked.size > 0;
  }

  /** Formats the activity in at most `columns`: `bash npm test · 12 s`. Returns an empty string if `isAtRest`. */
  describe(columns: number, nowMs: number): string {
    if (this.isAtRest) return "";
    const running = [...this.#tools.values()];
    const { label, sinceMs } = running[0] ?? this.#current ?? { label: "", sinceMs: nowMs };
    const more = running.length > 1 ? ` (+${running.length - 1} more)` : "";
    const elapsed = `${more} · ${formatAge(nowMs - sinceMs)}`;
    return `${shorten(label, columns - elapsed.length)}${elapsed}`;
  }
}

interface CurrentActivity {
  readonly label: string;
  readonly sinceMs: number;
}
