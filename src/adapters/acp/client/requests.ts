import { z } from "zod";
import type { RequestDraft } from "../../../contracts/event-draft.ts";
import type { Answer, RequestOption } from "../../../schema/permission.ts";
import type { Tool } from "../events/tools.ts";
import { ToolCall } from "../messages.ts";

const text = z.string().nullish().catch(undefined);

const PermissionOption = z.looseObject({
  optionId: z.string(),
  name: text,
  kind: z.string().catch(""),
});

/** Parameters of a permission request for a tool call or, in version 2, for a command. */
export const PermissionParams = z.looseObject({
  sessionId: z.string(),
  options: z.array(PermissionOption),
  toolCall: ToolCall.nullish(),
  title: text,
  description: text,
  subject: z
    .looseObject({
      toolCall: ToolCall.nullish(),
      command: z.string().nullish(),
      cwd: text,
      toolCallId: text,
    })
    .nullish(),
});
export type PermissionParams = z.infer<typeof PermissionParams>;

/** Returns the tool call of a permission request, or undefined if the request names no tool call. */
export function callIn({ toolCall, subject, title }: PermissionParams): ToolCall | undefined {
  const asked = toolCall ?? subject?.toolCall;
  if (asked) return asked;
  if (!subject?.command) return undefined;
  const { command, cwd, toolCallId } = subject;
  if (!toolCallId) return undefined;
  return { toolCallId, kind: "execute", title, rawInput: { command, ...(cwd && { cwd }) } };
}

/** Builds the draft for a permission request. */
export function permissionDraft(
  nativeId: string,
  params: PermissionParams,
  { tool, callId, paths = [] }: { tool: Tool; callId?: string; paths?: readonly string[] },
): RequestDraft {
  const title = params.title ?? params.toolCall?.title;
  const text = [title, params.description].filter(Boolean).join("\n");
  return {
    type: "request",
    nativeId,
    kind: "permission",
    text: text || `${tool.name} ${JSON.stringify(tool.input)}`,
    ...(callId !== undefined && { callId }),
    tool,
    ...(tool.kind === "edit" && paths.length > 0 && { paths }),
    options: params.options.filter(isOnce).map(toOption),
  };
}

/** False for the agent's "always" options, because their scope is unknown. Halyard offers its own option instead. */
function isOnce({ kind }: z.infer<typeof PermissionOption>): boolean {
  return !kind.endsWith("_always");
}

function toOption({ optionId, name, kind }: z.infer<typeof PermissionOption>): RequestOption {
  return {
    id: optionId,
    label: name ?? optionId,
    decision: kind.startsWith("allow") ? "allow" : "deny",
  };
}

/**
 * Converts an answer to an ACP result. The outcome is `cancelled` if the agent offers no option for the answer. The
 * result contains the reason in `_meta`, because ACP has no field for it.
 */
export function permissionResult({ options }: PermissionParams, answer: Answer): unknown {
  const once = options.filter(isOnce);
  const isWanted = (option: z.infer<typeof PermissionOption>) =>
    toOption(option).decision === answer.decision;
  const chosen =
    once.find(({ optionId }) => optionId === answer.optionId) ??
    once.find(isWanted) ??
    // "Always deny" is acceptable for a denial, but "always allow" would grant more than the answer.
    options.find((option) => answer.decision === "deny" && isWanted(option));
  const _meta = answer.text === undefined ? {} : { _meta: { reason: answer.text } };
  if (chosen === undefined) return { outcome: { outcome: "cancelled" }, ..._meta };
  return { outcome: { outcome: "selected", optionId: chosen.optionId }, ..._meta };
}

/** The result of a permission request that was cancelled. */
export const cancelledResult = { outcome: { outcome: "cancelled" } } as const;
