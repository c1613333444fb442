import { realpath } from "node:fs/promises";
import { resolve } from "node:path";
import { z } from "zod";
import type { Session } from "../../contracts/halyard.ts";
import type { Turn } from "../../contracts/turn.ts";
import { HalyardError } from "../../errors/error.ts";
import { isWithin } from "../../files/is-within.ts";
import { messageOf } from "../../halyard/message-of.ts";
import { requireTaken } from "../../halyard/turn-results.ts";
import { ImageInput } from "../../schema/attachment.ts";
import type { JsonSchema } from "../../schema/conversation/json-schema.ts";
import { SessionId } from "../../schema/id.ts";
import { ReasoningLevel } from "../../schema/model.ts";
import { ProjectId } from "../../schema/project/project.ts";
import { RuntimeName } from "../../schema/runtime.ts";
import type { McpContext } from "../context.ts";
import type { McpSession } from "../mcp-session.ts";

/** The images of a message, as MCP content blocks. */
export const Images = z
  .array(
    z.strictObject({
      type: z.literal("image").default("image"),
      data: ImageInput.shape.data.describe("Base64 data of a PNG, JPEG, GIF or WebP image."),
      mimeType: z.string().exactOptional(),
    }),
  )
  .describe("Images for an agent that accepts them, as MCP content blocks.");

/** The arguments of tools that start a session. */
export const Spawn = z.strictObject({
  project_id: ProjectId.exactOptional().describe("Project whose workspace the session uses."),
  directory: z
    .string()
    .min(1)
    .exactOptional()
    .describe(
      "Working directory if no project is given. Defaults to the server's working directory.",
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
    .describe("Work in a separate git worktree and branch instead of the directory itself."),
  parent_session_id: SessionId.exactOptional().describe(
    "The session that the new session works for. The new session inherits the runtime of this session.",
  ),
  agent_runtime: RuntimeName.exactOptional().describe(
    "Runtime. A child session must use its parent's runtime. Otherwise, defaults to the project's runtime, then to the configured runtime.",
  ),
  model: z.string().min(1).exactOptional(),
  reasoning_level: ReasoningLevel.exactOptional(),
});

/** Builds a message from text, images and an answer schema. */
export function withImages(
  text: string,
  images: z.output<typeof Images> = [],
  schema?: JsonSchema,
) {
  return messageOf(text, { images: images.map(({ data }) => ({ data })), schema });
}

/** Starts a session and sends its first message. Returns the ids, the receipt and the location of the session. */
export async function spawn(
  client: McpSession,
  input: z.output<typeof Spawn>,
  traceparent?: string,
) {
  const { context } = client;
  const { permissions, answers: attended } = context;
  const halyard = await client.halyard();
  const { agent_runtime: runtime, model, parent_session_id: parent } = input;
  const { cwd, ...location } = await workspaceOf(context, input);
  const session = await halyard.start({
    cwd,
    permissions,
    attended,
    ...client.labels,
    ...(location.project_id !== undefined && { project: location.project_id }),
    ...(runtime !== undefined && { runtime }),
    ...(parent !== undefined && { parent }),
    ...(model !== undefined && { model }),
    ...(input.reasoning_level !== undefined && { reasoning: input.reasoning_level }),
    ...(input.worktree && { worktree: true }),
  });
  client.addStarted(session.id);
  const { info } = session;
  return {
    ...(await sent(
      session,
      session.send(withImages(input.message, input.images), { traceparent }),
    )),
    ...location,
    agent_runtime: info.runtime,
    depth: info.depth,
    last_index: 0,
  };
}

type Location = Pick<
  z.output<typeof Spawn>,
  "project_id" | "directory" | "workspace_id" | "create_workspace"
>;

/**
 * Returns the working directory of a new session: a workspace of its project, the given directory, or the server's
 * directory. For a session with a project, also returns the ids of the project and the workspace.
 */
export async function workspaceOf({ projects, ...context }: McpContext, input: Location) {
  if (input.project_id === undefined) return { cwd: await directoryOf(context, input) };
  if (input.directory !== undefined)
    throw new HalyardError(
      "invalid_input",
      "A directory cannot be combined with project_id, because a project has workspaces. Remove one of them.",
    );
  const project = await projects.get(input.project_id);
  const workspace = input.create_workspace
    ? await projects.createWorkspace(project)
    : (input.workspace_id ?? project.default_workspace_id);
  const cwd = await projects.openWorkspace(project, workspace);
  return { cwd, project_id: project.id, workspace_id: workspace };
}

/**
 * Returns the real path of the session's directory. For a client without `allow-all`, rejects directories outside the
 * server's directory, because a policy restricts actions but not locations.
 */
async function directoryOf(
  { directory: root, permissions }: Pick<McpContext, "directory" | "permissions">,
  input: Location,
): Promise<string> {
  if (input.workspace_id !== undefined || input.create_workspace)
    throw new HalyardError(
      "invalid_input",
      "The arguments workspace_id and create_workspace require project_id. Pass a project_id, or remove them.",
    );
  const requested = resolve(root, input.directory ?? ".");
  const [cwd, allowed] = await Promise.all([requested, root].map(realDirectory));
  if (permissions === "allow-all" || isWithin(cwd ?? "", allowed ?? "")) return cwd ?? "";
  throw new HalyardError(
    "forbidden",
    `The directory ${requested} is outside ${root}, the server's working directory. Choose a directory in ${root}, or start the server in ${requested}. To allow any directory, start "halyard mcp" with --permissions allow-all, or "halyard serve" with --mcp-permissions allow-all.`,
  );
}

async function realDirectory(path: string): Promise<string> {
  const real = await realpath(path).catch(() => undefined);
  if (real !== undefined) return real;
  throw new HalyardError(
    "invalid_input",
    `The directory ${path} does not exist. Create it, or pass an existing directory.`,
  );
}

/** Returns the ids of a message's session and turn, and the message's receipt. */
export async function sent(session: Session, turn: Turn) {
  return { session_id: session.id, turn_id: turn.id, receipt: await requireTaken(turn) };
}
