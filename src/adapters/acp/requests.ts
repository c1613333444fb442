import { z } from "zod";
import type { RequestDraft } from "../../core/draft.ts";
import type { Answer, RequestOption } from "../../schema/permission.ts";
import { ToolCall } from "./messages.ts";
import type { Tool } from "./tools.ts";

const text = z.string().nullish().catch(undefined);

const PermissionOption = z.looseObject({
  optionId: z.string(),
  name: text,
  kind: z.string().catch(""),
});

/** A request for permission: of version 1 about a tool call, of version 2 about that or a command. */
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

/** The call that permission is asked for, where it is one. */
export function callIn({ toolCall, subject, title }: PermissionParams): ToolCall | undefined {
  const asked = toolCall ?? subject?.toolCall;
  if (asked) return asked;
  if (!subject?.command) return undefined;
  const { command, cwd, toolCallId } = subject;
  if (!toolCallId) return undefined;
  return { toolCallId, kind: "execute", title, rawInput: { command, ...(cwd && { cwd }) } };
}

export function permissionDraft(
  nativeId: string,
  params: PermissionParams,
  { tool, callId, paths = [] }: { tool: Tool; callId?: string; paths?: readonly string[] },
): RequestDraft {
  const title = params.title ?? params.toolCall?.title;
  const words = [title, params.description].filter(Boolean).join("\n");
  return {
    type: "request",
    nativeId,
    kind: "permission",
    text: words || `${tool.name} ${JSON.stringify(tool.input)}`,
    ...(callId !== undefined && { callId }),
    tool,
    ...(tool.kind === "edit" && paths.length > 0 && { paths }),
    options: params.options.filter(isOnce).map(toOption),
  };
}

/** The agent's own "always" is left out: it does not say what it covers. Halyard offers one that does. */
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

/** An answer in the words of ACP. It has none for a reason: those who look for one find it under `_meta`. */
export function permissionResult({ options }: PermissionParams, answer: Answer): unknown {
  const once = options.filter(isOnce);
  const isWanted = (option: z.infer<typeof PermissionOption>) =>
    toOption(option).decision === answer.decision;
  const chosen =
    once.find(({ optionId }) => optionId === answer.optionId) ??
    once.find(isWanted) ??
    // To refuse for good is no wider than to refuse; to allow for good is.
    options.find((option) => answer.decision === "deny" && isWanted(option));
  const _meta = answer.text === undefined ? {} : { _meta: { reason: answer.text } };
  if (chosen === undefined) return { outcome: { outcome: "cancelled" }, ..._meta };
  return { outcome: { outcome: "selected", optionId: chosen.optionId }, ..._meta };
}

/** What is said to every open request when its turn is cancelled. */
export const cancelledResult = { outcome: { outcome: "cancelled" } } as const;
