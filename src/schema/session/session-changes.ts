import { z } from "zod";
import { ReasoningLevel } from "../model.ts";
import { PermissionPolicy } from "../permission.ts";
import { SessionName } from "./session-name.ts";
import { Labels } from "./start-request.ts";

/**
 * Changes to a session. The runtime of a live session must support all changes except `name`, `labels` and `revoke`.
 */
export const SessionChanges = z.strictObject({
  /** A new name. */
  name: SessionName.exactOptional(),
  /** New labels, which replace the old ones. */
  labels: Labels.exactOptional(),
  /** Another model at the same endpoint. */
  model: z.string().min(1).exactOptional(),
  /** How much the model reasons before it answers. */
  reasoning: ReasoningLevel.exactOptional(),
  /** A new policy. */
  permissions: PermissionPolicy.exactOptional(),
  /** True for a session that reads and plans but changes nothing. */
  plan: z.boolean().exactOptional(),
  /** The ids of rules to remove. */
  revoke: z.array(z.string().min(1)).exactOptional(),
});
export type SessionChanges = z.infer<typeof SessionChanges>;
