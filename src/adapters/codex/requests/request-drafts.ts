import type { RequestDraft } from "../../../contracts/event-draft.ts";
import type { RequestOption } from "../../../schema/permission.ts";
import type { OpenCall } from "../events/open-calls.ts";
import { mcpToolName, toolOf } from "../events/tools.ts";
import {
  isToolApproval,
  questionId,
  type RequestOf,
  type ServerRequest,
} from "./server-requests.ts";

/** Maps a request to drafts. `calls` are the open tool calls, which contain more details than the request. */
export function requestDrafts(request: ServerRequest, calls: readonly OpenCall[]): RequestDraft[] {
  switch (request.method) {
    case "item/commandExecution/requestApproval": {
      const draft = permission(request, commandOf(request), decisions, callOf(request, calls));
      const command = unwrapCommand(request.params.command ?? "");
      return [command === undefined ? draft : { ...draft, command }];
    }
    case "item/fileChange/requestApproval": {
      const call = callOf(request, calls);
      const unknown = { name: "apply_patch", kind: "edit", input: {} } as const;
      return [permission(request, call ? toolOf(call.item) : unknown, decisions, call)];
    }
    case "item/permissions/requestApproval": {
      const { permissions: input } = request.params;
      return [
        permission(request, { name: "request_permissions", kind: "other", input }, approvalOptions),
      ];
    }
    case "item/tool/requestUserInput":
      return questions(request);
    case "mcpServer/elicitation/request":
      return [isToolApproval(request) ? toolApproval(request, calls) : elicitation(request)];
  }
}

type Tool = NonNullable<RequestDraft["tool"]>;

function permission(
  { id, params }: { id: string | number; params: { reason?: string | null | undefined } },
  tool: Tool,
  options: RequestOption[],
  call?: OpenCall,
): RequestDraft {
  return {
    type: "request",
    nativeId: String(id),
    kind: "permission",
    text: params.reason || `${tool.name} ${JSON.stringify(tool.input)}`,
    ...(call && { callId: call.callId }),
    tool,
    options,
  };
}

function commandOf({ params }: RequestOf<"item/commandExecution/requestApproval">): Tool {
  const { command, cwd, networkApprovalContext: network } = params;
  if (!command && network) return { name: "network", kind: "fetch", input: network };
  return {
    name: "shell",
    kind: "execute",
    input: { command: command ?? "", ...(cwd && { cwd }) },
  };
}

/** Returns the command inside Codex's shell call, or undefined if extracting it would require a shell parser. */
function unwrapCommand(command: string): string | undefined {
  const [, quoted, word] = /^\S*sh -l?c (?:'([^']*)'|([\w./-]+))$/.exec(command) ?? [];
  return quoted ?? word;
}

function callOf(
  { params }: { params: { threadId: string; itemId: string } },
  calls: readonly OpenCall[],
): OpenCall | undefined {
  return calls.find(
    ({ threadId, item }) => threadId === params.threadId && item.id === params.itemId,
  );
}

/**
 * Maps the permission request for an MCP tool. The request does not name the tool, so the server's last open call is
 * used.
 */
function toolApproval(
  request: RequestOf<"mcpServer/elicitation/request">,
  calls: readonly OpenCall[],
): RequestDraft {
  const { id, params } = request;
  const call = calls.findLast(
    ({ threadId, item }) =>
      threadId === params.threadId &&
      item.type === "mcpToolCall" &&
      item.server === params.serverName,
  );
  const input = params._meta?.tool_params;
  const unknown: Tool = { name: mcpToolName(params.serverName, "unknown"), kind: "other", input };
  const reason = { id, params: { reason: params.message } };
  return permission(reason, call ? toolOf(call.item) : unknown, decisions, call);
}

function elicitation({ id, params }: RequestOf<"mcpServer/elicitation/request">): RequestDraft {
  const { serverName, message, url } = params;
  const text = `${serverName}: ${message}${url ? ` ${url}` : ""}`;
  return {
    type: "request",
    nativeId: String(id),
    kind: "question",
    text,
    options: approvalOptions,
  };
}

function questions({ id, params }: RequestOf<"item/tool/requestUserInput">): RequestDraft[] {
  return params.questions.map((question) => ({
    type: "request",
    nativeId: questionId(id, question),
    kind: "question",
    text: question.question,
    options: (question.options ?? []).map(({ label, description }) => ({
      id: label,
      label: description ? `${label}: ${description}` : label,
      decision: "allow",
    })),
  }));
}

/**
 * The options in a permission request. Their ids are Codex's decisions. "For this session" is omitted, because its
 * scope is not defined.
 */
const decisions: RequestOption[] = [
  { id: "accept", label: "Allow", decision: "allow" },
  { id: "decline", label: "Deny", decision: "deny" },
  { id: "cancel", label: "Deny, and end the turn", decision: "deny" },
];

const approvalOptions: RequestOption[] = [
  { id: "accept", label: "Allow", decision: "allow" },
  { id: "decline", label: "Deny", decision: "deny" },
];
