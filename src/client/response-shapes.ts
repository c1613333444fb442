import type { EventWindow } from "../contracts/read-log.ts";
import { listInWords } from "../errors/list-in-words.ts";
import { sessionStates } from "../schema/constants.ts";
import type { SlashCommand } from "../schema/conversation/slash-command.ts";
import type { HealthReport, OpenedSession, SentTurn } from "../schema/http/http.ts";
import type { Explanation } from "../schema/page/explanation.ts";
import type { SessionScreen } from "../schema/page/screen.ts";
import type { ModelInfo } from "../schema/runtimes/model-info.ts";
import type { NativeSession } from "../schema/runtimes/native-session.ts";
import type { RuntimeInfo, RuntimeReport } from "../schema/runtimes/runtime-info.ts";
import type { SearchResult } from "../schema/search.ts";
import type { ProcessInfo } from "../schema/session/process.ts";
import type { PruneResult } from "../schema/session/retention.ts";
import type { SessionInfo } from "../schema/session.ts";
import type { UsageReport } from "../schema/usage/usage-report.ts";
import type { AccountLimits } from "../schema/usage-limit.ts";
import type { Changes, Rewound } from "../schema/workspace/checkpoint.ts";
import type { RaceInfo } from "../schema/workspace/race.ts";
import type { Adopted, PrunedWorktree, WorktreeInfo } from "../schema/workspace/worktree.ts";
import { isRecord } from "../wire/is-record.ts";
import { type Check, Mismatch, type Shape } from "./read-response.ts";

// The server's types guarantee valid responses. The client checks only the fields that it reads. It does not use zod, which
// would be three quarters of the size of the browser bundle.

const text: Check = (value, path) => expect(typeof value === "string", path, "a string");
const count: Check = (value, path) => expect(Number.isInteger(value), path, "an integer");
const anything: Check = () => {};

const turn = record({ id: id("trn_"), seq: count });

const session = {
  id: id("ses_"),
  runtime: text,
  host: text,
  cwd: text,
  state: oneOf(sessionStates),
  lastSeq: count,
  turn: optional(turn),
  queue: list(turn),
  turns: count,
  usage: record({}),
  openRequests: list(record({ requestId: id("req_") })),
};

export const healthShape: Shape<HealthReport> = {
  check: record({ status: oneOf(["ok"]), pid: optional(count) }),
};

export const sessionShape: Shape<SessionInfo> = { check: record(session) };

export const openedSessionShape: Shape<OpenedSession> = {
  check: record({
    ...session,
    opened: oneOf(["started", "resumed", "attached"]),
    openedAfter: count,
  }),
};

export const sessionListShape: Shape<{ readonly sessions: SessionInfo[] }> = {
  check: record({ sessions: list(record(session)) }),
};

export const sentTurnShape: Shape<SentTurn> = {
  check: record({
    id: id("trn_"),
    sessionId: id("ses_"),
    receipt: record({ status: text }),
    outcome: optional(record({ status: text, text })),
  }),
};

const runtime = {
  name: text,
  displayName: text,
  capabilities: list(text),
  availability: record({}),
};

export const runtimeListShape: Shape<{ readonly runtimes: RuntimeInfo[] }> = {
  check: record({ runtimes: list(record(runtime)) }),
};

export const runtimeReportShape: Shape<RuntimeReport> = {
  check: record({ ...runtime, signedIn: text, usable: anything, advice: list(text) }),
};

export const modelListShape: Shape<{ readonly models: ModelInfo[] }> = {
  check: record({ models: list(record({ id: text })) }),
};

export const nativeSessionListShape: Shape<{ readonly sessions: NativeSession[] }> = {
  check: record({ sessions: list(record({ id: text })) }),
};

export const commandListShape: Shape<{ readonly commands: SlashCommand[] }> = {
  check: record({ commands: list(record({ name: text })) }),
};

const counts = { files: anything, insertions: count, deletions: count };

export const changesShape: Shape<Changes> = {
  check: record({
    ...counts,
    root: text,
    from: text,
    to: text,
    files: list(record({ path: text, status: text, insertions: count, deletions: count })),
    diff: text,
  }),
};

export const rewoundShape: Shape<Rewound> = {
  check: record({ ...counts, to: text, before: text, commit: text, kept: list(text) }),
};

export const processListShape: Shape<{ readonly processes: ProcessInfo[] }> = {
  check: record({ processes: list(record({ pid: count, host: text, command: text })) }),
};

const worktree = { path: text, branch: text, sessionId: id("ses_"), state: text };

export const worktreeListShape: Shape<{ readonly worktrees: WorktreeInfo[] }> = {
  check: record({ worktrees: list(record(worktree)) }),
};

export const prunedListShape: Shape<{ readonly worktrees: PrunedWorktree[] }> = {
  check: record({ worktrees: list(record({ ...worktree, removed: anything })) }),
};

export const adoptedShape: Shape<Adopted> = {
  check: record({ sessionId: id("ses_"), root: text, files: count }),
};

export const raceShape: Shape<RaceInfo> = {
  check: record({
    id: id("rac_"),
    state: text,
    revision: count,
    racers: list(record({ runtime: text, state: text })),
  }),
};

export const eventWindowShape: Shape<EventWindow> = {
  check: record({ events: list(record({ seq: count, type: text })), first: count, last: count }),
};

const total = { inputTokens: count, outputTokens: count, turns: count, sessions: count };

export const usageReportShape: Shape<UsageReport> = {
  check: record({
    total: record(total),
    days: list(record({ ...total, day: text })),
    runtimes: list(record({ ...total, runtime: text })),
    projects: list(record({ ...total, project: text })),
    models: list(record({ ...total, model: text })),
  }),
};

export const screenShape: Shape<SessionScreen> = {
  check: record({
    lines: list(text),
    title: text,
    cursor: record({ row: count, column: count }),
    viewCommand: list(text),
  }),
};

export const explanationShape: Shape<Explanation> = {
  check: record({
    settings: list(record({ setting: text, value: text, by: text })),
    steps: list(record({ source: text, reason: text })),
    warnings: list(text),
    trusted: anything,
  }),
};

export const accountListShape: Shape<{ readonly accounts: AccountLimits[] }> = {
  check: record({
    accounts: list(
      record({ runtime: text, status: text, windows: list(record({ window: text })) }),
    ),
  }),
};

export const positionShape: Shape<{ readonly position: number }> = {
  check: record({ position: count }),
};

export const pruneResultShape: Shape<PruneResult> = {
  check: record({
    removed: list(record({ id: id("ses_") })),
    freedBytes: count,
    problems: list(text),
    hasMore: anything,
  }),
};

export const searchResultShape: Shape<SearchResult> = {
  check: record({
    hits: list(
      record({
        sessionId: id("ses_"),
        position: count,
        seq: count,
        snippet: text,
        marks: anything,
      }),
    ),
    pending: count,
  }),
};

function expect(isTrue: boolean, path: readonly PropertyKey[], expected: string): asserts isTrue {
  if (!isTrue) throw new Mismatch(path, expected);
}

function record(fields: Readonly<Record<string, Check>>): Check {
  const checks = Object.entries(fields);
  return (value, path) => {
    expect(isRecord(value), path, "an object");
    for (const [name, check] of checks) check(value[name], [...path, name]);
  };
}

function list(check: Check): Check {
  return (value, path) => {
    expect(Array.isArray(value), path, "a list");
    for (const [index, item] of value.entries()) check(item, [...path, index]);
  };
}

function optional(check: Check): Check {
  return (value, path) => {
    if (value !== undefined) check(value, path);
  };
}

function oneOf(values: readonly string[]): Check {
  return (value, path) => {
    if (typeof value === "string" && values.includes(value)) return;
    throw new Mismatch(path, listInWords(values, "or"));
  };
}

function id(prefix: string): Check {
  return (value, path) =>
    expect(
      typeof value === "string" && value.startsWith(prefix),
      path,
      `an id that starts with ${prefix}`,
    );
}
