import { z } from "zod";
import { fork } from "../../halyard/fork.ts";
import { requireTaken } from "../../halyard/turn-results.ts";
import { SessionId } from "../../schema/id.ts";
import { RuntimeName } from "../../schema/runtime.ts";
import type { McpSession } from "../mcp-session.ts";
import { defineTool, type Tool } from "../tool.ts";

const Fork = z.strictObject({
  session_id: SessionId.describe("The session to copy. It must not be running a turn."),
  name: z.string().min(1).exactOptional().describe("Name of the new session."),
  worktree: z.boolean().default(false).describe("Work in a separate git worktree."),
});

/** Creates the tools that fork and compact conversations and list models. */
export function conversationTools(client: McpSession): Tool[] {
  const halyard = () => client.halyard();
  return [
    defineTool("session_fork", {
      description:
        "Start a session that continues a copy of a conversation. The original does not change. Needs a runtime with the capability fork.",
      input: Fork,
      effect: "changes",
      run: async ({ session_id, name, worktree }) => {
        const options = { ...(name !== undefined && { name }), ...(worktree && { worktree }) };
        const session = await fork(await halyard(), session_id, options);
        await client.addContinuation(session.id, session_id);
        await session.ready();
        return { session_id: session.id, forked_from: session_id, last_index: 0 };
      },
    }),
    defineTool("session_compact", {
      description:
        "Replace the conversation of a running session with a summary. Follow the turn with session_events.",
      input: z.strictObject({ session_id: SessionId }),
      effect: "changes",
      run: async ({ session_id }) => {
        const session = await (await halyard()).session(session_id);
        const after = session.info.lastSeq;
        const turn = session.compact();
        return {
          session_id,
          turn_id: turn.id,
          receipt: await requireTaken(turn),
          last_index: after,
        };
      },
    }),
    defineTool("model_list", {
      description: "List the models that a runtime offers with the user's sign-in.",
      input: z.strictObject({ agent_runtime: RuntimeName }),
      effect: "reads",
      run: async ({ agent_runtime }) => ({ models: await (await halyard()).models(agent_runtime) }),
    }),
  ];
}
