import { z } from "zod";
import { SessionId } from "../../schema/id.ts";
import { ChangesQuery, RewindRequest } from "../../schema/workspace/checkpoint.ts";
import type { McpContext } from "../context.ts";
import { defineTool, type Tool } from "../tool.ts";

const SessionFiles = z.strictObject({
  session_id: SessionId,
  turn: ChangesQuery.shape.turnId.describe(
    "Number or id of a turn, to show only its changes. The first turn is number 1.",
  ),
  from: ChangesQuery.shape.from.describe(
    "Earlier state: start, a turn for the state at its end, or a commit. Defaults to start.",
  ),
  to: ChangesQuery.shape.to.describe(
    "Later state: now, a turn, or a commit. Defaults to the last checkpoint.",
  ),
  by: ChangesQuery.shape.by.describe("Pass agent to exclude changes made between turns."),
  max_diff_chars: z.number().int().nonnegative().max(1_000_000).default(50_000),
});

const Restore = z.strictObject({
  session_id: SessionId,
  to: RewindRequest.shape.to.describe(
    "State to restore: start, the number or id of a turn for the state at its end, or a commit.",
  ),
});

/** Creates the tools that show the file changes of sessions and rewind files. */
export function fileTools({ halyard }: McpContext): Tool[] {
  return [
    defineTool("session_changes", {
      description:
        "Show the file changes of a session, including those made by shell commands: files, line counts, and a unified diff.",
      input: SessionFiles,
      effect: "reads",
      async run({ session_id: id, turn: turnId, from, to, by, max_diff_chars: most }) {
        const changes = await (await halyard()).changes(id, { turnId, from, to, by });
        const truncated = changes.truncated || changes.diff.length > most;
        return { session_id: id, ...changes, diff: changes.diff.slice(0, most), truncated };
      },
    }),
    defineTool("session_rewind", {
      description:
        "Restore the files of a session to an earlier state. The current files are recorded first: to undo the rewind, rewind to the returned `before`. The conversation does not change.",
      input: Restore,
      effect: "changes",
      run: async ({ session_id: id, to }) => ({
        session_id: id,
        ...(await (await halyard()).rewind(id, { to })),
      }),
    }),
  ];
}
