import { z } from "zod";
import { ReasoningLevel } from "./model.ts";
import { PermissionPolicy } from "./permission.ts";
import { Labels } from "./start-request.ts";

/** What can be changed of a session; all but its name, labels and rules while it runs, where its runtime can. */
export const SessionChanges = z.strictObject({
  name: z.string().min(1).exactOptional(),
  labels: Labels.exactOptional(),
  /** Another model of the endpoint it has. */
  model: z.string().min(1).exactOptional(),
  reasoning: ReasoningLevel.exactOptional(),
  permissions: PermissionPolicy.exactOptional(),
  plan: z.boolean().exactOptional(),
  /** The ids of rules that no longer apply. */
  revoke: z.array(z.string().min(1)).exactOptional(),
});
export type SessionChanges = z.infer<typeof SessionChanges>;
