import { readErrorInfo } from "../errors/error.ts";
import { endedStates, inputWays, sessionStates, UNLIMITED } from "../schema/constants.ts";
import type { EventBody, RequestEvent, ResponseEvent, SystemEvent } from "../schema/event.ts";
import type { TurnId } from "../schema/id.ts";
import type { Outcome, Usage } from "../schema/outcome.ts";
import type { PermissionRule } from "../schema/permission.ts";
import type { SessionChanges } from "../schema/session/session-changes.ts";
import type { SessionState } from "../schema/session/session-state.ts";
import type { HandoffTarget, SessionInfo } from "../schema/session.ts";
import { addTurnUsage, addUsage } from "../schema/usage/usage.ts";
import type { UsageLimit, Waiting } from "../schema/usage-limit.ts";
import { isRecord } from "../wire/is-record.ts";

/** True if the session has ended. Only a resume can continue it. */
export function hasEnded(info: SessionInfo): boolean {
  return endedStates.includes(info.state);
}

/** Returns the session's state after these events. */
export function project(
  info: SessionInfo,
  events: readonly EventBody[],
  { at, turnId }: { at: string; turnId: TurnId | undefined },
): SessionInfo {
  let next = { ...info, updatedAt: at };
  for (const event of events) {
    next.lastSeq++;
    switch (event.type) {
      case "system":
        next = afterSystem(next, event, { at, turnId });
        break;
      case "request":
        if (event.verdict === "ask") next = afterRequest(next, event);
        break;
      case "response":
        next = afterResponse(next, event);
        break;
      case "completion": {
        const { turn, waiting, turnUsage, ...rest } = next;
        const isCurrent = turn?.id === turnId;
        const current =
          turn && !isCurrent
            ? { turn, ...(waiting && { waiting }), ...(turnUsage && { turnUsage }) }
            : {};
        const queue = next.queue.filter(({ id }) => id !== turnId);
        const usage = addUsage(next.usage, event.outcome.usage);
        const usageByDay = addTurn(next.usageByDay, event.outcome, at);
        const state = isCurrent ? "idle" : next.state;
        const lastOutcome = event.outcome.status;
        const turns = next.turns + 1;
        next = { ...rest, ...current, queue, usage, usageByDay, state, turns, lastOutcome };
        const { handoff } = event.outcome.metadata ?? {};
        if (handoff !== undefined) next.pendingHandoff = handoff as HandoffTarget; // validated before it was written
        if (next.checkpoint && turnId && isCurrent)
          next.checkpoint = { ...next.checkpoint, missingTurnId: turnId };
        break;
      }
      case "delta":
      case "message":
      case "tool_call":
      case "tool_result":
      case "error":
        break;
    }
  }
  return next;
}

/** Adds a turn to the usage of the day on which it ended. */
function addTurn(
  days: SessionInfo["usageByDay"],
  { usage, durationMs }: Outcome,
  at: string,
): SessionInfo["usageByDay"] {
  const day = at.slice(0, "2026-11-17".length);
  return { ...days, [day]: addTurnUsage(days?.[day], { ...usage, turns: 1, durationMs }) };
}

function afterSystem(
  info: SessionInfo,
  { subtype, text, data = {} }: SystemEvent,
  { at, turnId }: { at: string; turnId: TurnId | undefined },
): SessionInfo {
  const next = { ...info };
  if (data.handoff !== undefined || subtype === "turn_started") delete next.pendingHandoff;
  if (turnId !== undefined && text !== undefined) next.about ??= firstLine(text);
  if (typeof data.runtimeSessionId === "string") next.runtimeSessionId = data.runtimeSessionId;
  if (typeof data.resumable === "boolean") next.resumable = data.resumable;
  switch (subtype) {
    case "session_started": {
      const { reason, error, ...fresh } = next;
      if (data.opened !== undefined) delete fresh.pid; // the recorded pid belongs to an earlier process
      if (typeof data.pid === "number") fresh.pid = data.pid;
      const input = inputWays.find((way) => way === data.input);
      if (input) fresh.input = input;
      return { ...fresh, state: "starting" };
    }
    case "session_ready":
      return { ...next, readyAt: at, state: readyState(next) };
    case "turn_queued":
      if (turnId) next.queue = [...next.queue, { id: turnId, seq: next.lastSeq }];
      return next;
    case "turn_started": {
      const queue = next.queue.filter(({ id }) => id !== turnId);
      return {
        ...next,
        queue,
        state: "running",
        ...(turnId && { turn: { id: turnId, seq: next.lastSeq } }),
      };
    }
    case "turn_waiting":
      return { ...next, state: "waiting", waiting: readWaiting(data) };
    case "turn_continued": {
      const { waiting: _, ...running } = next;
      return { ...running, state: "running" };
    }
    case "usage":
      if (!isRecord(data.usage) || turnId === undefined) return next;
      return { ...next, turnUsage: data.usage as Usage }; // validated before it was written
    case "limit":
      return { ...next, limit: { ...(data as UsageLimit), reportedAt: at } }; // validated before it was written
    case "session_changed":
      return afterChange(next, data as SessionChanges); // validated before it was written
    case "checkpoint":
    case "rewound":
      if (typeof data.commit === "string") next.checkpoint = { commit: data.commit };
      return next;
    case "session_detached":
      return { ...next, state: "detached" };
    case "session_stopped": {
      const error = readErrorInfo(data.error);
      const state = sessionStates.find((one) => one === data.state) ?? "stopped";
      const { pid: _, waiting: __, turnUsage: ___, ...over } = next;
      return {
        ...over,
        state,
        openRequests: [],
        ...(text && { reason: text }),
        ...(error && { error }),
      };
    }
    default:
      return next;
  }
}

/** Reads the `Waiting` of a paused turn. The event also contains the turn's usage so far. */
function readWaiting({ usage: _, ...data }: Record<string, unknown>): Waiting {
  return data as Waiting; // validated before it was written
}

function readyState({ turn, openRequests, waiting }: SessionInfo): SessionState {
  if (!turn) return "idle";
  return openRequests.length > 0 || waiting ? "waiting" : "running";
}

function firstLine(text: string): string {
  const [line = ""] = text.trim().split("\n", 1);
  return line.slice(0, ABOUT_LENGTH);
}

/** The maximum length of `about` in characters, which is enough to distinguish sessions in a list. */
const ABOUT_LENGTH = 120;

function afterChange(info: SessionInfo, changes: SessionChanges): SessionInfo {
  const { model: id, revoke = [], ...others } = changes;
  const next = { ...info, ...others, ...(id !== undefined && { model: { ...info.model, id } }) };
  const rules = info.rules?.filter((rule) => !revoke.includes(rule.id)) ?? [];
  return withRules(next, rules);
}

function withRules(
  { rules: _, ...info }: SessionInfo,
  rules: readonly PermissionRule[],
): SessionInfo {
  return { ...info, ...(rules.length > 0 && { rules: [...rules] }) };
}

/** Returns the budget extensions after an answer, or undefined if the answer does not extend a budget. */
function extensionsAfter(
  { openRequests, budgetExtensions = [] }: SessionInfo,
  { requestId, decision, optionId }: ResponseEvent,
): Pick<SessionInfo, "budgetExtensions"> | undefined {
  const { budget } = openRequests.find((request) => request.requestId === requestId) ?? {};
  if (!budget || decision !== "allow") return undefined;
  const { scope, unit, extendBy, day } = budget;
  const extension = {
    scope,
    unit,
    ...(optionId !== UNLIMITED && { amount: extendBy }),
    ...(day !== undefined && { day }),
  };
  return { budgetExtensions: [...budgetExtensions, extension] };
}

function afterRequest(info: SessionInfo, request: RequestEvent): SessionInfo {
  return { ...info, state: "waiting", openRequests: [...info.openRequests, request] };
}

function afterResponse(info: SessionInfo, response: ResponseEvent): SessionInfo {
  const { requestId, by, rule } = response;
  const openRequests = info.openRequests.filter((request) => request.requestId !== requestId);
  const isOver = info.state === "waiting" && openRequests.length === 0 && !info.waiting;
  const state = isOver ? "running" : info.state;
  const next = { ...info, openRequests, state, ...extensionsAfter(info, response) };
  return by === "user" && rule ? withRules(next, [...(info.rules ?? []), rule]) : next;
}
