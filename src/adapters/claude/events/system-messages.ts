import { z } from "zod";
import { count, sum, words } from "../../../adapter-kit/message-fields.ts";

const system = { type: z.literal("system") };

/** Sent at the start of every turn. */
const Init = z.looseObject({
  ...system,
  subtype: z.literal("init"),
  session_id: words,
  model: words,
  permissionMode: words,
  claude_code_version: words,
  capabilities: z.array(z.string()).optional().catch(undefined),
  /** The messages that started the turn. Empty or absent if Claude started it on its own. Never sent by 2.1.197. */
  user_message_uuids: z.array(z.string()).optional().catch(undefined),
  mcp_servers: z
    .array(z.looseObject({ name: z.string(), status: z.string(), source: words }))
    .optional()
    .catch(undefined),
});
export type Init = z.infer<typeof Init>;

/** A message about Claude Code itself, outside the conversation. */
export const SystemMessage = z.discriminatedUnion("subtype", [
  Init,
  z.looseObject({
    ...system,
    subtype: z.literal("status"),
    status: z.string().nullish().catch(undefined),
    permissionMode: words,
    compact_result: words,
    compact_error: words,
  }),
  z.looseObject({
    ...system,
    subtype: z.literal("compact_boundary"),
    compact_metadata: z
      .looseObject({ trigger: words, pre_tokens: count, post_tokens: count })
      .optional()
      .catch(undefined),
  }),
  z.looseObject({
    ...system,
    subtype: z.literal("api_retry"),
    attempt: count,
    max_retries: count,
    retry_delay_ms: sum,
    error_status: z.number().nullish().catch(undefined),
    error: words,
  }),
  z.looseObject({
    ...system,
    subtype: z.enum(["informational", "model_refusal_fallback", "model_refusal_no_fallback"]),
    content: words,
    level: words,
  }),
  z.looseObject({ ...system, subtype: z.literal("notification"), text: words }),
  z.looseObject({ ...system, subtype: z.literal("local_command_output"), content: words }),
  z.looseObject({ ...system, subtype: z.literal("session_writes_lost") }),
  z.looseObject({
    ...system,
    subtype: z.literal("hook_response"),
    hook_name: words,
    stderr: words,
    outcome: words,
  }),
  z.looseObject({
    ...system,
    subtype: z.enum(["task_started", "task_notification"]),
    tool_use_id: words,
    description: words,
    subagent_type: words,
    status: words,
    summary: words,
  }),
  z.looseObject({
    ...system,
    /** Ignored messages. Most of them only update Claude's screen or repeat another message. */
    subtype: z.enum([
      "background_tasks_changed",
      "commands_changed",
      "control_request_progress",
      "elicitation_complete",
      "files_persisted",
      "hook_progress",
      "hook_started",
      "memory_recall",
      "mirror_error",
      "permission_denied",
      "plugin_install",
      "session_state_changed",
      "task_progress",
      "task_updated",
      "thinking_tokens",
      "worker_shutting_down",
    ]),
  }),
]);
export type SystemMessage = z.infer<typeof SystemMessage>;
