import { resolve } from "node:path";
import { z } from "zod";
import { handoff } from "../../halyard/handoff/handoff.ts";
import { requireTaken } from "../../halyard/turn-results.ts";
import { SessionId } from "../../schema/id.ts";
import { RuntimeName } from "../../schema/runtime.ts";
import type { McpSession } from "../mcp-session.ts";
import { defineTool, type Tool } from "../tool.ts";

const Handoff = z.strictObject({
  session_id: SessionId.describe(
    "The session whose work is continued. It must not be running a turn.",
  ),
  agent_runtime: RuntimeName.describe("Runtime that continues the work."),
  message: z
    .string()
    .min(1)
    .exactOptional()
    .describe("Next task. Defaults to continuing the work."),
});

const Adopt = z.strictObject({
  session_id: SessionId.describe("A session that works in a worktree."),
  directory: z
    .string()
    .min(1)
    .exactOptional()
    .describe(
      "Directory of the repository that receives the changes. Defaults to the server's working directory.",
    ),
  merge: z.boolean().default(false).describe("Merge the branch instead of applying a patch."),
});

const Prune = z.strictObject({
  dry_run: z.boolean().default(false).describe("Report what would be removed, and remove nothing."),
  park: z
    .boolean()
    .default(false)
    .describe(
      "Also remove worktrees with unmerged changes: commit the changes, and keep the branch.",
    ),
});

/** Creates the tools that hand off sessions, adopt their changes, and list and remove worktrees. */
export function workspaceTools(client: McpSession): Tool[] {
  const { directory: root, answers: attended } = client.context;
  const halyard = () => client.halyard();
  return [
    defineTool("session_handoff", {
      description:
        "Continue the work of a session with another agent in the same directory. The new agent receives a brief and can read the old log. The model's memory is not transferred.",
      input: Handoff,
      effect: "changes",
      run: async ({ session_id, agent_runtime, message }) => {
        const request = { attended };
        const options = { request, ...(message !== undefined && { message }) };
        const handed = await handoff(await halyard(), session_id, agent_runtime, options);
        const { session, turn, notice } = handed;
        await client.addContinuation(session.id, session_id);
        const receipt = await requireTaken(turn);
        return { session_id: session.id, turn_id: turn.id, receipt, notice };
      },
    }),
    defineTool("worktree_list", {
      description:
        "List the git worktrees of sessions and whether their work is committed and merged.",
      input: z.strictObject({}),
      effect: "reads",
      run: async () => ({ worktrees: await (await halyard()).worktrees() }),
    }),
    defineTool("worktree_prune", {
      description:
        "Remove session worktrees that have no changes or whose changes are merged. Requires allow-all.",
      input: Prune,
      effect: "destroys",
      run: async ({ dry_run: dryRun, park }) => ({
        worktrees: await (await halyard()).pruneWorktrees({ dryRun, park }),
      }),
    }),
    defineTool("session_adopt", {
      description:
        "Apply the changes of a session's worktree to a working tree. Changes nothing if they conflict. Requires allow-all.",
      input: Adopt,
      effect: "changes",
      async run({ session_id: id, directory = ".", merge }) {
        const cwd = resolve(root, directory);
        const { sessionId, ...adopted } = await (await halyard()).adopt(id, { cwd, merge });
        return { session_id: sessionId, ...adopted };
      },
    }),
  ];
}
