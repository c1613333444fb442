import { Lanes } from "../../async/lanes.ts";
import type { Halyard, Session } from "../../contracts/halyard.ts";
import { HalyardError, toErrorInfo } from "../../errors/error.ts";
import { newRaceId } from "../../errors/require-id.ts";
import type { SessionInfo } from "../../schema/session.ts";
import type { CheckResult, Racer, RacerRequest } from "../../schema/workspace/race.ts";
import { raceLabels, verdictLabel } from "./labels.ts";
import { ranked } from "./rank.ts";

/** Options of `race`. */
export interface RaceOptions {
  /** The label `race` of the sessions. Defaults to a new id. */
  readonly id?: string | undefined;
  /** Checks the worktree of a session whose turn completed. Defaults to no check. */
  readonly check?: ((info: SessionInfo, signal?: AbortSignal) => Promise<CheckResult>) | undefined;
  /** The maximum number of sessions that run in parallel. Defaults to all of them. */
  readonly concurrency?: number | undefined;
  /** Called with all racers when one of them changes. */
  readonly onChange?: ((racers: readonly Racer[]) => void) | undefined;
  /** Cancels all turns and starts no further sessions. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Sends the same message to several sessions, each in a separate git worktree, and returns the ranked sessions. Ranks
 * them by the check, then by the outcome of the turn, then by the size of the diff (no changes last), then by cost. The
 * sessions are stopped at the end, and can still be listed and read. The check is a function in this program;
 * `halyard.races` uses a shell command instead. Rejects with `invalid_input` if `requests` is empty.
 */
export async function race(
  halyard: Halyard,
  requests: readonly RacerRequest[],
  prompt: string,
  options: RaceOptions = {},
): Promise<Racer[]> {
  const { id = newRaceId(), onChange, concurrency = requests.length } = options;
  if (requests.length === 0)
    throw new HalyardError(
      "invalid_input",
      "A race needs at least one racer. Pass the name of a runtime.",
    );
  const racers = requests.map(({ runtime }): Racer => ({ runtime, state: "waiting" }));
  const lanes = new Lanes({ limit: Math.max(1, concurrency) });
  const run = (request: RacerRequest, index: number) => {
    const update = (change: Partial<Racer>) => {
      const before = racers[index];
      if (before) racers[index] = { ...before, ...change };
      onChange?.([...racers]);
    };
    const labels = { ...request.labels, ...raceLabels(id) };
    return lanes.run(String(index), () =>
      runOne(halyard, { ...request, labels }, prompt, { ...options, update }),
    );
  };
  await Promise.all(requests.map(run));
  return ranked(racers);
}

type RunOptions = RaceOptions & { readonly update: (change: Partial<Racer>) => void };

async function runOne(
  halyard: Halyard,
  request: RacerRequest,
  prompt: string,
  options: RunOptions,
): Promise<void> {
  const { update, signal } = options;
  let session: Session | undefined;
  try {
    if (signal?.aborted) throw new HalyardError("cancelled", "The race was cancelled.");
    update({ state: "starting" });
    session = await halyard.start({ worktree: true, ...request, attended: false });
    const { id, info } = session;
    const { branch } = info.worktree ?? {};
    update({ state: "running", sessionId: id, ...(branch !== undefined && { branch }) });
    const check = await finish(halyard, session, prompt, options);
    const verdict = verdictLabel(check, { isCancelled: signal?.aborted ?? false });
    await halyard.update(id, { labels: { ...session.info.labels, ...verdict } });
  } catch (error) {
    update({ error: toErrorInfo(error) });
  } finally {
    await session?.stop("the race has ended").catch(() => {}); // the session may already have ended with an error
    update({ state: "done" });
  }
}

/** Runs the turn and the check of a racer. Returns the result of the check, if there was one. */
async function finish(
  halyard: Halyard,
  session: Session,
  prompt: string,
  { check, update, signal }: RunOptions,
): Promise<CheckResult | undefined> {
  const turn = session.send(prompt, { ...(signal && { signal }) });
  const { status, durationMs, usage, error } = await turn.outcome;
  update({ outcome: status, durationMs, usage, ...(error && { error }) });
  const { files, insertions, deletions } = await halyard.changes(session.id);
  update({ changes: { files: files.length, insertions, deletions } });
  if (!check || status !== "completed" || signal?.aborted) return undefined;
  update({ state: "checking" });
  const result = await check(session.info, signal);
  update({ check: result });
  return result;
}
