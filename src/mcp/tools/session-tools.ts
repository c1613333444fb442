import { z } from "zod";
import { HalyardError } from "../../core/error.ts";
import type { Halyard, Session, Turn } from "../../core/halyard.ts";
import { requireTaken } from "../../core/turn-results.ts";
import { Delivery } from "../../schema/delivery.ts";
import { SessionId } from "../../schema/id.ts";
import { ReasoningLevel } from "../../schema/model.ts";
import { ProjectId } from "../../schema/project.ts";
import { RuntimeName } from "../../schema/runtime.ts";
import { liveStates, SessionState } from "../../schema/session-state.ts";
import type { McpContext } from "../context.ts";
import { defineTool, type Tool } from "../tool.ts";

const OneSession = z.strictObject({ session_id: SessionId });

const Spawn = z.strictObject({
  project_id: ProjectId,
  message: z.string().min(1).describe("The task."),
  workspace_id: z.uuid().exactOptional().describe("Its default workspace unless given."),
  create_workspace: z.boolean().default(false).describe("Work in a fresh workspace."),
  parent_session_id: SessionId.exactOptional().describe(
    "The session that this one works for; its runtime is inherited.",
  ),
  agent_runtime: RuntimeName.exactOptional().describe("Instead of the project's."),
  model: z.string().min(1).exactOptional(),
  reasoning_level: ReasoningLevel.exactOptional(),
});

const Message = z.strictObject({
  session_id: SessionId,
  message: z.string().min(1),
  delivery: Delivery.default("queue").describe(
    "While a turn is under way: wait for its end, go into it, or end it first.",
  ),
});

const List = z.strictObject({
  project_id: ProjectId.exactOptional(),
  status: SessionState.exactOptional(),
  limit: z.number().int().positive().max(500).default(50),
});

/** The tools that start, message, look at and end sessions. */
export function sessionTools(context: McpContext): Tool[] {
  const { halyard } = context;
  return [
    defineTool("session_spawn", {
      description: "Start an agent on a task in a project. Follow it with session_events.",
      input: Spawn,
      effect: "changes",
      run: async (input) => spawn(await halyard(), context, input),
    }),
    defineTool("session_message", {
      description: "Send a message to a session. One that has ended is resumed first.",
      input: Message,
      effect: "changes",
      run: async ({ session_id, message, delivery }) => {
        const session = await open(await halyard(), session_id);
        const after = session.info.lastSeq;
        return { ...(await sent(session, session.send(message, { delivery }))), last_index: after };
      },
    }),
    defineTool("session_get", {
      description: "One session as it is now: state, runtime, usage, open requests.",
      input: OneSession,
      effect: "reads",
      run: async ({ session_id }) => ({ session: await known(await halyard(), session_id) }),
    }),
    defineTool("session_list", {
      description: "List sessions, newest first.",
      input: List,
      effect: "reads",
      run: async ({ project_id: project, status, limit }) => {
        const states = status && { states: [status] };
        const filter = { limit, ...states, ...(project !== undefined && { project }) };
        return { sessions: await (await halyard()).sessions(filter) };
      },
    }),
    defineTool("session_end", {
      description:
        "End a session with its agent; its children live on. It can be resumed by a message.",
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

async function spawn(
  halyard: Halyard,
  { projects, permissions }: McpContext,
  input: z.output<typeof Spawn>,
): Promise<Record<string, unknown>> {
  const project = await projects.get(input.project_id);
  const { agent_runtime: runtime, model, parent_session_id: parent } = input;
  const workspace = input.create_workspace
    ? await projects.createWorkspace(project)
    : (input.workspace_id ?? project.default_workspace_id);
  const session = await halyard.start({
    project: project.id,
    cwd: await projects.openWorkspace(project, workspace),
    permissions,
    attended: false, // there is no tool to answer with
    ...(runtime !== undefined && { runtime }),
    ...(parent !== undefined && { parent }),
    ...(model !== undefined && { model }),
    ...(input.reasoning_level !== undefined && { reasoning: input.reasoning_level }),
  });
  const { info } = session;
  return {
    ...(await sent(session, session.send(input.message))),
    project_id: project.id,
    workspace_id: workspace,
    agent_runtime: info.runtime,
    depth: info.depth,
    last_index: 0,
  };
}

/** A session that takes messages, wherever it was left. */
async function open(halyard: Halyard, id: SessionId): Promise<Session> {
  const { state } = await known(halyard, id);
  const isHeld = liveStates.includes(state) && state !== "detached";
  return isHeld ? halyard.session(id) : halyard.resume(id, { attended: false });
}

async function known(halyard: Halyard, id: SessionId) {
  const info = await halyard.find(id);
  if (info) return info;
  throw new HalyardError("session_not_found", `there is no session ${id}; session_list lists them`);
}

async function sent(session: Session, turn: Turn) {
  return { session_id: session.id, turn_id: turn.id, receipt: await requireTaken(turn) };
}
