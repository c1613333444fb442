import { z } from "zod";
import type { RequestDraft } from "../../contracts/event-draft.ts";
import type { RequestOption } from "../../schema/permission.ts";
import { toolKind } from "./events/tools.ts";

/**
 * The title of the permission dialog that Halyard's extension opens. The dialog's placeholder contains the tool call as
 * JSON.
 */
export const PERMISSION_TITLE = "halyard: may this tool run?";

/** A tool call that requires permission. */
export const ToolCall = z.object({ callId: z.string(), name: z.string(), input: z.unknown() });
export type ToolCall = z.infer<typeof ToolCall>;

/** Returns the permission request for a tool call. */
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
    options: permissionOptions,
  };
}

/** The options in a permission request. */
export const permissionOptions: RequestOption[] = [
  { id: "allow", label: "Allow", decision: "allow" },
  { id: "deny", label: "Deny", decision: "deny" },
];
