import { limitDraft } from "../../../adapter-kit/report-drafts.ts";
import type { EventDraft } from "../../../contracts/event-draft.ts";
import type { SystemEvent } from "../../../schema/event.ts";
import { nativeHookDrafts } from "../settings/native-hooks.ts";
import type { SystemMessage } from "./system-messages.ts";

/** Maps a system message, except the one that starts a turn, to event drafts. */
export function systemDrafts(message: Exclude<SystemMessage, { subtype: "init" }>): EventDraft[] {
  switch (message.subtype) {
    case "status":
      return statusDrafts(message);
    case "compact_boundary": {
      const { trigger, pre_tokens: before, post_tokens: after } = message.compact_metadata ?? {};
      return [draft("compaction", undefined, { state: "completed", trigger, before, after })];
    }
    case "api_retry": {
      const { attempt, max_retries: maxAttempts, retry_delay_ms: delayMs } = message;
      const { error = "unknown", error_status: status } = message;
      const text = typeof status === "number" ? `${error} (${status})` : error;
      const isLimit = status === 429 && delayMs !== undefined;
      const retry = draft("retry", text, { attempt, maxAttempts, delayMs });
      return isLimit ? [retry, limitDraft({ status: "reached", retryAfterMs: delayMs })] : [retry];
    }
    case "informational":
      return [draft(message.level === "warning" ? "warning" : "status", message.content)];
    case "model_refusal_fallback":
    case "model_refusal_no_fallback":
      return [draft("warning", message.content)];
    case "notification":
      return [draft("status", message.text)];
    case "local_command_output":
      return [draft("status", message.content)];
    case "session_writes_lost":
      return [draft("warning", "Claude could not write its record of the session")];
    case "hook_response": {
      const { outcome, hook_name: name = "a hook", stderr = "" } = message;
      if (outcome === "error") return [draft("warning", `${name} failed: ${stderr.trim()}`)];
      return nativeHookDrafts(stderr);
    }
    case "task_started": {
      const { tool_use_id: callId, subagent_type: agent, description } = message;
      return [draft("step", description, { state: "started", callId, agent })];
    }
    case "task_notification": {
      const { tool_use_id: callId, status: state, summary } = message;
      return [draft("step", summary, { state, callId })];
    }
    case "background_tasks_changed":
    case "commands_changed":
    case "control_request_progress":
    case "elicitation_complete":
    case "files_persisted":
    case "hook_progress":
    case "hook_started":
    case "memory_recall":
    case "mirror_error":
    case "permission_denied":
    case "plugin_install":
    case "session_state_changed":
    case "task_progress":
    case "task_updated":
    case "thinking_tokens":
    case "worker_shutting_down":
      return [];
  }
}

type Status = Extract<SystemMessage, { subtype: "status" }>;

function statusDrafts({ status, permissionMode, compact_result, compact_error }: Status) {
  const drafts: EventDraft[] = [];
  if (status === "compacting") drafts.push(draft("compaction", undefined, { state: "started" }));
  if (compact_result === "failed")
    drafts.push(draft("compaction", compact_error, { state: "failed" }));
  if (permissionMode !== undefined) drafts.push(draft("status", undefined, { permissionMode }));
  return drafts;
}

function draft(
  subtype: SystemEvent["subtype"],
  text: string | undefined,
  data: Record<string, unknown> = {},
): EventDraft {
  const known = Object.entries(data).filter(([, value]) => value !== undefined);
  return {
    type: "system",
    subtype,
    ...(text !== undefined && text !== "" && { text }),
    ...(known.length > 0 && { data: Object.fromEntries(known) }),
  };
}
