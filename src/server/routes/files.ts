import { findSession } from "../../halyard/find-session.ts";
import {
  Changes,
  ChangesQuery,
  RewindRequest,
  Rewound,
} from "../../schema/workspace/checkpoint.ts";
import { type Route, route } from "../route.ts";
import { json, respond } from "./responses.ts";

/** Routes for the files of a session. */
export const fileRoutes: readonly Route[] = [
  route({
    method: "get",
    path: "/v1/sessions/{id}/changes",
    operationId: "getChanges",
    summary:
      "Returns the changed files of a session and their unified diff: of one turn, or between two checkpoints.",
    query: ChangesQuery,
    responses: { 200: json("The changes.", Changes) },
    errors: ["checkpoint_not_found", "workspace_failed"],
    async handle({ server: { halyard }, id, query }) {
      const found = await findSession(halyard, id);
      return respond(Changes, await halyard.changes(found.id, query));
    },
  }),
  route({
    method: "post",
    path: "/v1/sessions/{id}/rewind",
    operationId: "rewindFiles",
    summary:
      "Restores the files of a checkpoint, after a checkpoint of the present files. The conversation does not change.",
    body: RewindRequest,
    responses: { 200: json("The files are restored.", Rewound) },
    errors: ["checkpoint_not_found", "workspace_failed", "session_owned"],
    async handle({ server: { halyard }, id, body }) {
      const found = await findSession(halyard, id);
      return respond(Rewound, await halyard.rewind(found.id, body));
    },
  }),
];
