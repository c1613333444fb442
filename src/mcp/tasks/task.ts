import { z } from "zod";
import type { Halyard } from "../../contracts/halyard.ts";
import { HalyardError } from "../../errors/error.ts";
import { needsText, optionsOf, textForm } from "../../halyard/request-forms.ts";
import type { RequestEvent } from "../../schema/event.ts";
import { SessionId, TurnId } from "../../schema/id.ts";
import type { Outcome } from "../../schema/outcome.ts";
import { type TurnStatus, turnStatus } from "./turn-status.ts";

/** A turn of a session, as an MCP task. */
export interface TaskRef {
  readonly session_id: SessionId;
  readonly turn_id: TurnId;
  readonly createdAt: Date;
}

/**
 * Returns the id of a task. The id contains everything that identifies the turn. A task needs no state except the log,
 * so it survives a restart of the server.
 */
function taskIdOf({ session_id, turn_id, createdAt }: TaskRef): string {
  return `${session_id}.${turn_id}.${createdAt.getTime().toString(36)}`;
}

/** Parses the id of a task. Throws `not_found` if the id is malformed. */
export function parseTaskId(taskId: string): TaskRef {
  const [session, turn, time = "", ...more] = taskId.split(".");
  const parsed = z.tuple([SessionId, TurnId]).safeParse([session, turn]);
  const createdAt = new Date(Number.parseInt(time, 36));
  if (parsed.success && more.length === 0 && !Number.isNaN(createdAt.getTime()))
    return { session_id: parsed.data[0], turn_id: parsed.data[1], createdAt };
  throw new HalyardError(
    "not_found",
    `Task ${taskId} not found. Pass a task id that session_start returned.`,
  );
}

export interface TaskOptions {
  /** True if the client may answer the session's requests. */
  readonly answers: boolean;
}

/** Returns the response that creates a task. The task needs no separate record, because its turn is in the log. */
export function createdTask(ref: TaskRef) {
  const lastUpdatedAt = ref.createdAt.toISOString();
  const task = { ...fieldsOf(ref), status: "working", lastUpdatedAt };
  return { ...task, resultType: "task", content: [] };
}

function fieldsOf(ref: TaskRef) {
  const createdAt = ref.createdAt.toISOString();
  return { taskId: taskIdOf(ref), createdAt, ttlMs: null, pollIntervalMs: POLL_MS };
}

/**
 * Reads the current state of a task, with its result or its open requests. If the client may not answer requests, a task
 * with open requests is `working`.
 */
export async function readTask(halyard: Halyard, ref: TaskRef, { answers }: TaskOptions) {
  const status = await turnStatus(halyard, ref.session_id, ref.turn_id);
  const base = { ...fieldsOf(ref), lastUpdatedAt: status.info.updatedAt };
  switch (status.status) {
    case "working":
      return { ...base, status: "working" as const, statusMessage: await progressOf(halyard, ref) };
    case "input_required":
      return answers
        ? { ...base, status: "input_required" as const, inputRequests: forms(status.requests) }
        : { ...base, status: "working" as const, statusMessage: waitsForPerson(status.requests) };
    case "completed":
    case "failed": // a failed turn is still a result; a failed task would be a protocol error
      return { ...base, status: "completed" as const, result: toResult(ref, status.outcome) };
    case "cancelled":
      return { ...base, status: "cancelled" as const, statusMessage: status.outcome.stopReason };
  }
}

const POLL_MS = 500;

/** Returns the result of the tool call that created the task, after the end of its turn. */
function toResult({ session_id, turn_id }: TaskRef, outcome: Outcome) {
  const { status, text, stopReason, error } = outcome;
  const isError = status === "failed";
  return {
    resultType: "complete",
    content: [{ type: "text" as const, text: isError ? (error?.message ?? stopReason) : text }],
    structuredContent: { session_id, turn_id, ...endOf(outcome) },
    ...(isError && { isError }),
  };
}

/**
 * Describes the last tool call or message among the last 50 events, to report progress. Returns "working" if there is
 * none or the user sent it.
 */
export async function progressOf(
  halyard: Halyard,
  { session_id }: Pick<TaskRef, "session_id">,
): Promise<string> {
  const { events } = await halyard.window(session_id, { limit: 50 });
  const last = events.findLast(({ type }) => type === "tool_call" || type === "message");
  if (last?.type === "tool_call") return `uses ${last.name}`;
  return last?.type === "message" && last.role === "assistant"
    ? last.text.slice(0, MESSAGE_CHARACTERS)
    : "working";
}

const MESSAGE_CHARACTERS = 200;

function waitsForPerson(requests: readonly RequestEvent[]): string {
  return `waiting for an answer: run "halyard answer ${requests[0]?.requestId} ANSWER"`;
}

/** Returns the requests as forms for the client's user, by request id. */
function forms(requests: readonly RequestEvent[]) {
  return Object.fromEntries(
    requests.map((request) => [
      request.requestId,
      {
        method: "elicitation/create",
        params: {
          mode: "form",
          message: request.text,
          requestedSchema: needsText(request) ? textForm() : choiceForm(request),
        },
      },
    ]),
  );
}

function choiceForm(request: RequestEvent) {
  const oneOf = optionsOf(request).map(({ optionId, name }) => ({ const: optionId, title: name }));
  const decision = { type: "string", title: "Decision", oneOf };
  return { type: "object", properties: { decision }, required: ["decision"] };
}

/** Returns the status of a turn, for clients that call tools instead of following tasks. */
export function describeStatus(at: TurnStatus) {
  const { status, info, turnId } = at;
  const ids = { session_id: info.id, ...(turnId !== undefined && { turn_id: turnId }) };
  if ("requests" in at) return { ...ids, status, open_requests: at.requests };
  if ("outcome" in at) return { ...ids, ...endOf(at.outcome) };
  return { ...ids, status };
}

function endOf({ status, text, stopReason, usage, durationMs, error }: Outcome) {
  const measured = { usage, duration_ms: durationMs };
  return { status, text, stop_reason: stopReason, ...measured, ...(error && { error }) };
}
