import { z } from "zod";
import { SessionId } from "../id.ts";
import { ModelEndpoint, ReasoningLevel } from "../model.ts";
import { PermissionPolicy } from "../permission.ts";
import { Labels } from "../session/start-request.ts";
import { WorktreeRequest } from "../workspace/worktree.ts";

/** Settings of a fork. They default to the settings of the original session, except for `id`, `name` and `worktree`. */
export const ForkOptions = z.strictObject({
  /** The id of the new session. Defaults to a new id. */
  id: SessionId.exactOptional(),
  /** A display name. Defaults to none. */
  name: z.string().min(1).exactOptional(),
  /** Labels for queries. */
  labels: Labels.exactOptional(),
  /** The working directory of the agent. */
  cwd: z.string().min(1).exactOptional(),
  /** True, or a branch, for a separate git worktree. Defaults to the directory of the original session. */
  worktree: z.union([z.boolean(), WorktreeRequest]).exactOptional(),
  /** Decides what the agent may do without a user's approval. */
  permissions: PermissionPolicy.exactOptional(),
  /** True for a session that reads and plans but changes nothing. */
  plan: z.boolean().exactOptional(),
  /** The name of a model, or a model with the endpoint that serves it. */
  model: z.union([z.string().min(1), ModelEndpoint]).exactOptional(),
  /** How much the model reasons before it answers. */
  reasoning: ReasoningLevel.exactOptional(),
  /** Runtime options, in addition to those of the original session. */
  options: z.record(z.string(), z.unknown()).exactOptional(),
});
export type ForkOptions = z.infer<typeof ForkOptions>;
