import type { StreamEvent } from "../../schema/event.ts";
import { cleanLine } from "./clean.ts";
import { shorten } from "./display-width.ts";
import { essence } from "./tool-input.ts";
import { age, firstLine } from "./words.ts";

/** What a turn is doing at the moment, as its events tell: the running tool, or thinking, and for how long. */
export class Activity {
  readonly #tools = new Map<string, Doing>();
  #doing: Doing | undefined;
  readonly #asked = new Set<string>();

  note(event: StreamEvent): void {
    const sinceMs = Date.parse(event.at);
    switch (event.type) {
      case "completion":
        this.#tools.clear();
        this.#asked.clear();
        this.#doing = undefined;
        return;
      case "tool_call": {
        const label = cleanLine(`${event.name} ${firstLine(essence(event.input))}`);
        this.#tools.set(event.callId, { label, sinceMs });
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
    if (this.#doing?.label !== label) this.#doing = { label, sinceMs };
    if (event.type !== "system") this.#doing = { label, sinceMs };
  }

  /** True if the turn waits for an answer, or no turn runs. */
  get isAtRest(): boolean {
    return this.#doing === undefined || this.#asked.size > 0;
  }

  /** `bash npm test · 12 s`, in so many columns; empty if nothing runs. */
  describe(columns: number, nowMs: number): string {
    if (this.isAtRest) return "";
    const running = [...this.#tools.values()];
    const { label, sinceMs } = running[0] ?? this.#doing ?? { label: "", sinceMs: nowMs };
    const more = running.length > 1 ? ` (+${running.length - 1} more)` : "";
    const elapsed = `${more} · ${age(nowMs - sinceMs)}`;
    return `${shorten(label, columns - elapsed.length)}${elapsed}`;
  }
}

interface Doing {
  readonly label: string;
  readonly sinceMs: number;
}
