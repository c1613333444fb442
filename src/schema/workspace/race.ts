import { z } from "zod";
import { ErrorInfo } from "../error.ts";
import { RaceId, SessionId } from "../id.ts";
import { LimitedText } from "../limited-text.ts";
import { OutcomeStatus, Usage } from "../outcome.ts";
import { RuntimeName } from "../runtime.ts";
import { Milliseconds, StartRequest } from "../session/start-request.ts";
import { WorktreeRequest } from "./worktree.ts";

/** The session of one racer. It works in its own worktree, and no user answers its requests. */
export const RacerRequest = StartRequest.omit({ id: true, attended: true }).extend({
  runtime: RuntimeName,
  worktree: z.union([z.literal(true), WorktreeRequest]).default(true),
});
export type RacerRequest = Omit<StartRequest, "id" | "attended" | "runtime" | "worktree"> & {
  readonly runtime: RuntimeName;
  readonly worktree?: z.input<typeof RacerRequest>["worktree"] | undefined;
};

/** The largest number of racers. */
export const MAX_RACERS = 50;

/** The arguments of `Races.start`. */
export const RaceRequest = z.strictObject({
  /**
   * The id of the new race. A second request with the same id returns the same race.
   * @defaultValue a new id
   */
  id: RaceId.optional(),
  /** The task, which is sent to all racers. */
  prompt: LimitedText,
  /** The sessions that take part. */
  racers: z.array(RacerRequest).min(1).max(MAX_RACERS),
  /**
   * A command line that `/bin/sh` runs in the worktree of each racer whose turn completed, on the machine that runs the
   * sessions. The racer passes if the exit code is 0.
   * @defaultValue no check
   */
  check: LimitedText.optional(),
  /** The time limit of the check, in milliseconds. Defaults to 600,000 (ten minutes). */
  checkTimeoutMs: Milliseconds.positive().default(600_000),
  /**
   * The maximum number of racers that run at the same time.
   * @defaultValue all of them
   */
  concurrency: z.number().int().positive().optional(),
});
export type RaceRequest = Omit<z.input<typeof RaceRequest>, "id" | "racers"> & {
  readonly id?: string | undefined;
  readonly racers: readonly RacerRequest[];
};

/** The result of the check in the worktree of a session. */
export const CheckResult = z.strictObject({
  passed: z.boolean(),
  /** The end of the check's output. If the check was killed, or failed without output, also contains the reason. */
  output: z.string(),
});
export type CheckResult = z.infer<typeof CheckResult>;

/** One session of a race. */
export const Racer = z.strictObject({
  runtime: RuntimeName,
  state: z.enum(["waiting", "starting", "running", "checking", "done"]),
  /** The id of the session. Absent until the session is recorded. */
  sessionId: SessionId.exactOptional(),
  /** The branch of its worktree. */
  branch: z.string().exactOptional(),
  /** How the turn ended. */
  outcome: OutcomeStatus.exactOptional(),
  /** Why the session could not start, why its turn failed, or why its result could not be determined. */
  error: ErrorInfo.exactOptional(),
  /** The result of the check. Absent until the check ends, and if no check runs. */
  check: CheckResult.exactOptional(),
  /** The size of the diff. */
  changes: z
    .strictObject({
      files: z.number().int().nonnegative(),
      insertions: z.number().int().nonnegative(),
      deletions: z.number().int().nonnegative(),
    })
    .exactOptional(),
  /** How long the turn took, in milliseconds. */
  durationMs: z.number().nonnegative().exactOptional(),
  usage: Usage.exactOptional(),
});
export type Racer = z.infer<typeof Racer>;

/** The state of a race. */
export const RaceInfo = z.strictObject({
  /** The id of the race. Its sessions have it as their label `race`. */
  id: RaceId,
  /** `lost` if the process that ran the race has died. The race's sessions are kept; no more are started or checked. */
  state: z.enum(["running", "done", "cancelled", "lost"]),
  /** The number of the current state. Increases with every change while the race runs. */
  revision: z.number().int().nonnegative(),
  /** The racers: in the order of the request while the race runs, then ranked, the best one first. */
  racers: z.array(Racer),
  /**
   * The winner: the first-ranked session, if its turn completed, it changed files, and it passed the check, if any.
   * Absent unless the state is `done`.
   */
  winner: SessionId.exactOptional(),
});
export type RaceInfo = z.infer<typeof RaceInfo>;
