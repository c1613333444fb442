import type { McpServer, ServerContext } from "@modelcontextprotocol/server";
import { z } from "zod";
import { HalyardError } from "../../errors/error.ts";
import { parseInput } from "../../errors/parse-input.ts";
import { answerBy, answerIn, needsText } from "../../halyard/request-forms.ts";
import type { RequestEvent } from "../../schema/event.ts";
import type { Answer } from "../../schema/permission.ts";
import type { McpSession } from "../mcp-session.ts";
import { parseTaskId, readTask } from "./task.ts";

const TaskParams = z.looseObject({ taskId: z.string().max(200) });

/** The answers to forms, by the ids of the requests. */
const InputResponses = z.record(
  z.string(),
  z.looseObject({
    action: z.enum(["accept", "decline", "cancel"]),
    content: z.record(z.string(), z.unknown()).optional(),
  }),
);

const CANCELLED = "cancelled by the client";

type ProtocolErrorClass = typeof import("@modelcontextprotocol/server").ProtocolError;

/** Adds the methods of the tasks extension, which the SDK does not implement. */
export function addTaskMethods(
  { server }: McpServer,
  session: McpSession,
  ProtocolError: ProtocolErrorClass,
): void {
  const guard =
    <P, C, R>(handle: (params: P, context: C) => Promise<R>) =>
    async (params: P, context: C): Promise<R> => {
      try {
        return await handle(params, context);
      } catch (error) {
        if (error instanceof HalyardError) throw new ProtocolError(INVALID_PARAMS, error.message);
        throw error;
      }
    };
  server.setRequestHandler(
    "tasks/get",
    { params: TaskParams },
    guard(async ({ taskId }) => {
      const ref = parseTaskId(taskId);
      const answers = await session.mayAnswer(ref.session_id);
      return readTask(await session.halyard(), ref, { answers });
    }),
  );
  server.setRequestHandler(
    "tasks/update",
    { params: TaskParams },
    guard(async ({ taskId }, { mcpReq }: ServerContext) => {
      const { session_id } = parseTaskId(taskId);
      // The SDK has moved the responses out of the parameters.
      const inputResponses = parseInput(InputResponses, mcpReq.inputResponses ?? {});
      await session.requireAnswers(session_id);
      const held = await (await session.halyard()).session(session_id);
      for (const [requestId, response] of Object.entries(inputResponses)) {
        // Ignore the ids of requests that are no longer open.
        const request = held.info.openRequests.find((open) => open.requestId === requestId);
        if (request) await held.answer(requestId, toAnswer(request, response));
      }
      return {};
    }),
  );
  server.setRequestHandler(
    "tasks/cancel",
    { params: TaskParams },
    guard(async ({ taskId }) => {
      const { session_id, turn_id } = parseTaskId(taskId);
      const halyard = await session.halyard();
      const info = await halyard.find(session_id);
      const isOpen = [info?.turn, ...(info?.queue ?? [])].some((turn) => turn?.id === turn_id);
      if (!info)
        throw new HalyardError(
          "not_found",
          `Task ${taskId} not found. Call session_list to list sessions.`,
        );
      if (isOpen)
        await (await halyard.session(session_id)).interrupt({ turnId: turn_id, reason: CANCELLED });
      return {};
    }),
  );
}

const INVALID_PARAMS = -32602;

function toAnswer(
  request: RequestEvent,
  { action, content }: z.output<typeof InputResponses>[string],
): Answer {
  if (action === "cancel") return { decision: "deny", text: CANCELLED };
  if (action === "decline") return { decision: "deny", text: "declined by the client" };
  if (needsText(request)) return answerIn(content);
  const { decision } = content ?? {};
  if (typeof decision === "string") return answerBy(request, decision);
  throw new HalyardError(
    "invalid_input",
    `The response to ${request.requestId} has no "decision". Send one of the form's options.`,
  );
}
