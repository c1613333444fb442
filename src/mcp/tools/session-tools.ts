import { realpath } from "node:fs/promises";
import { resolve } from "node:path";
import { z } from "zod";
import type { Halyard, Session, Turn } from "../../contracts/halyard.ts";
import { HalyardError } from "../../errors/error.ts";
import { messageOf } from "../../halyard/message-of.ts";
import { requireTaken } from "../../halyard/turn-results.ts";
import { isWithin } from "../../permissions/path-policy.ts";
import { ImageInput } from "../../schema/attachment.ts";
import { Delivery } from "../../schema/delivery.ts";
import { RequestId, SessionId } from "../../schema/id.ts";
import { ReasoningLevel } from "../../schema/model.ts";
import { Answer } from "../../schema/permission.ts";
import { ProjectId } from "../../schema/project.ts";
import { RuntimeName } from "../../schema/runtime.ts";
import { liveStates, SessionState } from "../../schema/session-state.ts";
import type { McpContext } from "../context.ts";
import { defineTool, type Tool } from "../tool.ts";

const OneSession = z.strictObject({ session_id: SessionId });

/** Image content blocks of MCP. */
const Images = z
  .array(
    z.strictObject({
      type: z.literal("image").default("image"),
      data: ImageInput.shape.data.describe("Base64 of a PNG, JPEG, GIF or WebP image."),
      mimeType: z.string().exactOptional(),
    }),
  )
  .describe("Images for an agent that accepts them, as MCP content blocks.");

const Spawn = z.strictObject({
  project_id: ProjectId.exactOptional().describe("Project in whose workspace to work."),
  directory: z
    .string()
    .min(1)
    .exactOptional()
    .describe(
      "Working directory without a project. Defaults to the working directory of the server.",
    ),
  message: z.string().min(1).describe("The task."),
  images: Images.exactOptional(),
  workspace_id: z
    .uuid()
    .exactOptional()
    .describe("Workspace of the project. Defaults to its default workspace."),
  create_workspace: z.boolean().default(false).describe("Create a new workspace."),
  worktree: z
    .boolean()
    .default(false)
    .describe("Work in a git worktree and on a branch of its own, not in the directory itself."),
  parent_session_id: SessionId.exactOptional().describe(
    "The session that this one works for. Its runtime is inherited.",
  ),
  agent_runtime: RuntimeName.exactOptional().describe(
    "Runtime. Defaults to the project's runtime.",
  ),
  model: z.string().min(1).exactOptional(),
  reasoning_level: ReasoningLevel.exactOptional(),
});

const Message = z.strictObject({
  session_id: SessionId,
  message: z.string().min(1),
  images: Images.exactOptional(),
  delivery: Delivery.default("queue").describe(
    "What to do while a turn is running: wait for its end (queue), add to it (steer), or cancel it first (interrupt).",
  ),
});

const RequestAnswer = z.strictObject({
  session_id: SessionId,
  request_id: RequestId.describe("Id from open_requests of session_get, or from a request event."),
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
export function sessionTools(context: McpContext): Tool[] {
  const { halyard } = context;
  /** Sessions that this client has started. It may answer only their requests. */
  const started = new Set<SessionId>();
  return [
    defineTool("session_spawn", {
      description:
        "Start an agent on a task, in a project or in a directory. Follow it with session_events.",
      input: Spawn,
      effect: "changes",
      run: async (input) => {
        const session = await spawn(await halyard(), context, input);
        started.add(session.session_id);
        return session;
      },
    }),
    defineTool("session_message", {
      description: "Send a message to a session. Resumes the session if it has ended.",
      input: Message,
      effect: "changes",
      run: async ({ session_id, message, images, delivery }) => {
        const attended = context.answers && started.has(session_id);
        const session = await open(await halyard(), session_id, attended);
        const after = session.info.lastSeq;
        const turn = session.send(withImages(message, images), { delivery });
        return { ...(await sent(session, turn)), last_index: after };
      },
    }),
    defineTool("request_answer", {
      description:
        "Allow or deny a request of a session's agent, or answer its question. Only for sessions that you started.",
      input: RequestAnswer,
      effect: "changes",
      run: async ({ session_id, request_id, option_id: optionId, ...answer }) => {
        requireAnswers(context, started.has(session_id), session_id);
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
        "End a session and its agent. Its child sessions keep running. A message resumes it.",
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

function withImages(text: string, images: z.output<typeof Images> = []) {
  return messageOf(text, { images: images.map(({ data }) => ({ data })) });
}

async function spawn(halyard: Halyard, context: McpContext, input: z.output<typeof Spawn>) {
  const { permissions, answers: attended } = context;
  const { agent_runtime: runtime, model, parent_session_id: parent } = input;
  const { cwd, ...location } = await workspaceOf(context, input);
  const session = await halyard.start({
    cwd,
    permissions,
    attended,
    ...(location.project_id !== undefined && { project: location.project_id }),
    ...(runtime !== undefined && { runtime }),
    ...(parent !== undefined && { parent }),
    ...(model !== undefined && { model }),
    ...(input.reasoning_level !== undefined && { reasoning: input.reasoning_level }),
    ...(input.worktree && { worktree: true }),
  });
  const { info } = session;
  return {
    ...(await sent(session, session.send(withImages(input.message, input.images)))),
    ...location,
    agent_runtime: info.runtime,
    depth: info.depth,
    last_index: 0,
  };
}

/** Returns the working directory of a new session: in a workspace of its project, or the given directory. */
async function workspaceOf({ projects, ...context }: McpContext, input: z.output<typeof Spawn>) {
  if (input.project_id === undefined) return { cwd: await directoryOf(context, input) };
  if (input.directory !== undefined)
    throw new HalyardError(
      "invalid_input",
      "directory: cannot be combined with project_id, because a project has workspaces. Remove one of them.",
    );
  const project = await projects.get(input.project_id);
  const workspace = input.create_workspace
    ? await projects.createWorkspace(project)
    : (input.workspace_id ?? project.default_workspace_id);
  const cwd = await projects.openWorkspace(project, workspace);
  return { cwd, project_id: project.id, workspace_id: workspace };
}

/**
 * Returns the directory. A client without allow-all must stay below the server's directory, because a policy limits
 * actions, not locations.
 */
async function directoryOf(
  { directory: root, permissions }: Pick<McpContext, "directory" | "permissions">,
  input: z.output<typeof Spawn>,
): Promise<string> {
  if (input.workspace_id !== undefined || input.create_workspace)
    throw new HalyardError(
      "invalid_input",
      "workspace_id and create_workspace require a project_id.",
    );
  const requested = resolve(root, input.directory ?? ".");
  const [cwd, allowed] = await Promise.all([requested, root].map(realDirectory));
  if (permissions === "allow-all" || isWithin(cwd ?? "", allowed ?? "")) return cwd ?? "";
  throw new HalyardError(
    "forbidden",
    `directory: ${requested} is outside of ${root}, the working directory of the server. Start the server there, or with --permissions allow-all.`,
  );
}

async function realDirectory(path: string): Promise<string> {
  const real = await realpath(path).catch(() => undefined);
  if (real !== undefined) return real;
  throw new HalyardError("invalid_input", `directory: ${path} does not exist.`);
}

function requireAnswers({ answers }: McpContext, isOwn: boolean, id: SessionId): void {
  if (!answers)
    throw new HalyardError(
      "forbidden",
      "This client may not answer requests. Start the server with --answers to allow it.",
    );
  if (isOwn) return;
  throw new HalyardError(
    "forbidden",
    `Session ${id} was not started by this client. Run "halyard answer" to answer its requests.`,
  );
}

/** Returns a session that accepts messages. Resumes it if necessary. */
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

async function sent(session: Session, turn: Turn) {
  return { session_id: session.id, turn_id: turn.id, receipt: await requireTaken(turn) };
}
