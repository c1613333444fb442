import { createDeferred } from "../async/deferred.ts";
import { warning } from "../contracts/event-draft.ts";
import type { Workspace } from "../contracts/workspace.ts";
import { HalyardError, reasonOf } from "../errors/error.ts";
import type { EventLog } from "../log/event-log.ts";
import type { Redactor } from "../log/redaction/redaction.ts";
import type { TurnId } from "../schema/id.ts";
import type { Checkpoint, CheckpointRecord, Rewound } from "../schema/workspace/checkpoint.ts";

/** The dependencies of a session's checkpoints. */
export interface CheckpointsParts {
  readonly log: EventLog;
  readonly redactor: Redactor;
  /** Opens the workspace of the session. */
  readonly open: () => Promise<Workspace>;
  /** Saves the session after a turn, for the other machines of a cluster. If omitted, the session is not saved. */
  readonly save?: (workspace: Workspace, checkpoint: Checkpoint) => Promise<void>;
}

type When = Pick<CheckpointRecord, "when" | "turnId">;

/**
 * Records the files of a live session at its start, after turns, and before turns if the files have changed. The first
 * message waits for the first checkpoint, at most 5 s. All other checkpoints are taken in the background, so that no
 * message and no outcome waits for them. Only the first problem is logged, as a warning.
 */
export class Checkpoints {
  readonly #parts: CheckpointsParts;
  readonly #stopped = new AbortController();
  #workspace: Promise<Workspace> | undefined;
  #begun: Promise<Checkpoint> | undefined;
  /** Resolves when the first checkpoint is recorded or has failed. */
  #first: Promise<void> = Promise.resolve();
  #opened: Promise<void> | undefined;
  /**
   * True until the end of the first turn if its message had to wait for the first checkpoint. A `before_turn` checkpoint
   * would then contain the same files.
   */
  #isFresh = false;
  /** True if the first message was sent after 5 s, before the first checkpoint was complete. */
  #isLate = false;
  #ready: Promise<void> = Promise.resolve();
  /** Resolves when all checkpoints so far are recorded or have failed. */
  #tail: Promise<void> = Promise.resolve();
  #waiting = 0;
  #hasWarned = false;
  /** True if the first checkpoint of the session failed, or after `abandon`. No further checkpoints are taken. */
  #isOff = false;

  constructor(parts: CheckpointsParts) {
    this.#parts = parts;
  }

  /** Starts recording the files while the runtime starts, so that they are recorded before the first message. */
  begin(): void {
    if (!this.#isDue) return;
    this.#workspace ??= this.#parts.open();
    this.#begun = this.#workspace.then((workspace) => this.#take(workspace));
    this.#begun.catch(() => {}); // `start` handles the error
  }

  /** True if opening the session requires a checkpoint: no turn is running, or an earlier checkpoint is missing. */
  get #isDue(): boolean {
    const { checkpoint, turn } = this.#parts.log.info;
    return turn === undefined || checkpoint === undefined || checkpoint.missingTurnId !== undefined;
  }

  /**
   * Records the files when this process has started, resumed or attached to the session. Has no effect if a turn is
   * running and no earlier checkpoint is missing. The checkpoint event is appended after `ready` resolves.
   */
  start(ready: Promise<void>): void {
    this.#ready = ready;
    if (!this.#isDue) return;
    const { checkpoint } = this.#parts.log.info;
    const missed = checkpoint?.missingTurnId;
    const when: When =
      missed === undefined ? { when: "start" } : { when: "after_turn", turnId: missed };
    const isFirst = checkpoint === undefined || missed !== undefined;
    this.#add(async (workspace) => {
      const taken = await (this.#begun ?? this.#take(workspace));
      await ready; // the first event of a log must be the start of the session
      if (missed !== undefined) await this.#save(workspace, taken);
      if (isFirst || this.#isNew(taken)) await this.#record(taken, when);
      if (this.#isLate) await this.#warn(LATE);
    });
    this.#first = this.#tail;
  }

  /**
   * Resolves when the first checkpoint is recorded or has failed, so that it contains no changes of the first turn.
   * Resolves after 5 s at the latest.
   */
  opened(): Promise<void> {
    this.#opened ??= this.#firstOrLate();
    return this.#opened;
  }

  async #firstOrLate(): Promise<void> {
    const late = createDeferred<void>();
    const timer = setTimeout(() => {
      this.#isLate = true;
      late.resolve();
    }, FIRST_MS);
    this.#isFresh = this.#waiting > 0;
    await Promise.race([this.#first, late.promise]);
    clearTimeout(timer);
  }

  /**
   * Records the files if they changed since the last checkpoint. Has no effect if a checkpoint is already being taken,
   * or if the message has waited for the first checkpoint. The message is sent without waiting, so the runtime may
   * change files before the checkpoint is complete. A complete checkpoint is recorded only if `hasBegun` still returns
   * false.
   */
  beforeTurn(turnId: TurnId, hasBegun: () => boolean): void {
    if (this.#waiting > 0 || this.#isFresh) return;
    this.#add(async (workspace) => {
      const taken = await this.#take(workspace);
      if (hasBegun() || !this.#isNew(taken)) return;
      await this.#record(taken, { when: "before_turn", turnId });
    });
  }

  /** Records the files after a turn, even if they have not changed, and saves the session for other machines. */
  afterTurn(turnId: TurnId): void {
    this.#isFresh = false;
    this.#add(async (workspace) => {
      const taken = await this.#take(workspace);
      await this.#save(workspace, taken);
      await this.#record(taken, { when: "after_turn", turnId });
    });
  }

  /** Restores the files of a checkpoint, after all earlier checkpoints are recorded or have failed. */
  async rewind(commit: string): Promise<Rewound> {
    const { log, redactor, open } = this.#parts;
    await this.#tail;
    this.#workspace ??= open();
    return rewindFiles(await this.#workspace, commit, { log, redactor });
  }

  /** Resolves when all checkpoints so far are recorded or have failed. */
  settled(): Promise<void> {
    return this.#tail;
  }

  /** Waits for the last checkpoints of a session that is ending. Abandons them after 10 s. */
  async finish(): Promise<void> {
    const timer = setTimeout(() => void this.abandon(), FINISH_MS);
    await this.#tail;
    clearTimeout(timer);
  }

  /**
   * Stops all work and resolves when no process writes to the repository anymore. The next owner takes the missing
   * checkpoints.
   */
  async abandon(): Promise<void> {
    this.#isOff = true;
    this.#stopped.abort();
    await Promise.allSettled([this.#workspace, this.#begun, this.#tail]);
  }

  #add(task: (workspace: Workspace) => Promise<void>): void {
    if (this.#isOff) return;
    this.#waiting++;
    this.#tail = this.#tail
      .then(() => this.#run(task))
      .finally(() => {
        this.#waiting--;
      });
  }

  async #run(task: (workspace: Workspace) => Promise<void>): Promise<void> {
    if (this.#isOff) return;
    try {
      this.#workspace ??= this.#parts.open();
      await task(await this.#workspace);
    } catch (error) {
      if (this.#stopped.signal.aborted) return;
      const isUseless = this.#parts.log.info.checkpoint === undefined;
      this.#isOff ||= isUseless; // without a first checkpoint, later attempts would fail for the same reason
      if (error instanceof HalyardError && error.code === "workspace_failed")
        // the append fails only if the session or its log has already failed
        await this.#warn(reasonOf(error)).catch(() => {});
    }
  }

  #take(workspace: Workspace): Promise<Checkpoint> {
    const after = this.#parts.log.info.checkpoint?.commit;
    return workspace.checkpoint({ after, signal: this.#stopped.signal });
  }

  /**
   * Saves the session for other machines. Called before the checkpoint is recorded, so that a recorded checkpoint is
   * saved unless the save has failed. A failure becomes a warning.
   */
  async #save(workspace: Workspace, taken: Checkpoint): Promise<void> {
    try {
      await this.#parts.save?.(workspace, taken);
    } catch (error) {
      if (this.#stopped.signal.aborted) throw error;
      const why = `The session is not saved, so no other machine can continue it after this turn: ${reasonOf(error)}`;
      await this.#warn(why);
    }
  }

  #isNew({ commit }: Checkpoint): boolean {
    return commit !== this.#parts.log.info.checkpoint?.commit;
  }

  #record(checkpoint: Checkpoint, when: When): Promise<void> {
    return recordCheckpoint(checkpoint, when, this.#parts);
  }

  async #warn(text: string): Promise<void> {
    if (this.#hasWarned) return;
    this.#hasWarned = true;
    const { log, redactor } = this.#parts;
    await this.#ready;
    await log.append([warning(redactor.redact(text))], { waits: true });
  }
}

const FINISH_MS = 10_000;
const FIRST_MS = 5_000;
const LATE = `The first checkpoint took longer than ${FIRST_MS / 1000} s. The first message did not wait for it, so the checkpoint may contain changes from the first turn.`;

/** Restores the files of a checkpoint. Logs a `before_rewind` checkpoint of the current files, then a `rewound` event. */
export function rewindFiles(
  workspace: Workspace,
  commit: string,
  parts: Pick<CheckpointsParts, "log" | "redactor">,
): Promise<Rewound> {
  const { log, redactor } = parts;
  const onBefore = (taken: Checkpoint) => recordCheckpoint(taken, { when: "before_rewind" }, parts);
  const after = log.info.checkpoint?.commit;
  return workspace.restore(commit, { after, onBefore }).then(async (rewound) => {
    const data = redactor.redact({ ...rewound });
    await log.append([{ type: "system", subtype: "rewound", data }], { waits: true });
    return rewound;
  });
}

async function recordCheckpoint(
  checkpoint: Checkpoint,
  when: When,
  { log, redactor }: Pick<CheckpointsParts, "log" | "redactor">,
): Promise<void> {
  const data = redactor.redact({ ...when, ...checkpoint });
  await log.append([{ type: "system", subtype: "checkpoint", data }], { waits: true });
}
