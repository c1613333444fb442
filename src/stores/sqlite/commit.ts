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

/** Options of `GroupCommit.write`. */
export interface WriteOptions {
  /** True if the work is a single statement, which is atomic without a transaction. */
  readonly isOneStatement?: boolean;
}

interface Write extends WriteOptions {
  /** Executes the work. Returns a function that resolves the caller's promise after the commit. */
  readonly run: () => () => void;
  readonly reject: (error: HalyardError) => void;
}

/**
 * Executes writes in the order of the calls. Writes of the same event-loop tick share a transaction, because each
 * commit is slow.
 */
export class GroupCommit {
  readonly #options: GroupCommitOptions;
  readonly #transact: <T>(work: () => T) => T;
  #pending: Write[] = [];
  #running: Promise<void> | undefined;
  /**
   * Resolves one event-loop turn after the last commit, or `COLLECT_MS` after a commit of many writes. A single write
   * is committed immediately. During many consecutive writes, the pause lets more writes join the next transaction and
   * lets other code run.
   */
  #pause: Promise<unknown> = Promise.resolve();

  constructor(database: DatabaseSyncInstance, options: GroupCommitOptions) {
    this.#options = options;
    this.#transact = createTransaction(database);
  }

  /**
   * Resolves when the write is durable. `work` may run more than once. It can throw a `HalyardError` before it changes
   * anything; other writes of the same tick are not affected.
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

  /** Resolves when no write is pending. Never rejects. */
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
      const settling = retryWhileLocked(attempt, lockTimeoutMs);
      for (const settle of settling instanceof Promise ? await settling : settling) settle();
    } catch (error) {
      // Retry each write separately, so that only the failing write is rejected. Skipped if the database is locked,
      // because a lock affects all writes.
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

/**
 * Waits longer after many writes, to collect more writes for the next commit. A large commit takes only slightly longer
 * than a small one.
 */
function pauseAfter(writes: number): Promise<unknown> {
  return new Promise((resolve) => {
    if (writes < MANY) setImmediate(resolve);
    else setTimeout(resolve, COLLECT_MS);
  });
}

const MANY = 4;
const COLLECT_MS = 2;

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
