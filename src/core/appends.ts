import type { TurnId } from "../schema/id.ts";
import type { SessionInfo } from "../schema/session.ts";
import { backoffMs } from "../wire/backoff.ts";
import type { Clock } from "./clock.ts";
import { createDeferred, type Deferred } from "./deferred.ts";
import { HalyardError } from "./error.ts";
import { project } from "./projection.ts";
import type { StoredEvent, Writer } from "./store.ts";

export interface AppendOptions {
  readonly turnId?: TurnId | undefined;
  readonly cursor?: number | undefined;
  readonly turnCursor?: number | undefined;
  /**
   * Has happened already, and waits for as long as the store is full or locked. What somebody asks for does not: they
   * hear of it at once.
   */
  readonly waits?: boolean;
}

/** What was appended together. */
export interface Append {
  readonly events: readonly StoredEvent[];
  readonly at: string;
  readonly options: AppendOptions;
  readonly firstSeq: number;
  /** The session as it is after it. */
  readonly info: SessionInfo;
}

/** An append that is not on disk yet. */
interface Pending extends Append {
  firstSeq: number;
  info: SessionInfo;
  isBeingWritten: boolean;
  /** For one that waits: kept once it is durable, or with the reason why it never will be. */
  settled?: Deferred<unknown>;
}

export interface AppendsOptions {
  readonly clock: Clock;
  readonly onWritten: (append: Append) => void;
  /** Hears that the store cannot be written for now; without it nothing waits for that. */
  readonly onHeldUp: ((reason: HalyardError) => void) | undefined;
}

/** What goes into the log of a session, in the order of the calls. */
export class Appends {
  readonly #writer: Writer;
  readonly #options: AppendsOptions;
  readonly #giveUp = createDeferred<void>();
  #pending: Pending[] = [];
  #info: SessionInfo;
  #durable: SessionInfo;
  /** Why what waits does so. */
  #heldUp: HalyardError | undefined;
  #whenHeldUp = createDeferred<HalyardError>();
  #isTryingAgain = false;
  #hasGivenUp: boolean;

  constructor(writer: Writer, info: SessionInfo, options: AppendsOptions) {
    this.#writer = writer;
    this.#info = info;
    this.#durable = info;
    this.#options = options;
    this.#hasGivenUp = options.onHeldUp === undefined;
  }

  /** The session as it is after all that was added. */
  get info(): SessionInfo {
    return this.#info;
  }

  /** The session as it is on disk. */
  get durable(): SessionInfo {
    return this.#durable;
  }

  get isHeldUp(): boolean {
    return this.#heldUp !== undefined;
  }

  /** Kept with the reason when the store cannot be written for now. */
  get whenHeldUp(): Promise<HalyardError> {
    return this.#whenHeldUp.promise;
  }

  /** Resolves once it is durable. */
  async add(events: readonly StoredEvent[], options: AppendOptions): Promise<void> {
    if (this.#heldUp && !options.waits) throw this.#heldUp;
    const at = this.#options.clock.now().toISOString();
    const info = this.#info;
    const added: Pending = { events, options, at, firstSeq: 0, info, isBeingWritten: false };
    this.#pending.push(added);
    this.#place(added);
    if (!this.#heldUp) {
      try {
        return await this.#write(added);
      } catch (error) {
        if (!options.waits || !this.#isWorthWaiting(error)) {
          this.#drop(added);
          throw error;
        }
        this.#hold(error);
      } finally {
        this.#tryAgain();
      }
    }
    added.settled = createDeferred();
    const failure = await added.settled.promise;
    if (failure !== undefined) throw failure;
  }

  /** Nothing waits any longer: what waits now fails, and what fails later does so at once. */
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

  #isWorthWaiting(error: unknown): error is HalyardError {
    return isPassing(error) && !this.#hasGivenUp;
  }

  #hold(reason: HalyardError): void {
    if (!this.#heldUp) this.#options.onHeldUp?.(reason);
    this.#heldUp = reason;
    this.#whenHeldUp.resolve(reason);
  }

  /** Begins once nothing is under way, so that nothing can be written twice. */
  #tryAgain(): void {
    if (!this.#heldUp || this.#isTryingAgain) return;
    if (this.#pending.some(({ isBeingWritten }) => isBeingWritten)) return;
    this.#isTryingAgain = true;
    void this.#writeWaiting();
  }

  /** Never rejects: whoever waits hears of it. */
  async #writeWaiting(): Promise<void> {
    for (let attempt = 0; ; attempt++) {
      await this.#pause(backoffMs(attempt, { baseMs: 50, maxMs: 1_000 }));
      try {
        for (let [next] = this.#pending; next; [next] = this.#pending) {
          await this.#write(next);
          next.settled?.resolve(undefined);
        }
        return this.#goOn();
      } catch (error) {
        if (!this.#isWorthWaiting(error)) return this.#goOn(error);
        this.#hold(error);
      }
    }
  }

  /** What still waits has failed. */
  #goOn(failure?: unknown): void {
    for (const { settled } of this.#pending) settled?.resolve(failure);
    this.#pending = [];
    this.#info = this.#durable;
    this.#heldUp = undefined;
    this.#whenHeldUp = createDeferred();
    this.#isTryingAgain = false;
  }

  async #pause(delayMs: number): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const over = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, delayMs);
    });
    await Promise.race([over, this.#giveUp.promise]);
    clearTimeout(timer);
  }

  /** What comes after it moves up. */
  #drop(append: Pending): void {
    this.#remove(append);
    this.#info = this.#durable;
    for (const next of this.#pending) this.#place(next);
  }

  #remove(append: Pending): void {
    if (this.#pending[0] === append) this.#pending.shift();
    else this.#pending.splice(this.#pending.indexOf(append), 1);
  }

  #place(append: Pending): void {
    const { events, at, options } = append;
    append.firstSeq = this.#info.lastSeq + 1;
    if (events.length > 0) this.#info = project(this.#info, events, { at, turnId: options.turnId });
    append.info = this.#info;
  }
}

/** Whether a store that could not be written may be so soon, without anybody doing anything to it. */
export function isPassing(error: unknown): error is HalyardError {
  if (!(error instanceof HalyardError)) return false;
  return error.code === "store_full" || error.code === "store_locked";
}
