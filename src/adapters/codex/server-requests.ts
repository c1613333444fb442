import { z } from "zod";

const text = z.string().nullish();
const ofItem = { threadId: z.string(), turnId: z.string(), itemId: z.string() };

const Question = z.looseObject({
  id: z.string(),
  question: z.string(),
  options: z.array(z.looseObject({ label: z.string(), description: text })).nullish(),
});
export type Question = z.infer<typeof Question>;

/** What `codex app-server` asks and waits for, as far as we know how to answer it. */
export const ServerRequest = z.discriminatedUnion("method", [
  ask("item/commandExecution/requestApproval", {
    ...ofItem,
    command: text,
    cwd: text,
    reason: text,
    networkApprovalContext: z.looseObject({}).nullish(),
  }),
  ask("item/fileChange/requestApproval", { ...ofItem, reason: text }),
  ask("item/permissions/requestApproval", {
    ...ofItem,
    reason: text,
    permissions: z.looseObject({}),
  }),
  ask("item/tool/requestUserInput", { ...ofItem, questions: z.array(Question).min(1) }),
  ask("mcpServer/elicitation/request", {
    threadId: z.string(),
    turnId: text,
    serverName: z.string(),
    message: z.string().default(""),
    url: text,
    requestedSchema: z.looseObject({ properties: z.looseObject({}).optional() }).nullish(),
    /** How Codex asks for permission to use a tool of an MCP server. */
    _meta: z
      .looseObject({ codex_approval_kind: text, tool_params: z.unknown().optional() })
      .nullish(),
  }),
]);
export type ServerRequest = z.infer<typeof ServerRequest>;

/** A request of one kind. */
export type Ask<T extends ServerRequest["method"]> = Extract<ServerRequest, { method: T }>;

/** Whether an MCP server's question is Codex's own: may this tool of that server run? */
export function isToolApproval({ params }: Ask<"mcpServer/elicitation/request">): boolean {
  return params._meta?.codex_approval_kind === "mcp_tool_call";
}

/** One request may hold several questions, each of which gets an answer of its own. */
export function questionId(requestId: string | number, question: Question): string {
  return `${requestId}/${question.id}`;
}

function ask<M extends string, S extends z.ZodRawShape>(method: M, params: S) {
  return z.looseObject({
    method: z.literal(method),
    id: z.union([z.string(), z.number()]),
    params: z.looseObject(params),
  });
}
