import { z } from "zod";

const text = z.string().nullish();
const itemFields = { threadId: z.string(), turnId: z.string(), itemId: z.string() };

const Question = z.looseObject({
  id: z.string(),
  question: z.string(),
  options: z.array(z.looseObject({ label: z.string(), description: text })).nullish(),
});
export type Question = z.infer<typeof Question>;

/** The `codex app-server` requests that Halyard supports. */
export const ServerRequest = z.discriminatedUnion("method", [
  request("item/commandExecution/requestApproval", {
    ...itemFields,
    command: text,
    cwd: text,
    reason: text,
    networkApprovalContext: z.looseObject({}).nullish(),
  }),
  request("item/fileChange/requestApproval", { ...itemFields, reason: text }),
  request("item/permissions/requestApproval", {
    ...itemFields,
    reason: text,
    permissions: z.looseObject({}),
  }),
  request("item/tool/requestUserInput", { ...itemFields, questions: z.array(Question).min(1) }),
  request("mcpServer/elicitation/request", {
    threadId: z.string(),
    turnId: text,
    serverName: z.string(),
    message: z.string().default(""),
    url: text,
    requestedSchema: z.looseObject({ properties: z.looseObject({}).optional() }).nullish(),
    /** Set if Codex requests permission for an MCP tool. */
    _meta: z
      .looseObject({ codex_approval_kind: text, tool_params: z.unknown().optional() })
      .nullish(),
  }),
]);
export type ServerRequest = z.infer<typeof ServerRequest>;

/** The server request whose `method` is `T`. */
export type RequestOf<T extends ServerRequest["method"]> = Extract<ServerRequest, { method: T }>;

/** True if the elicitation is Codex's own permission request for an MCP tool. */
export function isToolApproval({ params }: RequestOf<"mcpServer/elicitation/request">): boolean {
  return params._meta?.codex_approval_kind === "mcp_tool_call";
}

/** Returns the native id of a question. A request may contain several questions, which are answered separately. */
export function questionId(requestId: string | number, question: Question): string {
  return `${requestId}/${question.id}`;
}

function request<M extends string, S extends z.ZodRawShape>(method: M, params: S) {
  return z.looseObject({
    method: z.literal(method),
    id: z.union([z.string(), z.number()]),
    params: z.looseObject(params),
  });
}
