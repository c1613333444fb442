import { setMaxListeners } from "node:events";
import type { Chunk, Exit, Health, HostProcess, ProcessIdentity } from "../../core/host.ts";
import type { ExitWatch } from "./exit-watch.ts";
import { isSameProcess } from "./process-identity.ts";
import type { Program } from "./process-record.ts";
import { ProcessTree } from "./process-tree.ts";
import type { RunFiles } from "./run-files.ts";
import { readTail } from "./stderr-tail.ts";
import { createStdin, type Stdin } from "./stdin.ts";
import { tail } from "./tail.ts";
import { terminateTree } from "./terminate.ts";

/** A program on this machine, held by its recording and its identity: whether we started it makes no difference. */
export class LocalProcess implements HostProcess {
  readonly identity: ProcessIdentity;
  readonly #files: RunFiles;
  readonly #watch: ExitWatch;
  readonly #stdin: Stdin;
  readonly #tree: ProcessTree;
  readonly #insist = new AbortController();
  readonly #detached = new AbortController();
  #ending: Promise<void> | undefined;

  constructor(program: Program, files: RunFiles, watch: ExitWatch) {
    this.identity = program.identity;
    this.#files = files;
    this.#watch = watch;
    this.#stdin = createStdin(files.stdin);
    this.#tree = new ProcessTree(program.identity, program.marker);
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
    return tail(this.#files.stdout, { from, ended, signals });
  }

  stderrTail(): Promise<string> {
    return readTail(this.#files.stderr);
  }

  write(text: string): Promise<void> {
    this.#watch.look();
    return this.#stdin.write(text);
  }

  async health(): Promise<Health> {
    return this.#watch.ended.aborted ? "dead" : isSameProcess(this.identity);
  }

  /** One ending for all who call, after the shortest of their graces. Does nothing once detached. */
  terminate(options: { graceMs: number }): Promise<void> {
    if (this.#detached.signal.aborted) return Promise.resolve();
    const graceMs = Math.min(options.graceMs, LONGEST_TIMER_MS);
    const grace = setTimeout(() => this.#insist.abort(), graceMs);
    this.#ending ??= this.#end();
    return this.#ending.finally(() => clearTimeout(grace));
  }

  /** Writes under way fail: whoever waits for them does so first. */
  async detach(): Promise<void> {
    if (this.#ending !== undefined) return this.#ending;
    this.#detached.abort();
    this.#stdin.close("the program was let go");
    this.#watch.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.terminate({ graceMs: DEFAULT_GRACE_MS });
  }

  async #end(): Promise<void> {
    await terminateTree(this.#tree, { insist: this.#insist.signal, ended: this.#watch.ended });
    this.#watch.look();
    await this.exit;
  }
}

const DEFAULT_GRACE_MS = 5_000;

/** A longer one would go off at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;
