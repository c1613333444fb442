import type { EventDraft } from "../../core/draft.ts";
import { AgentTerminals } from "./agent-terminals.ts";
import type { SessionUpdate, Update } from "./messages.ts";
import { UsageMeter } from "./usage.ts";

/** What an agent tells about the session as a whole, in a turn or not. */
export class SessionEvents {
  readonly terminals = new AgentTerminals();
  readonly meter = new UsageMeter();
  #mode: string | undefined;
  #used = "";

  /** Undefined for what is no such thing, but work. */
  tell(update: SessionUpdate): EventDraft[] | undefined {
    switch (update.sessionUpdate) {
      case "current_mode_update": {
        const { currentModeId: mode } = update;
        const isNew = mode !== this.#mode;
        this.#mode = mode;
        return isNew ? [{ type: "system", subtype: "status", data: { mode } }] : [];
      }
      case "usage_update":
        return this.#noteUsage(update);
      case "notice":
        return [noticeDraft(update)];
      case "compaction_update": {
        const { status: state, error } = update;
        const data = { state, ...(error && { error }) };
        return [{ type: "system", subtype: "compaction", data }];
      }
      case "terminal_update":
        this.terminals.update(update);
        return [];
      case "terminal_output_chunk":
        this.terminals.add(update);
        return [];
      case "user_message":
      case "user_message_chunk":
      case "session_info_update":
      case "available_commands_update":
      case "config_option_update":
      case "compaction_summary_chunk":
        return [];
      default:
        return undefined;
    }
  }

  /** Some say it with every piece: only what is new is told. */
  #noteUsage(update: Update<"usage_update">): EventDraft[] {
    this.meter.note(update);
    const { used, size, cost } = update;
    const data = { contextUsed: used, contextSize: size, ...(cost && { cost }) };
    const told = JSON.stringify(data);
    if (told === this.#used) return [];
    this.#used = told;
    return [{ type: "system", subtype: "usage", data }];
  }
}

function noticeDraft({ severity, title, description }: Update<"notice">): EventDraft {
  const text = [title, description].filter(Boolean).join(": ");
  const subtype = severity === "info" ? "status" : "warning";
  return { type: "system", subtype, text };
}
