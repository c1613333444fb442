import { z } from "zod";
import type { RequestDraft } from "../../core/draft.ts";
import type { RequestOption } from "../../schema/permission.ts";
import { toolKind } from "./tools.ts";

/** The title under which our extension asks over RPC, with the call as JSON in the placeholder. */
export const PERMISSION_TITLE = "halyard: may this tool run?";

export const ToolCall = z.object({ callId: z.string(), name: z.string(), input: z.unknown() });
export type ToolCall = z.infer<typeof ToolCall>;

/** The request that stands for one call of a tool, whichever way Pi asks. */
export function permissionRequest(
  nativeId: string,
  { callId, name, input }: ToolCall,
): RequestDraft {
  return {
    type: "request",
    nativeId,
    kind: "permission",
    text: `${name} ${JSON.stringify(input)}`,
    callId,
    tool: { name, kind: toolKind(name), input },
    options: yesOrNo,
  };
}

export const yesOrNo: RequestOption[] = [
  { id: "allow", label: "Allow", decision: "allow" },
  { id: "deny", label: "Deny", decision: "deny" },
];
