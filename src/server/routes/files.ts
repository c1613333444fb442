import { findSession } from "../../halyard/find-session.ts";
import { SessionScreen } from "../../schema/page/screen.ts";
import {
  Changes,
  ChangesQuery,
  RewindRequest,
  Rewound,
} from "../../schema/workspace/checkpoint.ts";
import { type Route, route } from "../route.ts";
import { json, respond } from "./responses.ts";

/** Routes for the files and the screen of a session. */
export const fileRoutes: readonly Route[] = [
  route({
    method: "get",
    path: "/v1/sessions/{id}/changes",
    operationId: "getChanges",
    summary:
      "Returns the files that a session changed, and their unified diff: for one turn, or between two checkpoints.",
    query: ChangesQuery,
    isShared: true,
    responses: { 200: json("The changes.", Changes) },
    errors: ["checkpoint_not_found", "workspace_failed"],
    async handle({ server: { halyard }, id, query }) {
      const found = await findSession(halyard, id);
      return respond(Changes, await halyard.changes(found.id, query));
    },
  }),
  route({
    method: "get",
    path: "/v1/sessions/{id}/screen",
    operationId: "getScreen",
    summary:
      "Returns the screen of a session whose runtime runs in tmux. It contains colors, but no API keys.",
    responses: { 200: json("The screen.", SessionScreen) },
    errors: ["unsupported", "session_stopped", "agent_exited"],
    async handle({ server: { halyard }, id }) {
      const found = await findSession(halyard, id);
      return respond(SessionScreen, await halyard.screen(found.id));
    },
  }),
  route({
    method: "post",
    path: "/v1/sessions/{id}/rewind",
    operationId: "rewindFiles",
    summary:
      "Records the current files in a checkpoint, then restores an earlier checkpoint. The conversation does not change.",
    body: RewindRequest,
    responses: { 200: json("The files are restored.", Rewound) },
    errors: ["checkpoint_not_found", "workspace_failed", "session_owned"],
    async handle({ server: { halyard }, id, body }) {
      const found = await findSession(halyard, id);
      return respond(Rewound, await halyard.rewind(found.id, body));
    },
  }),
];
