import { Lanes } from "../../async/lanes.ts";
import type { Halyard, Session } from "../../contracts/halyard.ts";
import { HalyardError, toErrorInfo } from "../../errors/error.ts";
import type { ErrorInfo } from "../../schema/error.ts";
import type { SessionId } from "../../schema/id.ts";
import type { OutcomeStatus, Usage } from "../../schema/outcome.ts";
import type { RuntimeName } from "../../schema/runtime.ts";
import type { SessionInfo } from "../../schema/session.ts";
import type { StartRequest } from "../../schema/start-request.ts";
import { ranked } from "./rank.ts";

/** The result of the check in the worktree of a session. */
export interface CheckResult {
  readonly passed: boolean;
  /** What the check printed, or why it did not finish. */
  readonly output: string;
}

/** One session of a race. */
export interface Racer {
  readonly runtime: RuntimeName;
  readonly state: "waiting" | "starting" | "running" | "checking" | "done";
  readonly sessionId?: SessionId;
  readonly branch?: string;
  /** How the turn ended. */
  readonly outcome?: OutcomeStatus;
  /** Why the session could not start, or why its turn failed. */
  readonly error?: ErrorInfo;
  /** Absent if the race has no check, or if the turn did not complete. */
  readonly check?: CheckResult;
  /** The size of the diff. */
  readonly changes?: {
    readonly files: number;
    readonly insertions: number;
    readonly deletions: number;
  };
  /** How long the turn took, in milliseconds. */
  readonly durationMs?: number;
  readonly usage?: Usage;
}

/** Options of `race`. */
export interface RaceOptions {
  /** The request of each session. It works in a worktree of its own, and no person answers its requests. */
  readonly request: StartRequest;
  /** Settings that depend on the runtime, such as its model. Defaults to none. */
  readonly requestFor?: ((runtime: RuntimeName) => Promise<Partial<StartRequest>>) | undefined;
  /** Judges the worktree of a session whose turn completed. Defaults to no check. */
  readonly check?: ((info: SessionInfo, signal?: AbortSignal) => Promise<CheckResult>) | undefined;
  /** How many sessions run at a time. Defaults to all. */
  readonly concurrency?: number | undefined;
  /** Called with all racers when one of them changes. */
  readonly onChange?: ((racers: readonly Racer[]) => void) | undefined;
  /** Cancels all turns. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Sends the same message to several runtimes, each in a git worktree of its own, and returns them ranked: by the check, then by
 * the size of the diff, then by cost. The sessions are stopped at the end and stay on record.
 */
export async function race(
  halyard: Halyard,
  runtimes: readonly RuntimeName[],
  prompt: string,
  options: RaceOptions,
): Promise<Racer[]> {
  const { onChange, concurrency = runtimes.length } = options;
  if (runtimes.length === 0)
    throw new HalyardError("invalid_input", "A race needs at least one runtime.");
  const racers = runtimes.map((runtime): Racer => ({ runtime, state: "waiting" }));
  const lanes = new Lanes({ limit: Math.max(1, concurrency) });
  const run = (runtime: RuntimeName, index: number) => {
    const update = (change: Partial<Racer>) => {
      const before = racers[index];
      if (before) racers[index] = { ...before, ...change };
      onChange?.([...racers]);
    };
    return lanes.run(String(index), () => runOne(halyard, runtime, prompt, { ...options, update }));
  };
  await Promise.all(runtimes.map(run));
  return ranked(racers);
}

type RunOptions = RaceOptions & { readonly update: (change: Partial<Racer>) => void };

async function runOne(
  halyard: Halyard,
  runtime: RuntimeName,
  prompt: string,
  options: RunOptions,
): Promise<void> {
  const { request, requestFor, update, signal } = options;
  let session: Session | undefined;
  try {
    if (signal?.aborted) throw new HalyardError("cancelled", "The race was cancelled.");
    update({ state: "starting" });
    session = await halyard.start({
      attended: false,
      worktree: true,
      ...request,
      ...(await requestFor?.(runtime)),
      runtime,
    });
    const { id, info } = session;
    const { branch } = info.worktree ?? {};
    update({ state: "running", sessionId: id, ...(branch !== undefined && { branch }) });
    await finish(halyard, session, prompt, options);
  } catch (error) {
    update({ error: toErrorInfo(error) });
  } finally {
    await session?.stop("the race has ended").catch(() => {}); // the session has ended with an error already
    update({ state: "done" });
  }
}

async function finish(
  halyard: Halyard,
  session: Session,
  prompt: string,
  { check, update, signal }: RunOptions,
): Promise<void> {
  const turn = session.send(prompt, { ...(signal && { signal }) });
  const { status, durationMs, usage, error } = await turn.outcome;
  update({ outcome: status, durationMs, usage, ...(error && { error }) });
  const { files, insertions, deletions } = await halyard.changes(session.id);
  update({ changes: { files: files.length, insertions, deletions } });
  if (!check || status !== "completed" || signal?.aborted) return;
  update({ state: "checking" });
  update({ check: await check(session.info, signal) });
}
