import type { RequestDraft, SettledDraft } from "../../../contracts/event-draft.ts";
import type { Answer } from "../../../schema/permission.ts";
import type { OpenCodeEvent, Permission, Question } from "../messages.ts";
import { type ToolParts, toolKind } from "./tools.ts";

/** An event that requests a permission or an answer. */
export type NativeRequestEvent = Extract<
  OpenCodeEvent,
  { type: "permission.asked" | "permission.updated" | "question.asked" }
>;

type OldPermission = Extract<NativeRequestEvent, { type: "permission.updated" }>["properties"];

/** Maps a request event to a request draft. */
export function toRequest(asked: NativeRequestEvent, tools: ToolParts): RequestDraft {
  switch (asked.type) {
    case "permission.asked":
      return permissionRequest(asked.properties, tools);
    case "permission.updated":
      return oldPermissionRequest(asked.properties, tools);
    case "question.asked":
      return questionRequest(asked.properties, tools);
  }
}

type SettledEvent = Extract<
  OpenCodeEvent,
  { type: "permission.replied" | "question.replied" | "question.rejected" }
>;

/**
 * Maps the event for a settled request. When one request is denied, OpenCode also denies the session's other open
 * requests.
 */
export function toSettled({ type, properties }: SettledEvent): SettledDraft[] {
  const { requestID, permissionID, response } = properties;
  const nativeId = requestID ?? permissionID;
  if (nativeId === undefined) return [];
  const reply = type === "permission.replied" ? (properties.reply ?? response) : undefined;
  const isDenied = type === "question.rejected" || reply === "reject";
  return [{ type: "settled", nativeId, decision: isDenied ? "deny" : "allow" }];
}

/** Maps a permission request. The input is the tool call's input if it is known, otherwise OpenCode's summary. */
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

/**
 * Returns the tool's kind. If it is unknown, returns the permission's kind, such as `read` for access to another
 * directory.
 */
function kindOf(permission: string, name: string) {
  const kind = toolKind(name);
  return kind === "other" ? toolKind(permission) : kind;
}

/**
 * The options in a permission request. `always` is not offered, because it would apply to all sessions in the
 * directory.
 */
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

/** Maps questions to one request. The request has options only for a single question with a single choice. */
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

/** The route and body that answer a request. */
export interface Reply {
  readonly path: string;
  readonly body: unknown;
}

/**
 * Builds the reply to a permission request. A denial always contains a reason, because OpenCode ends the turn if there
 * is none.
 */
export function permissionReply(id: string, { decision, text }: Answer): Reply {
  const path = `/permission/${encodeURIComponent(id)}/reply`;
  if (decision === "allow") return { path, body: { reply: "once" } };
  return { path, body: { reply: "reject", message: text || "The user denied this." } };
}

/** Builds the reply to questions. Each question receives the same answer. */
export function questionReply(
  id: string,
  { decision, optionId, text }: Answer,
  count: number,
): Reply {
  const path = `/question/${encodeURIComponent(id)}`;
  if (decision === "deny") return { path: `${path}/reject`, body: {} };
  const reply = optionId ?? text ?? "";
  return { path: `${path}/reply`, body: { answers: Array.from({ length: count }, () => [reply]) } };
}
