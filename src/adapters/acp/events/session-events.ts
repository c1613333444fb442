import type { EventDraft } from "../../../contracts/event-draft.ts";
import { AgentTerminals } from "../client/agent-terminals.ts";
import type { SessionUpdate, Update } from "../messages.ts";
import { UsageMeter } from "./usage.ts";

/** Maps updates that belong to the session instead of a turn. */
export class SessionEvents {
  readonly terminals = new AgentTerminals();
  readonly meter = new UsageMeter();
  #mode: string | undefined;
  #used = "";

  /** Maps an update. Returns undefined if it belongs to a turn. */
  map(update: SessionUpdate): EventDraft[] | undefined {
    switch (update.sessionUpdate) {
      case "current_mode_update": {
        const { currentModeId: mode } = update;
        const isNew = mode !== this.#mode;
        this.#mode = mode;
        return isNew ? [{ type: "system", subtype: "status", data: { mode } }] : [];
      }
      case "usage_update":
        return this.#usage(update);
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

  /** Emits the usage only if it changed. Some agents send it with every chunk. */
  #usage(update: Update<"usage_update">): EventDraft[] {
    this.meter.record(update);
    const { used, size, cost } = update;
    const data = { contextUsed: used, contextSize: size, ...(cost && { cost }) };
    const emitted = JSON.stringify(data);
    if (emitted === this.#used) return [];
    this.#used = emitted;
    return [{ type: "system", subtype: "usage", data }];
  }
}

function noticeDraft({ severity, title, description }: Update<"notice">): EventDraft {
  const text = [title, description].filter(Boolean).join(": ");
  const subtype = severity === "info" ? "status" : "warning";
  return { type: "system", subtype, text };
}
