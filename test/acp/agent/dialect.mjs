// @ts-nocheck: this agent imitates third-party JavaScript
import { ask, notify, write } from "./wire.mjs";

/** Returns the functions that send session updates in version 1 or version 2 of the protocol. */
export function dialect(version, sessionId) {
  const update = (sessionUpdate, fields) =>
    notify("session/update", { sessionId, update: { sessionUpdate, ...fields } });
  const text = (words) => ({ type: "content", content: { type: "text", text: words } });
  const common = {
    update,
    piece: (channel, messageId, words) =>
      update(`agent_${channel}_chunk`, { messageId, content: { type: "text", text: words } }),
  };
  if (version === 1)
    return {
      ...common,
      begun() {},
      retold() {},
      call: (call) => update("tool_call", { ...call, status: "pending", rawInput: {} }),
      started: (toolCallId, rawInput) =>
        update("tool_call_update", { toolCallId, status: "in_progress", rawInput }),
      inTerminal: (toolCallId, terminalId) =>
        update("tool_call_update", { toolCallId, content: [{ type: "terminal", terminalId }] }),
      ended: (toolCallId, status, { output, diff, isShown, exitCode }) =>
        update("tool_call_update", {
          toolCallId,
          status,
          ...(!isShown && {
            content: [text(output), ...(diff ? [{ type: "diff", ...diff }] : [])],
          }),
          rawOutput: { output, exitCode },
        }),
      permission: (toolCall, options) =>
        ask("session/request_permission", { sessionId, toolCall, options }),
      over: (id, stopReason, usage) => write({ id, result: { stopReason, usage } }),
      failed: (id, error) =>
        write({ id, error: { code: -32603, message: `Internal error: ${error}` } }),
    };
  return {
    ...common,
    begun(id, messageId, prompt) {
      update("state_update", { state: "running" });
      update("user_message", { messageId, content: prompt });
      write({ id, result: { messageId } });
    },
    retold: (messageId) => update("agent_message", { messageId, content: [] }),
    call: (call) => update("tool_call_update", { ...call, status: "pending", rawInput: {} }),
    started: (toolCallId, rawInput) =>
      update("tool_call_update", { toolCallId, status: "in_progress", rawInput }),
    inTerminal() {},
    ended(toolCallId, status, { output, diff, exitCode }) {
      const terminalId = `t-${toolCallId}`;
      const content = [{ type: "terminal", terminalId }];
      if (diff)
        content.push({
          type: "diff",
          changes: [{ operation: "modify", path: diff.path }],
          patch: { format: "git_patch", text: patchOf(diff) },
        });
      update("terminal_output_chunk", { terminalId, data: Buffer.from(output).toString("base64") });
      update("terminal_update", { terminalId, exitStatus: { exitCode } });
      update("tool_call_update", { toolCallId, status, content });
    },
    permission: (toolCall, options) =>
      ask("session/request_permission", {
        sessionId,
        title: toolCall.title,
        subject: { type: "tool_call", toolCall },
        options,
      }),
    over: (_, stopReason, usage) => update("state_update", { state: "idle", stopReason, usage }),
    failed: (_, error) =>
      update("state_update", {
        state: "idle",
        stopReason: "error",
        error: { code: -32603, message: error },
      }),
  };
}

function patchOf({ path, oldText, newText }) {
  return `--- ${path}\n+++ ${path}\n@@ -1 +1 @@\n-${oldText ?? ""}\n+${newText}\n`;
}
