import { warning } from "../contracts/event-draft.ts";
import type { Workspace } from "../contracts/workspace.ts";
import { HalyardError, reasonOf } from "../errors/error.ts";
import type { EventLog } from "../log/event-log.ts";
import type { Redactor } from "../log/redaction/redaction.ts";
import type { TurnId } from "../schema/id.ts";
import type { Checkpoint, CheckpointRecord, Rewound } from "../schema/workspace/checkpoint.ts";

/** What the checkpoints of a session need. */
export interface CheckpointsParts {
  readonly log: EventLog;
  readonly redactor: Redactor;
  /** Opens the workspace of the session. */
  readonly open: () => Promise<Workspace>;
}

type When = Pick<CheckpointRecord, "when" | "turnId">;

/**
 * Records the files of a live session at its start, before turns if they changed, and after turns. All work runs beside
 * the session: no message and no outcome waits for it. A failure becomes one warning in the log.
 */
export class Checkpoints {
  readonly #parts: CheckpointsParts;
  readonly #stopped = new AbortController();
  #workspace: Promise<Workspace> | undefined;
  #begun: Promise<Checkpoint> | undefined;
  #ready: Promise<void> = Promise.resolve();
  /** Resolves when all checkpoints so far are recorded or have failed. */
  #tail: Promise<void> = Promise.resolve();
  #waiting = 0;
  #hasWarned = false;
  /** True if the files cannot be recorded at all. */
  #isOff = false;

  constructor(parts: CheckpointsParts) {
    this.#parts = parts;
  }

  /** Starts to record the files while the runtime starts, so that they are recorded before the first message. */
  begin(): void {
    if (!this.#isDue) return;
    this.#workspace ??= this.#parts.open();
    this.#begun = this.#workspace.then((workspace) => this.#take(workspace));
    this.#begun.catch(() => {}); // `start` reports the error
  }

  /** True unless a turn runs whose end will be recorded. */
  get #isDue(): boolean {
    const { checkpoint, turn } = this.#parts.log.info;
    return turn === undefined || checkpoint === undefined || checkpoint.missingTurnId !== undefined;
  }

  /** Records the files at the start, or again after a resume. The event follows when `ready` resolves. */
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
      await ready; // the log of a session begins with its start
      if (isFirst || this.#isNew(taken)) await this.#record(taken, when);
    });
  }

  /**
   * Records the files if they changed since the last checkpoint. A checkpoint that runs already is enough. The message
   * does not wait, so the runtime may have changed files meanwhile: the checkpoint counts only if `hasBegun` is still
   * false afterwards.
   */
  beforeTurn(turnId: TurnId, hasBegun: () => boolean): void {
    if (this.#waiting > 0) return;
    this.#add(async (workspace) => {
      const taken = await this.#take(workspace);
      if (hasBegun() || !this.#isNew(taken)) return;
      await this.#record(taken, { when: "before_turn", turnId });
    });
  }

  /** Records the files after a turn. */
  afterTurn(turnId: TurnId): void {
    this.#add(async (workspace) => {
      await this.#record(await this.#take(workspace), { when: "after_turn", turnId });
    });
  }

  /** Restores a checkpoint. Rejects if the files are not recorded. */
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

  /** Waits for the last checkpoints of a session that ends, for at most 10 s. */
  async finish(): Promise<void> {
    const timer = setTimeout(() => void this.abandon(), FINISH_MS);
    await this.#tail;
    clearTimeout(timer);
  }

  /** Stops all work, and resolves when no process writes any more. The next owner records what is missing. */
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
      this.#isOff ||= isUseless; // the next attempt would fail for the same reason
      if (error instanceof HalyardError && error.code === "workspace_failed")
        await this.#warn(error).catch(() => {}); // the session or its log has failed already
    }
  }

  #take(workspace: Workspace): Promise<Checkpoint> {
    const after = this.#parts.log.info.checkpoint?.commit;
    return workspace.checkpoint({ after, signal: this.#stopped.signal });
  }

  #isNew({ commit }: Checkpoint): boolean {
    return commit !== this.#parts.log.info.checkpoint?.commit;
  }

  #record(checkpoint: Checkpoint, when: When): Promise<void> {
    return recordCheckpoint(checkpoint, when, this.#parts);
  }

  async #warn(error: HalyardError): Promise<void> {
    if (this.#hasWarned) return;
    this.#hasWarned = true;
    const { log, redactor } = this.#parts;
    await this.#ready;
    await log.append([warning(redactor.redact(reasonOf(error)))], { waits: true });
  }
}

const FINISH_MS = 10_000;

/** Restores a checkpoint and records both the files before and the restored ones. */
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
