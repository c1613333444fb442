import { z } from "zod";
import { handoff } from "../../halyard/handoff/handoff.ts";
import { requireTaken } from "../../halyard/turn-results.ts";
import { SessionId } from "../../schema/id.ts";
import { RuntimeName } from "../../schema/runtime.ts";
import type { McpContext } from "../context.ts";
import { defineTool, type Tool } from "../tool.ts";

const Handoff = z.strictObject({
  session_id: SessionId.describe("The session whose work is continued. It must not run a turn."),
  agent_runtime: RuntimeName.describe("Runtime that continues the work."),
  message: z.string().min(1).exactOptional().describe("Next task. Defaults to a continuation."),
});

/** Creates the tools that hand sessions over and list worktrees. */
export function workspaceTools({ halyard, answers: attended }: McpContext): Tool[] {
  return [
    defineTool("session_handoff", {
      description:
        "Continue the work of a session with another agent in the same directory. It gets a brief and can read the old log; the memory of the model is not transferred.",
      input: Handoff,
      effect: "changes",
      run: async ({ session_id, agent_runtime, message }) => {
        const request = { attended };
        const options = { request, ...(message !== undefined && { message }) };
        const handed = await handoff(await halyard(), session_id, agent_runtime, options);
        const { session, turn, notice } = handed;
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
  ];
}
