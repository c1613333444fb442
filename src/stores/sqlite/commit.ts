import type { DatabaseSyncInstance } from "@photostructure/sqlite";
import { HalyardError } from "../../errors/error.ts";
import { isLocked, toStoreError } from "./errors.ts";
import { retryWhileLocked } from "./retry-while-locked.ts";
import { createTransaction } from "./transaction.ts";

interface GroupCommitOptions {
  readonly file: string;
  readonly lockTimeoutMs: number;
  readonly onCommit: () => void;
}

export interface WriteOptions {
  /** The work changes the database with one statement, which is whole or nothing by itself. */
  readonly isOneStatement?: boolean;
}

interface Write extends WriteOptions {
  /** Does the work, and returns how to tell of it once it is durable. */
  readonly run: () => () => void;
  readonly reject: (error: HalyardError) => void;
}

/** Writes in the order of the calls; those of one tick share a transaction, since that is what costs. */
export class GroupCommit {
  readonly #options: GroupCommitOptions;
  readonly #transact: <T>(work: () => T) => T;
  #pending: Write[] = [];
  #running: Promise<void> | undefined;
  /**
   * Until the event loop has gone round since the last commit: a write that comes alone is committed at once, and
   * a flood of them gives others time to join, and to do their own work.
   */
  #pause: Promise<unknown> = Promise.resolve();

  constructor(database: DatabaseSyncInstance, options: GroupCommitOptions) {
    this.#options = options;
    this.#transact = createTransaction(database);
  }

  /**
   * Durable once it resolves. `work` may run more than once, and refuses by throwing a HalyardError before it has
   * changed anything: that leaves the other writes of the tick alone.
   */
  write<T>(work: () => T, options: WriteOptions = {}): Promise<T> {
    return new Promise((resolve, reject) => {
      const run = () => {
        const result = work();
        return () => resolve(result);
      };
      this.#pending.push({ run, reject, ...options });
      this.#running ??= this.#run();
    });
  }

  /** Resolves once nothing is pending. Never rejects. */
  async flush(): Promise<void> {
    await this.#running;
  }

  async #run(): Promise<void> {
    while (this.#pending.length > 0) {
      await this.#pause;
      const writes = this.#pending;
      this.#pending = [];
      this.#pause = pauseAfter(writes.length);
      await this.#commit(writes);
    }
    this.#running = undefined;
  }

  async #commit(writes: readonly Write[]): Promise<void> {
    const { file, lockTimeoutMs, onCommit } = this.#options;
    try {
      const isWhole = writes.length === 1 && writes[0]?.isOneStatement;
      const attempt = () => (isWhole ? runAll(writes) : this.#transact(() => runAll(writes)));
      const tells = retryWhileLocked(attempt, lockTimeoutMs);
      for (const tell of tells instanceof Promise ? await tells : tells) tell();
    } catch (error) {
      // One by one, so that a write fails for no other reason than its own. A lock is everybody's reason.
      if (writes.length > 1 && !isLocked(error)) {
        for (const write of writes) await this.#commit([write]);
      } else {
        for (const write of writes) write.reject(toStoreError(error, file));
      }
      return;
    }
    onCommit();
  }
}

/** Where many write at once, the next ones are gathered for a moment: one commit for all of them costs little more than one. */
function pauseAfter(writes: number): Promise<unknown> {
  return new Promise((resolve) => {
    if (writes < MANY) setImmediate(resolve);
    else setTimeout(resolve, GATHERING_MS);
  });
}

const MANY = 4;
const GATHERING_MS = 2;

function runAll(writes: readonly Write[]): (() => void)[] {
  return writes.map(({ run, reject }) => {
    try {
      return run();
    } catch (error) {
      if (error instanceof HalyardError) return () => reject(error);
      throw error;
    }
  });
}
