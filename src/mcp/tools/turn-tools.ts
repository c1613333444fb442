import { z } from "zod";
import { anySignal } from "../../async/any-signal.ts";
import type { Halyard } from "../../contracts/halyard.ts";
import { RequestId, SessionId, TurnId } from "../../schema/id.ts";
import { openTurnOf } from "../../schema/session/open-turn.ts";
import type { CallContext } from "../call-context.ts";
import type { McpSession } from "../mcp-session.ts";
import { createdTask, describeStatus, progressOf } from "../tasks/task.ts";
import { type TurnStatus, turnStatus } from "../tasks/turn-status.ts";
import { defineTool, type Tool } from "../tool.ts";
import { Spawn, spawn } from "./spawn.ts";

const Turn = z.strictObject({
  session_id: SessionId,
  turn_id: TurnId.exactOptional().describe("Defaults to the last turn."),
});

const Wait = Turn.extend({
  wait_ms: z
    .number()
    .int()
    .nonnegative()
    .max(600_000)
    .default(50_000)
    .describe(
      "Maximum time to wait, in milliseconds. The call returns earlier if the turn ends or a request is opened.",
    ),
  known_requests: z
    .array(RequestId)
    .max(100)
    .default([])
    .describe("Open requests that do not end the wait, because you have seen them."),
});

/** Creates the tools that start, await and cancel turns. */
export function turnTools(session: McpSession): Tool[] {
  return [
    defineTool("session_start", {
      description:
        "Start an agent on a task. A client that supports tasks gets a task, which ends with the agent's result. Other clients get the ids of the session and the turn: call session_wait for the result.",
      input: Spawn,
      effect: "changes",
      run: (input, { traceparent }) => spawn(session, input, traceparent),
      respond: async ({ session_id, turn_id }, { takesTasks }) =>
        takesTasks
          ? createdTask({ session_id, turn_id, createdAt: session.context.now() })
          : undefined,
    }),
    defineTool("session_wait", {
      description:
        "Wait for the end of a turn, or until its agent requests permission or asks a question. Reports progress. Returns the status: working, input_required (with open_requests, for request_answer), completed, failed or cancelled.",
      input: Wait,
      effect: "reads",
      run: async ({ session_id, turn_id, ...input }, call) => {
        const halyard = await session.halyard();
        return describeStatus(await wait(halyard, session_id, turn_id, { ...input, call }));
      },
    }),
    defineTool("session_cancel", {
      description: "Cancel a turn. The session stays open for further messages.",
      input: Turn.extend({ reason: z.string().min(1).default("cancelled by the client") }),
      effect: "changes",
      run: async ({ session_id, turn_id: turnId, reason }) => {
        const halyard = await session.halyard();
        const { info } = await turnStatus(halyard, session_id, turnId);
        const open = openTurnOf(info);
        if (open !== undefined)
          await (await halyard.session(session_id)).interrupt({
            reason,
            ...(turnId !== undefined && { turnId }),
          });
        return describeStatus(await turnStatus(halyard, session_id, turnId ?? open?.id));
      },
    }),
  ];
}

interface WaitOptions extends Pick<z.output<typeof Wait>, "wait_ms" | "known_requests"> {
  readonly call: CallContext;
}

/**
 * Follows the log until the turn ends or has a request that is not in `known_requests`, the time limit expires, or the
 * call is cancelled.
 */
async function wait(
  halyard: Halyard,
  session_id: SessionId,
  turn_id: TurnId | undefined,
  { wait_ms, known_requests, call }: WaitOptions,
): Promise<TurnStatus> {
  const isOver = (status: TurnStatus): boolean => {
    if ("requests" in status)
      return status.requests.some(({ requestId }) => !known_requests.includes(requestId));
    return status.status !== "working";
  };
  const before = await turnStatus(halyard, session_id, turn_id);
  await call.progress(0, await progressOf(halyard, { session_id }));
  if (wait_ms === 0 || isOver(before)) return before;
  const signal = anySignal([AbortSignal.timeout(wait_ms), call.signal]);
  let count = 0;
  for await (const { type, seq } of halyard.events(session_id, {
    after: before.info.lastSeq,
    signal,
  })) {
    if (type === "tool_call" || type === "message")
      await call.progress(++count, await progressOf(halyard, { session_id }));
    if (type !== "completion" && type !== "request") continue;
    const now = await turnStatus(halyard, session_id, turn_id);
    if (isOver(now) && now.info.lastSeq >= seq) return now;
  }
  return turnStatus(halyard, session_id, turn_id);
}
