import { z } from "zod";
import type { Halyard, Session } from "../../contracts/halyard.ts";
import { HalyardError } from "../../errors/error.ts";
import { JsonSchema } from "../../schema/conversation/json-schema.ts";
import { Delivery } from "../../schema/delivery.ts";
import { RequestId, SessionId } from "../../schema/id.ts";
import { Answer } from "../../schema/permission.ts";
import { ProjectId } from "../../schema/project/project.ts";
import { liveStates, SessionState } from "../../schema/session/session-state.ts";
import type { McpSession } from "../mcp-session.ts";
import { defineTool, type Tool } from "../tool.ts";
import { Images, Spawn, sent, spawn, withImages } from "./spawn.ts";

const OneSession = z.strictObject({ session_id: SessionId });

const Message = z.strictObject({
  session_id: SessionId,
  message: z.string().min(1),
  images: Images.exactOptional(),
  answer_schema: JsonSchema.exactOptional().describe(
    "JSON Schema for the answer. The completion event then contains the validated value as outcome.data.",
  ),
  delivery: Delivery.default("queue").describe(
    "What to do while a turn is running: wait for its end (queue), add to it (steer), or cancel it first (interrupt).",
  ),
});

const RequestAnswer = z.strictObject({
  session_id: SessionId,
  request_id: RequestId.describe(
    "Id from openRequests of session_get, from open_requests of session_wait, or from a request event.",
  ),
  decision: Answer.shape.decision,
  option_id: z.string().min(1).exactOptional().describe("One of the request's options."),
  text: z
    .string()
    .min(1)
    .exactOptional()
    .describe("Answer to a question, or the reason for a denial."),
});

const List = z.strictObject({
  project_id: ProjectId.exactOptional(),
  status: SessionState.exactOptional(),
  limit: z.number().int().positive().max(500).default(50),
});

/** Creates the tools that start, message, read and end sessions. */
export function sessionTools(client: McpSession): Tool[] {
  const halyard = () => client.halyard();
  return [
    defineTool("session_spawn", {
      description:
        "Start an agent on a task, in a project or in a directory. Follow its progress with session_events.",
      input: Spawn,
      effect: "changes",
      run: (input, { traceparent }) => spawn(client, input, traceparent),
    }),
    defineTool("session_message", {
      description: "Send a message to a session. Resumes the session if it has ended.",
      input: Message,
      effect: "changes",
      run: async (input, { traceparent }) => {
        const { session_id, message, images, delivery, answer_schema: schema } = input;
        const attended = await client.mayAnswer(session_id);
        const session = await open(await halyard(), session_id, attended);
        const after = session.info.lastSeq;
        const turn = session.send(withImages(message, images, schema), { delivery, traceparent });
        return { ...(await sent(session, turn)), last_index: after };
      },
    }),
    defineTool("request_answer", {
      description:
        "Allow or deny an agent's request, or answer its question. Only for sessions that you started.",
      input: RequestAnswer,
      effect: "changes",
      run: async ({ session_id, request_id, option_id: optionId, ...answer }) => {
        await client.requireAnswers(session_id);
        const session = await (await halyard()).session(session_id);
        await session.answer(request_id, {
          ...answer,
          ...(optionId !== undefined && { optionId }),
        });
        return { session_id, request_id, decision: answer.decision };
      },
    }),
    defineTool("session_get", {
      description: "Get a session: state, runtime, usage, open requests.",
      input: OneSession,
      effect: "reads",
      run: async ({ session_id }) => ({ session: await known(await halyard(), session_id) }),
    }),
    defineTool("session_list", {
      description:
        "List the sessions of all machines, newest first, and the machines that do not respond.",
      input: List,
      effect: "reads",
      run: async ({ project_id: project, status, limit }) => {
        const states = status && { states: [status] };
        const filter = { limit, ...states, ...(project !== undefined && { project }) };
        const sessions = await (await halyard()).sessions(filter);
        const unreachable = [...(client.context.unreachable ?? [])];
        if (unreachable.length === 0) return { sessions };
        const machines = unreachable.map(([machine, reason]) => ({ machine, reason }));
        return { sessions, unreachable: machines };
      },
    }),
    defineTool("session_end", {
      description:
        "End a session and its agent. Its child sessions keep running. A message resumes the session.",
      input: OneSession.extend({ reason: z.string().min(1).default("ended by the caller") }),
      effect: "changes",
      run: async ({ session_id, reason }) => {
        const opened = await halyard();
        await opened.stop(session_id, reason);
        return { session: await known(opened, session_id) };
      },
    }),
  ];
}

/** Returns a session that accepts messages. Resumes the session if it has ended or is detached. */
async function open(halyard: Halyard, id: SessionId, attended: boolean): Promise<Session> {
  const { state } = await known(halyard, id);
  const isHeld = liveStates.includes(state) && state !== "detached";
  return isHeld ? halyard.session(id) : halyard.resume(id, { attended });
}

async function known(halyard: Halyard, id: SessionId) {
  const info = await halyard.find(id);
  if (info) return info;
  throw new HalyardError(
    "session_not_found",
    `Session ${id} not found. Call session_list to list sessions.`,
  );
}
