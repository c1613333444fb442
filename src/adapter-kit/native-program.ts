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

  /** Returns the program's output, for one reader. The output ends when the program exits. */
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

  /** Writes to the program. If it has exited, rejects with the reason for the exit instead of the write error. */
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

  /** Settles like the promise, or rejects with the exit reason if the program exits first. */
  unlessGone<T>(promise: Promise<T>): Promise<T> {
    return Promise.race([promise, this.#gone.promise.then((reason) => Promise.reject(reason))]);
  }

  /** Disconnects and leaves the program running. */
  async detach(): Promise<void> {
    this.#letGo.abort();
    await this.#process.detach();
  }

  /** Kills the program and all processes that it started. */
  terminate(): Promise<void> {
    return this.#process.terminate({ graceMs: this.#request.limits.stopMs });
  }
}
