import { createDeferred } from "../async/deferred.ts";
import type { ConnectRequest, Output } from "../contracts/adapter.ts";
import type { HostProcess } from "../contracts/host.ts";
import { type NativeStreamOptions, nativeStream } from "./native-stream.ts";

/** Options for `NativeProgram.output`. */
export type NativeOutputOptions = Omit<
  NativeStreamOptions,
  "attach" | "onNativeMessage" | "signal"
>;

/** A running program that reads and writes one message per line. */
export class NativeProgram {
  readonly #process: HostProcess;
  readonly #request: ConnectRequest;
  readonly #letGo = new AbortController();
  readonly #gone = createDeferred<Error>();

  constructor(process: HostProcess, request: ConnectRequest) {
    this.#process = process;
    this.#request = request;
  }

  get pid(): number {
    return this.#process.identity.pid;
  }

  /**
   * Returns the program's output as drafts, for one reader. The iterator throws `agent_exited` when the program exits,
   * and the other errors of `nativeStream`. It ends without an error after a detach.
   */
  output({ onEnd, ...options }: NativeOutputOptions): AsyncIterable<readonly Output[]> {
    const { attach, neededFrom, loggedUntil, onNativeMessage } = this.#request;
    return nativeStream(this.#process, {
      ...options,
      attach,
      neededFrom,
      loggedUntil,
      onNativeMessage,
      signal: this.#letGo.signal,
      onEnd: (reason) => {
        onEnd?.(reason);
        this.#gone.resolve(reason);
      },
    });
  }

  /** Writes to the program. If the program has exited, rejects with the reason for the exit instead of the write error. */
  async write(text: string): Promise<void> {
    try {
      await this.#process.write(text);
    } catch (error) {
      if (!(await this.isDead())) throw error;
      throw await this.#gone.promise;
    }
  }

  async isDead(): Promise<boolean> {
    return (await this.#process.health()) === "dead";
  }

  /** Settles like the promise. If the output ends first, rejects with the reason, such as the program's exit. */
  unlessGone<T>(promise: Promise<T>): Promise<T> {
    return Promise.race([promise, this.#gone.promise.then((reason) => Promise.reject(reason))]);
  }

  /** Stops reading the output and leaves the program running. */
  async detach(): Promise<void> {
    this.#letGo.abort();
    await this.#process.detach();
  }

  /** Terminates the program and all processes that it started. Kills the remaining processes after `stopMs`. */
  terminate(): Promise<void> {
    return this.#process.terminate({ graceMs: this.#request.limits.stopMs });
  }
}
