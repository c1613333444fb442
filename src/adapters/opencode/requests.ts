import type { RequestDraft, SettledDraft } from "../../core/draft.ts";
import type { Answer } from "../../schema/permission.ts";
import type { OpenCodeEvent, Permission, Question } from "./messages.ts";
import { type ToolParts, toolKind } from "./tools.ts";

/** An event by which OpenCode asks something. */
export type Asked = Extract<
  OpenCodeEvent,
  { type: "permission.asked" | "permission.updated" | "question.asked" }
>;

type OldPermission = Extract<Asked, { type: "permission.updated" }>["properties"];

export function toRequest(asked: Asked, tools: ToolParts): RequestDraft {
  switch (asked.type) {
    case "permission.asked":
      return permissionRequest(asked.properties, tools);
    case "permission.updated":
      return oldPermissionRequest(asked.properties, tools);
    case "question.asked":
      return questionRequest(asked.properties, tools);
  }
}

type Settled = Extract<
  OpenCodeEvent,
  { type: "permission.replied" | "question.replied" | "question.rejected" }
>;

/** A request has its answer: ours, or that of another one, with which OpenCode denies all that are open. */
export function toSettled({ type, properties }: Settled): SettledDraft[] {
  const { requestID, permissionID, response } = properties;
  const nativeId = requestID ?? permissionID;
  if (nativeId === undefined) return [];
  const reply = type === "permission.replied" ? (properties.reply ?? response) : undefined;
  const isDenied = type === "question.rejected" || reply === "reject";
  return [{ type: "settled", nativeId, decision: isDenied ? "deny" : "allow" }];
}

/** What a tool wants to do. Its own input is told in full where we have it, and by what OpenCode shows otherwise. */
function permissionRequest(asked: Permission, tools: ToolParts): RequestDraft {
  const { id: nativeId, permission, patterns = [], metadata = {} } = asked;
  const call = tools.find(asked.tool?.callID);
  const name = call?.name ?? permission;
  const input = call?.input ?? { ...metadata, patterns };
  const kind = kindOf(permission, name);
  const what = patterns.length === 0 ? "" : `: ${patterns.join(", ")}`;
  return {
    type: "request",
    nativeId,
    kind: "permission",
    text: `OpenCode asks for permission to use ${name}${what}`,
    ...ofCall(call?.callId ?? asked.tool?.callID),
    tool: { name, kind, input },
    options: [...permissionOptions],
  };
}

function ofCall(callId: string | undefined) {
  return callId === undefined ? {} : { callId };
}

/** The permission for something beside the tool itself, such as leaving the directory, counts for what the tool does. */
function kindOf(permission: string, name: string) {
  const kind = toolKind(name);
  return kind === "other" ? toolKind(permission) : kind;
}

/** `always` is not on offer: it would hold for every other session in the directory as well. */
const permissionOptions = [
  { id: "once", label: "Allow once", decision: "allow" },
  { id: "reject", label: "Deny", decision: "deny" },
] as const;

function oldPermissionRequest(asked: OldPermission, tools: ToolParts): RequestDraft {
  const { id, sessionID, type: permission, title, callID, metadata } = asked;
  const request = permissionRequest(
    { id, sessionID, permission, metadata, tool: { callID } },
    tools,
  );
  return title === undefined ? request : { ...request, text: title };
}

/** Several questions at once become one of ours: with options only where there is one to choose from. */
function questionRequest(asked: Question, tools: ToolParts): RequestDraft {
  const { id: nativeId, questions } = asked;
  const call = tools.find(asked.tool?.callID);
  const [only, ...others] = questions;
  const options = others.length === 0 && !only?.multiple ? (only?.options ?? []) : [];
  return {
    type: "request",
    nativeId,
    kind: "question",
    text: questions.map(questionText).join("\n\n"),
    ...ofCall(call?.callId ?? asked.tool?.callID),
    options: options.map(({ label }) => ({ id: label, label, decision: "allow" })),
  };
}

function questionText({ question, options = [] }: Question["questions"][number]): string {
  const choices = options.map(({ label, description }) =>
    description ? `- ${label}: ${description}` : `- ${label}`,
  );
  return [question, ...choices].join("\n");
}

/** Where an answer goes, and what it says. */
export interface Reply {
  readonly path: string;
  readonly body: unknown;
}

/** A denial always has a reason, for without one the turn would end instead of going on. */
export function permissionReply(id: string, { decision, text }: Answer): Reply {
  const path = `/permission/${encodeURIComponent(id)}/reply`;
  if (decision === "allow") return { path, body: { reply: "once" } };
  return { path, body: { reply: "reject", message: text || "The user denied this." } };
}

/** The answer to several questions is the same words to each. */
export function questionReply(
  id: string,
  { decision, optionId, text }: Answer,
  count: number,
): Reply {
  const path = `/question/${encodeURIComponent(id)}`;
  if (decision === "deny") return { path: `${path}/reject`, body: {} };
  const words = optionId ?? text ?? "";
  return { path: `${path}/reply`, body: { answers: Array.from({ length: count }, () => [words]) } };
}
