import { findSession } from "../../halyard/find-session.ts";
import { AdoptBody, PrunedList, WorktreeList } from "../../schema/http/http.ts";
import { Adopted, PruneRequest } from "../../schema/workspace/worktree.ts";
import { type Route, route } from "../route.ts";
import { json, respond } from "./responses.ts";

/** Routes for the git worktrees of sessions. */
export const worktreeRoutes: readonly Route[] = [
  route({
    method: "get",
    path: "/v1/worktrees",
    operationId: "listWorktrees",
    summary: "Lists the git worktrees that were created for sessions, newest first.",
    responses: { 200: json("The worktrees.", WorktreeList) },
    handle: async ({ server: { halyard } }) =>
      respond(WorktreeList, { worktrees: await halyard.worktrees() }),
  }),
  route({
    method: "post",
    path: "/v1/worktrees/prune",
    operationId: "pruneWorktrees",
    summary:
      "Removes worktrees without unmerged work. With `park`, also removes worktrees with work, after committing the changes to their branches. Never removes a worktree with a live session.",
    body: PruneRequest,
    responses: { 200: json("All worktrees, and which of them were removed.", PrunedList) },
    handle: async ({ server: { halyard }, body }) =>
      respond(PrunedList, { worktrees: await halyard.pruneWorktrees(body) }),
  }),
  route({
    method: "post",
    path: "/v1/sessions/{id}/adopt",
    operationId: "adoptChanges",
    summary:
      "Applies the changes in a session's worktree to another working tree of the repository, as a patch or as a merge.",
    body: AdoptBody,
    responses: { 200: json("The changes.", Adopted) },
    errors: ["conflict", "unsupported"],
    async handle({ server: { halyard }, id, body }) {
      const found = await findSession(halyard, id);
      return respond(Adopted, await halyard.adopt(found.id, body));
    },
  }),
];
