import type { Halyard } from "../../contracts/halyard.ts";
import { HalyardError } from "../../errors/error.ts";
import { findSession } from "../../halyard/find-session.ts";
import type { RequestEvent, StreamEvent } from "../../schema/event.ts";
import { openTurnOf } from "../../schema/session/open-turn.ts";
import { liveStates } from "../../schema/session/session-state.ts";
import type { SessionInfo } from "../../schema/session.ts";
import type { Until } from "../choices.ts";
import { type Console, openConsole } from "../console/console.ts";
import { openDaemon } from "../open-daemon.ts";
import { errorText } from "../output/errors.ts";
import { answerCommands } from "../permission-prompt/answer-commands.ts";
import { requestLines } from "../permission-prompt/request-lines.ts";
import { formatTime } from "../text/format.ts";
import { sessionResult } from "./last-outcome.ts";

export interface WaitOptions {
  readonly until: Until;
  readonly format: "text" | "json";
  /** The time limit, in seconds. */
  readonly timeout?: number;
}

/**
 * Waits until every session has reached the condition `until` or has ended. Returns the first exit code that is not 0,
 * in the order of `names`, otherwise 0. Rejects if the time limit expires.
 */
export async function wait(names: readonly string[], options: WaitOptions): Promise<number> {
  const console = openConsole();
  const { until, format, timeout } = options;
  await using halyard = await openDaemon(console, { hosts: true });
  const found: SessionInfo[] = [];
  for (const name of names) found.push(await findSession(halyard, name));
  const limit = timeout === undefined ? undefined : AbortSignal.timeout(timeout * 1000);
  const show = statePrinter(console);
  const waiting = { until, show, ...(limit && { signal: limit }) };
  const results = await Promise.allSettled(
    found.map(async ({ id }) => {
      const info = await waitFor(halyard, id, waiting);
      const line = format === "json" ? JSON.stringify(info) : describe(info);
      await console.out.write(`${line}\n`);
      if (until === "request") return 0;
      const { exitCode, error } = await sessionResult(halyard, info);
      if (error) await console.err.write(errorText(error, console.err.colors));
      return exitCode;
    }),
  );
  const codes = results.map((result) => {
    if (result.status === "rejected") throw result.reason;
    return result.value;
  });
  return codes.find((code) => code !== 0) ?? 0;
}

interface Waiting {
  readonly until: Until;
  readonly show: (info: SessionInfo) => Promise<void>;
  readonly signal?: AbortSignal;
}

async function waitFor(
  halyard: Halyard,
  id: SessionInfo["id"],
  { until, show, signal }: Waiting,
): Promise<SessionInfo> {
  let info = await requireSession(halyard, id);
  const isOver = endOf(until, info);
  const options = { after: info.lastSeq, ...(signal && { signal }) };
  if (!isOver(info)) {
    await show(info);
    for await (const event of halyard.events(id, options)) {
      if (!mayEndWait(event)) continue;
      info = await requireSession(halyard, id);
      if (isOver(info)) break;
      await show(info);
    }
  }
  info = await requireSession(halyard, id);
  if (signal?.aborted && !isOver(info))
    throw new HalyardError(
      "timed_out",
      `The time limit of the wait expired. Session ${id} is still ${info.state} and continues. Run "halyard attach ${id}" to watch it.`,
    );
  if (until === "request" && info.openRequests.length === 0)
    throw new HalyardError(
      "session_stopped",
      `Session ${id} ended without a request. Run "halyard events ${id}" to read its log.`,
    );
  return info;
}

async function requireSession(halyard: Halyard, id: SessionInfo["id"]): Promise<SessionInfo> {
  const info = await halyard.find(id);
  if (info) return info;
  throw new HalyardError(
    "session_not_found",
    `Session ${id} was removed. Run "halyard sessions" to list sessions.`,
  );
}

/**
 * Returns the condition that ends the wait. `done` refers to the turn that is running or first in the queue when the
 * wait begins. The end of the session always ends the wait.
 */
function endOf(until: Until, first: SessionInfo): (info: SessionInfo) => boolean {
  const isReached = ((): ((info: SessionInfo) => boolean) => {
    switch (until) {
      case "idle":
        return ({ state, queue }) => state === "idle" && queue.length === 0;
      case "done": {
        const awaited = openTurnOf(first)?.id;
        return ({ state, turn, queue }) =>
          awaited === undefined
            ? state === "idle"
            : turn?.id !== awaited && queue.every(({ id }) => id !== awaited);
      }
      case "request":
        return ({ openRequests }) => openRequests.length > 0;
      case "ended":
        return () => false;
    }
  })();
  return (info) => !liveStates.includes(info.state) || isReached(info);
}

function mayEndWait({ type }: StreamEvent): boolean {
  return type === "system" || type === "completion" || type === "request";
}

/** Returns a function that prints why a session waits: open requests, or a usage limit that has not reset. */
function statePrinter(console: Console): (info: SessionInfo) => Promise<void> {
  const showRequests = requestPrinter(console);
  const shown = new Set<string>();
  return async (info) => {
    await showRequests(info);
    const { id, name, waiting } = info;
    if (waiting?.until === undefined || shown.has(`${id} ${waiting.until}`)) return;
    shown.add(`${id} ${waiting.until}`);
    const until = formatTime(waiting.until);
    const line = `${name ?? id} waits for a usage limit to reset, and continues at ${until}`;
    await console.err.write(`${console.err.colors.dim(line)}\n`);
  };
}

/** Returns a function that prints each open request once, with the commands that answer it. */
function requestPrinter({ err }: Console): (info: SessionInfo) => Promise<void> {
  const shown = new Set<RequestEvent["requestId"]>();
  return async ({ id, name, openRequests }) => {
    for (const request of openRequests) {
      if (shown.has(request.requestId)) continue;
      shown.add(request.requestId);
      const lines = [
        err.colors.dim(`${name ?? id} is waiting for an answer:`),
        ...requestLines(request, err.colors),
        ...answerCommands(request).map((command) => err.colors.dim(`  ${command}`)),
      ];
      await err.write(`${lines.join("\n")}\n`);
    }
  };
}

function describe({ id, state, openRequests, waiting }: SessionInfo): string {
  const open = openRequests.map(({ requestId }) => requestId).join(" ");
  const until = waiting?.until === undefined ? "" : `until ${waiting.until}`;
  return [id, state, until, open].filter(Boolean).join(" ");
}
