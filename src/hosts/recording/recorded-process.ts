import { setMaxListeners } from "node:events";
import type { Chunk, Exit, Health, HostProcess, ProcessIdentity } from "../../core/host.ts";
import { DEFAULT_GRACE_MS, Ending } from "./ending.ts";
import type { ExitWatch } from "./exit-watch.ts";
import { releaseBefore } from "./release.ts";
import type { RunFiles } from "./run-files.ts";
import { readTail, tailStart } from "./stderr-tail.ts";
import { createStdin, type Stdin } from "./stdin.ts";
import { tail } from "./tail.ts";

/** What a host knows of a program beside its recording. */
export interface RecordedProgram {
  readonly identity: ProcessIdentity;
  readonly files: RunFiles;
  readonly watch: ExitWatch;
  health(): Promise<Health>;
  requireKnown?(): Promise<void>;
  waitedMs?(): Promise<number>;
  /** Asks the program to end, waits until it has `ended` or we `insist`, and ends all that is left of what it started. */
  end(signals: { insist: AbortSignal; ended: AbortSignal }): Promise<void>;
}

/** A program that is held by its recording and its identity: whether we started it makes no difference. */
export class RecordedProcess implements HostProcess {
  readonly identity: ProcessIdentity;
  readonly #program: RecordedProgram;
  readonly #watch: ExitWatch;
  readonly #stdin: Stdin;
  readonly #ending = new Ending((insist) => this.#end(insist));
  readonly #detached = new AbortController();

  constructor(program: RecordedProgram) {
    const { identity, files, watch } = program;
    this.identity = identity;
    this.#program = program;
    this.#watch = watch;
    this.#stdin = createStdin(files.stdin);
    setMaxListeners(0, this.#detached.signal);
    const onEnd = () => this.#stdin.close("the program has ended");
    if (watch.ended.aborted) onEnd();
    else watch.ended.addEventListener("abort", onEnd, { once: true });
  }

  /** Whoever asks waits for it: our process runs on until then, or until `detach`, after which it stays open. */
  get exit(): Promise<Exit> {
    if (!this.#detached.signal.aborted) this.#watch.hold();
    return this.#watch.exit;
  }

  /** Ends early at `detach`. */
  output(options: { from?: number; signal?: AbortSignal } = {}): AsyncIterable<Chunk> {
    const { from = 0, signal } = options;
    const { ended } = this.#watch;
    const signals = [this.#detached.signal, ...(signal ? [signal] : [])];
    return tail(this.#program.files.stdout, { from, ended, signals });
  }

  async release(before: number): Promise<void> {
    const { stdout, stderr } = this.#program.files;
    await releaseBefore(stdout, before);
    await releaseBefore(stderr, await tailStart(stderr));
  }

  stderrTail(): Promise<string> {
    return readTail(this.#program.files.stderr);
  }

  write(text: string): Promise<void> {
    this.#watch.look();
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

  /** Does nothing once detached. */
  async terminate({ graceMs }: { graceMs: number }): Promise<void> {
    if (!this.#detached.signal.aborted) await this.#ending.within(graceMs);
  }

  /** Writes under way fail: whoever waits for them does so first. A program that could not be ended is let go of. */
  async detach(): Promise<void> {
    const isEnded = await this.#ending.underWay?.then(
      () => true,
      () => false,
    );
    if (isEnded === true) return;
    this.#detached.abort();
    this.#stdin.close("the program was let go");
    this.#watch.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.terminate({ graceMs: DEFAULT_GRACE_MS });
  }

  async #end(insist: AbortSignal): Promise<void> {
    await this.#program.end({ insist, ended: this.#watch.ended });
    this.#watch.look();
    await this.exit;
  }
}
