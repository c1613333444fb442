import { createDeferred, type Deferred } from "../async/deferred.ts";
import type { Clock } from "../contracts/clock.ts";
import type { StoredEvent, Writer } from "../contracts/store.ts";
import { HalyardError } from "../errors/error.ts";
import type { TurnId } from "../schema/id.ts";
import type { SessionInfo } from "../schema/session.ts";
import { backoffMs } from "../wire/backoff.ts";
import { project } from "./projection.ts";

/** Options of an append: the turn of the events, the cursors to record, and whether the append waits for the store. */
export interface AppendOptions {
  readonly turnId?: TurnId | undefined;
  readonly cursor?: number | undefined;
  readonly turnCursor?: number | undefined;
  /**
   * True for events that have already happened: the append waits while the store is full, locked or unreachable.
   * Defaults to false: the append rejects immediately.
   */
  readonly waits?: boolean;
}

/** A block of events that were appended together. */
export interface Append {
  readonly events: readonly StoredEvent[];
  readonly at: string;
  readonly options: AppendOptions;
  readonly firstSeq: number;
  /** The session's state after these events. */
  readonly info: SessionInfo;
}

/** An append that is not durable yet. */
interface Pending extends Append {
  firstSeq: number;
  info: SessionInfo;
  isBeingWritten: boolean;
  /**
   * Set while an append waits. Resolves with undefined when the append is durable, or with the reason if it has failed.
   */
  settled?: Deferred<unknown>;
}

/** Options of `Appends`. */
export interface AppendsOptions {
  readonly clock: Clock;
  readonly onWritten: (append: Append) => void;
  /** Called when the store temporarily cannot be written. If omitted, no append waits for the store. */
  readonly onBlocked: ((reason: HalyardError) => void) | undefined;
}

/** Writes events to the log of a session, in the order of the calls. */
export class Appends {
  readonly #writer: Writer;
  readonly #options: AppendsOptions;
  readonly #giveUp = createDeferred<void>();
  #pending: Pending[] = [];
  #info: SessionInfo;
  #durable: SessionInfo;
  /** The store error that makes appends wait. */
  #blockedBy: HalyardError | undefined;
  #whenBlocked = createDeferred<HalyardError>();
  #isRetrying = false;
  #hasGivenUp: boolean;

  constructor(writer: Writer, info: SessionInfo, options: AppendsOptions) {
    this.#writer = writer;
    this.#info = info;
    this.#durable = info;
    this.#options = options;
    this.#hasGivenUp = options.onBlocked === undefined;
  }

  /** The session's state after all added events. */
  get info(): SessionInfo {
    return this.#info;
  }

  /** The session's state after all durable events. */
  get durable(): SessionInfo {
    return this.#durable;
  }

  get isBlocked(): boolean {
    return this.#blockedBy !== undefined;
  }

  /** Resolves with the reason when the store temporarily cannot be written. */
  get whenBlocked(): Promise<HalyardError> {
    return this.#whenBlocked.promise;
  }

  /**
   * Appends events. Resolves when they are durable. Rejects if they cannot be written; with `waits`, retries while the
   * error is transient and `giveUp` has not been called.
   */
  async add(events: readonly StoredEvent[], options: AppendOptions): Promise<void> {
    if (this.#blockedBy && !options.waits) throw this.#blockedBy;
    const at = this.#options.clock.now().toISOString();
    const info = this.#info;
    const added: Pending = { events, options, at, firstSeq: 0, info, isBeingWritten: false };
    this.#pending.push(added);
    this.#assignSeq(added);
    if (!this.#blockedBy) {
      try {
        return await this.#write(added);
      } catch (error) {
        if (!options.waits || !this.#shouldRetry(error)) {
          this.#drop(added);
          throw error;
        }
        this.#hold(error);
      } finally {
        this.#startRetry();
      }
    }
    added.settled = createDeferred();
    const failure = await added.settled.promise;
    if (failure !== undefined) throw failure;
  }

  /** Stops waiting for the store: waiting appends are retried at most once, and later appends are not retried. */
  giveUp(): void {
    this.#hasGivenUp = true;
    this.#giveUp.resolve();
  }

  async #write(append: Pending): Promise<void> {
    const { events, at, options, firstSeq, info } = append;
    const { turnId, cursor, turnCursor } = options;
    append.isBeingWritten = true;
    try {
      const block = { firstSeq, at, turnId, events, info, cursor, turnCursor };
      await this.#writer.append(block);
    } finally {
      append.isBeingWritten = false;
    }
    this.#durable = info;
    this.#remove(append);
    this.#options.onWritten(append);
  }

  #shouldRetry(error: unknown): error is HalyardError {
    return isTransient(error) && !this.#hasGivenUp;
  }

  #hold(reason: HalyardError): void {
    if (!this.#blockedBy) this.#options.onBlocked?.(reason);
    this.#blockedBy = reason;
    this.#whenBlocked.resolve(reason);
  }

  /** Starts retrying when no write is in progress, so that no block is written twice. */
  #startRetry(): void {
    if (!this.#blockedBy || this.#isRetrying) return;
    if (this.#pending.some(({ isBeingWritten }) => isBeingWritten)) return;
    this.#isRetrying = true;
    void this.#writeWaiting();
  }

  /** Retries the appends that wait. Never rejects; each append is settled with the result. */
  async #writeWaiting(): Promise<void> {
    for (let attempt = 0; ; attempt++) {
      await this.#pause(backoffMs(attempt, { baseMs: 50, maxMs: 1_000 }));
      try {
        for (let [next] = this.#pending; next; [next] = this.#pending) {
          await this.#write(next);
          next.settled?.resolve(undefined);
        }
        return this.#stopWaiting();
      } catch (error) {
        if (!this.#shouldRetry(error)) return this.#stopWaiting(error);
        this.#hold(error);
      }
    }
  }

  /** Stops waiting. If `failure` is given, waiting appends fail with it. */
  #stopWaiting(failure?: unknown): void {
    for (const { settled } of this.#pending) settled?.resolve(failure);
    this.#pending = [];
    this.#info = this.#durable;
    this.#blockedBy = undefined;
    this.#whenBlocked = createDeferred();
    this.#isRetrying = false;
  }

  async #pause(delayMs: number): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const over = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, delayMs);
    });
    await Promise.race([over, this.#giveUp.promise]);
    clearTimeout(timer);
  }

  /** Removes an append that failed. The following appends get new sequence numbers. */
  #drop(append: Pending): void {
    this.#remove(append);
    this.#info = this.#durable;
    for (const next of this.#pending) this.#assignSeq(next);
  }

  #remove(append: Pending): void {
    if (this.#pending[0] === append) this.#pending.shift();
    else this.#pending.splice(this.#pending.indexOf(append), 1);
  }

  #assignSeq(append: Pending): void {
    const { events, at, options } = append;
    append.firstSeq = this.#info.lastSeq + 1;
    if (events.length > 0) this.#info = project(this.#info, events, { at, turnId: options.turnId });
    append.info = this.#info;
  }
}

/** True if the write error is transient and a retry may succeed. */
export function isTransient(error: unknown): error is HalyardError {
  if (!(error instanceof HalyardError)) return false;
  return transientCodes.has(error.code);
}

const transientCodes: ReadonlySet<string> = new Set([
  "store_full",
  "store_locked",
  "store_unreachable",
]);
