import { setMaxListeners } from "node:events";
import type { Chunk, Exit, Health, HostProcess, ProcessIdentity } from "../../contracts/host.ts";
import { releaseSpace } from "../../files/release-space.ts";
import { DEFAULT_GRACE_MS, Ending } from "./ending.ts";
import type { ExitWatch } from "./exit-watch.ts";
import type { RunFiles } from "./run-files.ts";
import { readTail, tailStart } from "./stderr-tail.ts";
import { createStdin, type Stdin } from "./stdin.ts";
import { tail } from "./tail.ts";

/** The operations on a program that depend on its host. The recording is the same for all hosts. */
export interface RecordedProgram {
  readonly identity: ProcessIdentity;
  readonly files: RunFiles;
  readonly watch: ExitWatch;
  health(): Promise<Health>;
  requireKnown?(): Promise<void>;
  waitedMs?(): Promise<number>;
  /**
   * Requests termination, waits until the program has `ended` or `insist` is aborted, and kills the remaining
   * processes.
   */
  end(signals: { insist: AbortSignal; ended: AbortSignal }): Promise<void>;
}

/** A program identified by its recording and its process identity, independent of the process that started it. */
export class RecordedProcess implements HostProcess {
  readonly identity: ProcessIdentity;
  readonly #program: RecordedProgram;
  readonly #watch: ExitWatch;
  readonly #stdin: Stdin;
  readonly #ending = new Ending((insist) => this.#end(insist));
  readonly #detached = new AbortController();
  /** Aborted when the recording no longer grows. */
  readonly #complete = new AbortController();
  /** True while a termination waits for processes that still write to the recording after the program has exited. */
  #isTerminating = false;

  constructor(program: RecordedProgram) {
    const { identity, files, watch } = program;
    this.identity = identity;
    this.#program = program;
    this.#watch = watch;
    this.#stdin = createStdin(files.stdin);
    setMaxListeners(0, this.#detached.signal, this.#complete.signal);
    const onEnd = () => {
      this.#stdin.close("the program has exited");
      if (!this.#isTerminating) this.#complete.abort();
    };
    if (watch.ended.aborted) onEnd();
    else watch.ended.addEventListener("abort", onEnd, { once: true });
  }

  /**
   * Resolves when the program exits. Reading this property keeps this process alive until then. Stays pending after
   * `detach`.
   */
  get exit(): Promise<Exit> {
    if (!this.#detached.signal.aborted) this.#watch.hold();
    return this.#watch.exit;
  }

  /** Yields the recorded output. `detach` ends the iteration early. */
  output(options: { from?: number; signal?: AbortSignal } = {}): AsyncIterable<Chunk> {
    const { from = 0, signal } = options;
    const signals = [this.#detached.signal, ...(signal ? [signal] : [])];
    return tail(this.#program.files.stdout, { from, ended: this.#complete.signal, signals });
  }

  async release(before: number, { from = 0 }: { readonly from?: number } = {}): Promise<void> {
    const { stdout, stderr } = this.#program.files;
    await releaseSpace(stdout, { from, before });
    await releaseSpace(stderr, { before: await tailStart(stderr) });
  }

  stderrTail(): Promise<string> {
    return readTail(this.#program.files.stderr);
  }

  write(text: string): Promise<void> {
    this.#watch.check();
    return this.#stdin.write(text);
  }

  async health(): Promise<Health> {
    return this.#watch.ended.aborted ? "dead" : this.#program.health();
  }

  async requireKnown(): Promise<void> {
    await this.#program.requireKnown?.();
  }

  async waitedMs(): Promise<number> {
    return (await this.#program.waitedMs?.()) ?? 0;
  }

  /** Terminates the program. Has no effect after `detach`. */
  async terminate({ graceMs }: { graceMs: number }): Promise<void> {
    if (!this.#detached.signal.aborted) await this.#ending.within(graceMs);
  }

  /**
   * Releases the program without ending it. Pending writes fail, so await them first. Waits for a termination that is
   * in progress, and has no effect if the termination succeeds.
   */
  async detach(): Promise<void> {
    const isEnded = await this.#ending.underWay?.then(
      () => true,
      () => false,
    );
    if (isEnded === true) return;
    this.#detached.abort();
    this.#stdin.close("the program was detached");
    this.#watch.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.terminate({ graceMs: DEFAULT_GRACE_MS });
  }

  async #end(insist: AbortSignal): Promise<void> {
    const { ended } = this.#watch;
    const onTerminated = () => {
      this.#isTerminating = false;
      if (ended.aborted) this.#complete.abort();
    };
    this.#isTerminating = true;
    insist.addEventListener("abort", onTerminated, { once: true });
    await this.#program.end({ insist, ended }).finally(onTerminated);
    this.#watch.check();
    await this.exit;
  }
}
